//! The shape functions at the edges, held to what PyTorch does (`tests/recorded/record.py` wrote it down).

use lozenge_gradual_spec::shape_functions::{Value, run_graph};
use lozenge_graph::{Limits, read};
use serde_json::{Value as Json, json};

/// Makes the torch.fx graph of a case.
fn graph(case: &Json) -> lozenge_graph::Graph {
    let shapes = case["shapes"].as_array().expect("shapes");
    let mut nodes: Vec<Json> = (0..shapes.len())
        .map(|place| json!({"name": format!("t{place}"), "op": "placeholder", "target": "t", "args": []}))
        .collect();
    let mut node = json!({"name": "result", "op": case["op"], "target": case["target"], "args": case["args"], "kwargs": case["kwargs"]});
    if case["op"] == "call_module" {
        let class = case["target"].as_str().expect("a class");
        node["module"] = json!(format!("torch.nn.modules.{class}"));
        node["params"] = case["params"].clone();
    }
    nodes.push(node);
    let text = json!({ "nodes": nodes }).to_string();
    read(text.into_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{case}: {error}"))
}

fn sizes(json: &Json) -> Vec<u64> {
    let sizes = json.as_array().expect("sizes").iter();
    sizes.map(|size| size.as_u64().expect("a size")).collect()
}

#[test]
fn operators_do_what_pytorch_does() {
    let text = include_str!("../recorded/edges.json");
    let recorded: Json = serde_json::from_str(text).expect("the file is JSON");
    let (mut agreed, mut refused, mut departures) = (0, 0, 0);
    let mut wrong = Vec::new();
    for case in recorded["cases"].as_array().expect("cases") {
        let inputs = case["shapes"].as_array().expect("shapes").iter();
        let inputs: Vec<Value> = inputs.map(|shape| Value::Tensor(sizes(shape))).collect();
        let run = run_graph(&graph(case), &inputs);
        let found = run.values.get("result");
        assert!(run.unknown.is_empty(), "{case}");
        // The documentation gives the result `out_channels` channels. Torch 2.15 gives it none where the input has
        // none.
        let expected = match case["params"]["in_channels"] == 0 && case["result"] != Json::Null {
            true => {
                departures += 1;
                let mut documented = sizes(&case["result"]);
                let channels = documented.len() - 3;
                assert_eq!(documented[channels], 0, "{case}");
                documented[channels] = 2;
                json!(documented)
            }
            false => case["result"].clone(),
        };
        let agrees = match (&expected, found) {
            (Json::Null, None) => {
                refused += 1;
                true
            }
            (Json::Null, Some(_)) | (_, None) => false,
            (Json::Array(_), Some(Value::Tensor(shape))) => *shape == sizes(&expected),
            (other, Some(Value::Integer(number))) => {
                other["value"].as_i64().map(i128::from) == Some(*number)
            }
            (other, Some(list)) => {
                Some(sizes(&other["value"]))
                    == list
                        .integers()
                        .map(|list| list.iter().map(|n| *n as u64).collect())
            }
        };
        agreed += usize::from(agrees);
        if !agrees {
            wrong.push(format!("{case}: {found:?} {:?}", run.failure));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agreed > 500 && refused > 200, "{agreed}, {refused}");
    assert_eq!(departures, 6);
}
