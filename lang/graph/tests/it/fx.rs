//! Graphs of torch.fx.

use std::collections::HashSet;

use serde_json::Value as Json;

use crate::examples::{fx, fx_text, names};

#[test]
fn small_files_become_these_graphs() {
    for name in [
        "ConvPoolFlatten",
        "ConvControlFlow",
        "ReshapeControlFlow",
        "XGLM-1layer",
    ] {
        insta::with_settings!({ snapshot_suffix => name }, {
            insta::assert_snapshot!("graph", fx(name).to_string());
        });
    }
}

/// Whatever the file records the shape of is a value of the graph, and each node of the file is one of the graph, an
/// input, a constant or the output.
#[test]
fn no_node_is_lost() {
    for name in names("fx", ".json.gz") {
        let file: Json = serde_json::from_slice(&fx_text(&name)).expect("the file is JSON");
        let graph = fx(&name);
        let main = graph.main();
        let read = graph.node_count() + main.inputs.len() + main.constants.len() + 1;
        assert_eq!(read as u64, file["num_nodes"].as_u64().unwrap(), "{name}");
        let values: HashSet<&str> = graph
            .values
            .iter()
            .map(|value| value.name.as_str())
            .collect();
        let recorded = file["shapes"].as_object().expect("shapes are recorded");
        assert!(!recorded.is_empty(), "{name}");
        for node in recorded.keys().filter(|node| *node != "output") {
            assert!(values.contains(node.as_str()), "{name}: {node}");
        }
    }
}

#[test]
fn the_conditions_of_branches_are_noted() {
    let mut noted = 0;
    for name in names("fx", ".json.gz") {
        let file: Json = serde_json::from_slice(&fx_text(&name)).expect("the file is JSON");
        let in_graph = file["branches"].as_array().into_iter().flatten();
        let in_graph: Vec<_> = in_graph
            .filter(|branch| branch["in_graph"] == true)
            .collect();
        let graph = fx(&name);
        let read: Vec<_> = graph
            .recorded
            .branches
            .iter()
            .map(|&id| graph[id].name())
            .collect();
        let expected: Vec<_> = in_graph
            .iter()
            .map(|branch| branch["node"].as_str().unwrap())
            .collect();
        assert_eq!(read, expected, "{name}");
        noted += read.len();
    }
    assert!(noted > 100, "only {noted} conditions in all files");
}

#[test]
fn modules_have_their_class_their_path_and_their_parameters() {
    let graph = fx("ResNet18");
    let (_, node) = graph
        .nodes()
        .find(|(_, node)| node.name() == "layer2_0_conv1")
        .expect("the node is there");
    assert_eq!(node.operator.to_string(), "fx.call_module.Conv2d");
    assert_eq!(
        node.attribute("stride").and_then(|stride| stride.as_ints()),
        Some(vec![2, 2])
    );
    let module = node.place.module.as_ref().expect("the module is known");
    assert_eq!(module.path, "layer2.0.conv1");
    assert_eq!(module.class, "torch.nn.modules.conv.Conv2d");
}
