//! Programs of torch.export.

use lozenge_graph_vocabulary::{DeclaredSize, Type};

use crate::examples::{example, names};

#[test]
fn the_example_files_become_these_graphs() {
    for name in names("torch_export", ".pt2") {
        let graph = example(&format!("torch_export/{name}.pt2"));
        insta::with_settings!({ snapshot_suffix => name }, {
            insta::assert_snapshot!("graph", graph.to_string());
        });
    }
}

#[test]
fn parameters_are_constants_and_inputs_have_symbols() {
    let graph = example("torch_export/resnet18.pt2");
    let inputs: Vec<_> = graph.main().inputs.iter().map(|&id| &graph[id]).collect();
    assert_eq!(inputs.len(), 1);
    let Some(
        [
            DeclaredSize::Named(batch),
            DeclaredSize::Known(3),
            height,
            width,
        ],
    ) = inputs[0].declared.sizes()
    else {
        panic!(
            "the batch is free and the channels are not: {}",
            inputs[0].declared
        );
    };
    for free in [height, width, &DeclaredSize::Named(batch.clone())] {
        let DeclaredSize::Named(symbol) = free else {
            panic!("{free} is a symbol")
        };
        assert!(
            graph
                .recorded
                .ranges
                .iter()
                .any(|range| &range.symbol == symbol)
        );
    }
    let weight = graph
        .constants
        .iter()
        .find(|constant| constant.name == "layer2.0.downsample.0.weight");
    assert_eq!(weight.expect("the weight is there").sizes, [128, 64, 1, 1]);
}

#[test]
fn integers_are_inputs_with_their_symbols() {
    let graph = example("torch_export/window.pt2");
    let kinds: Vec<_> = graph
        .main()
        .inputs
        .iter()
        .map(|&id| graph[id].declared.clone())
        .collect();
    assert_eq!(kinds[1..], [Type::Integer, Type::Integer]);
    let integers = &graph.recorded.integers;
    assert_eq!(integers.len(), 2);
    for integer in integers {
        let DeclaredSize::Named(symbol) = &integer.size else {
            panic!("it is a symbol")
        };
        assert!(
            graph
                .recorded
                .ranges
                .iter()
                .any(|range| &range.symbol == symbol)
        );
    }
}

#[test]
fn nodes_say_from_which_module_and_line_they_come() {
    let graph = example("torch_export/resnet18.pt2");
    let downsample = graph.nodes().find(|(_, node)| {
        let module = node.place.module.as_ref();
        module.is_some_and(|module| module.path == "layer3.0.downsample.0")
    });
    let (_, node) = downsample.expect("the convolution is there");
    assert_eq!(node.operator.to_string(), "aten.conv2d");
    assert_eq!(
        node.place.module.as_ref().unwrap().class,
        "torch.nn.modules.conv.Conv2d"
    );
    let source = node.place.source.as_ref().expect("the line is there");
    assert_eq!(
        source.file, "make.py",
        "a line of the model, not one of PyTorch's own"
    );
    assert_eq!(
        node.place.to_string(),
        format!(
            "`{}` in layer3.0.downsample.0 (make.py:{})",
            node.name(),
            source.line
        )
    );
}
