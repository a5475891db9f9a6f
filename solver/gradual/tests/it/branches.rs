//! Branches of the graphs of the paper, and of small ones; models written again with decided conditions replaced.

use crate::fx::{content, files, graph};
use lozenge_gradual_solver::{
    Branch, BranchVerdict, Branches, Given, Options, Point, Replayed, Run, replay,
};
use lozenge_graph::{Limits, with_decided};
use lozenge_graph_vocabulary::{Graph, ValueId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn example(path: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(path)
}

fn options(conditions: &str) -> Options {
    Options {
        conditions: match conditions {
            "" => Vec::new(),
            text => lozenge_gradual_vocabulary::conditions(text).expect("conditions"),
        },
        ..Options::default()
    }
}

/// Returns the model of a file, with its content.
fn model(path: &str) -> (Graph, Vec<u8>) {
    let path = example(path);
    let content = match path.extension().is_some_and(|ending| ending == "gz") {
        true => content(&path),
        false => std::fs::read(&path).expect("the file is there"),
    };
    (graph(content.clone()), content)
}

/// Returns the number of conditions with each verdict: always, never, depends, unreachable, unknown.
fn counts(found: &Branches) -> [usize; 5] {
    let all = [
        BranchVerdict::Always,
        BranchVerdict::Never,
        BranchVerdict::Depends,
        BranchVerdict::Unreachable,
        BranchVerdict::Unknown,
    ];
    all.map(|verdict| {
        let same = found
            .branches
            .iter()
            .filter(|branch| branch.verdict == verdict);
        same.count()
    })
}

/// Returns the value of a node in a run.
fn value_of(graph: &Graph, run: &Run, name: &str) -> Option<Replayed> {
    let at = graph.values.iter().position(|value| value.name == name)?;
    run.value(ValueId(u32::try_from(at).ok()?)).cloned()
}

/// Asserts that each witness, run on numbers, comes to the condition and finds its value there.
fn replayed(graph: &Graph, branch: &Branch) {
    for witness in &branch.witnesses {
        let run = replay(graph, &witness.at);
        let value = value_of(graph, &run, &branch.node);
        assert_eq!(value, Some(Replayed::Truth(witness.value)), "{branch:?}");
    }
    let both = branch.witnesses.iter().map(|witness| witness.value);
    let both: Vec<bool> = both.collect();
    match branch.verdict {
        BranchVerdict::Always => assert_eq!(both, [true], "{branch:?}"),
        BranchVerdict::Never => assert_eq!(both, [false], "{branch:?}"),
        BranchVerdict::Depends => {
            assert_eq!(both, [true, false], "{branch:?}");
            assert!(!branch.true_if.is_empty(), "{branch:?}");
            assert!(!branch.false_if.is_empty(), "{branch:?}");
        }
        BranchVerdict::Unreachable | BranchVerdict::Unknown => assert!(both.is_empty()),
    }
}

/// By the encoders of the paper (Fig. 9): without conditions three branches of two graphs depend on the input, and rank
/// 2 decides them all.
#[test]
fn the_conditions_of_encoders_are_decided_at_rank_2() {
    for (name, without) in [
        ("Bert", [2, 1, 0, 0, 0]),
        ("Roberta", [2, 1, 0, 0, 0]),
        ("MegatronBert", [2, 1, 0, 0, 0]),
        ("Electra", [0, 0, 3, 0, 0]),
        ("MobileBert", [0, 0, 3, 0, 0]),
    ] {
        let (graph, _) = model(&format!("fx/{name}.json.gz"));
        let found = Branches::of(&graph, &Options::default());
        assert_eq!(counts(&found), without, "{name}: {:?}", found.limits);
        for branch in &found.branches {
            replayed(&graph, branch);
        }
        let at_2 = Branches::of(&graph, &options("input_ids.rank = 2"));
        assert_eq!(counts(&at_2), [2, 1, 0, 0, 0], "{name}: {:?}", at_2.limits);
    }
}

/// No condition of the 21 graphs is left open, those of the four translators of Fig. 10 (85 to 125 of them) included.
/// In the runs that PyTorch recorded a decided condition has the value that was decided.
#[test]
fn every_condition_of_every_graph_is_decided() {
    let (mut conditions, mut recorded) = (0, 0);
    for path in files() {
        let content = content(&path);
        let json: serde_json::Value = serde_json::from_slice(&content).expect("the file is JSON");
        let graph = graph(content);
        let found = Branches::of(&graph, &Options::default());
        assert_eq!(found.limits, [""; 0], "{path:?}");
        assert_eq!(counts(&found)[4], 0, "{path:?}");
        conditions += found.branches.len();
        let further = json["runs"].as_array().into_iter().flatten();
        let runs: Vec<_> = further.chain([&json]).map(|run| &run["shapes"]).collect();
        for branch in &found.branches {
            let decided = match branch.verdict {
                BranchVerdict::Always => Some(true),
                BranchVerdict::Never => Some(false),
                _ => None,
            };
            let values = runs.iter().map(|run| run[&branch.node]["value"].as_bool());
            for value in values.flatten() {
                assert!(decided.is_none_or(|decided| decided == value), "{branch:?}");
                recorded += usize::from(decided.is_some());
            }
        }
    }
    assert!(
        conditions > 450 && recorded > 300,
        "{conditions} conditions, {recorded} recorded values"
    );
}

/// The conditions of the paper on XGLM decide all five branches of one layer: `input_ids` has two sizes, of which the
/// second is between 1 and 2000.
#[test]
fn the_conditions_of_a_decoder_are_decided_in_a_range() {
    let (graph, _) = model("fx/XGLM-1layer.json.gz");
    let free = Branches::of(&graph, &Options::default());
    for branch in &free.branches {
        replayed(&graph, branch);
    }
    assert_eq!(counts(&free)[4], 0, "{:?}", free.limits);
    let conditions = "input_ids.rank = 2, input_ids[0] > 0, input_ids[1] > 1, input_ids[1] < 2000";
    let found = Branches::of(&graph, &options(conditions));
    assert_eq!(found.branches.len(), 5);
    assert_eq!(counts(&found)[2..], [0, 0, 0], "{:?}", found.branches);
    let outside = Branches::of(&graph, &options("input_ids.rank = 2, input_ids[1] > 0"));
    assert_ne!(counts(&outside)[2], 0, "a bound of the paper is not needed");
}

/// Asked beside the graph, a condition that is told decides its branch. Without one of its parts it does not. Those
/// on products of sizes cannot be asked.
#[test]
fn a_condition_that_is_told_decides_its_branch_and_each_part_is_needed() {
    let mut asked = 0;
    for name in ["Electra", "MobileBert", "XGLM-1layer"] {
        let (graph, _) = model(&format!("fx/{name}.json.gz"));
        for branch in &Branches::of(&graph, &Options::default()).branches {
            let sides = [
                (&branch.true_if, BranchVerdict::Always),
                (&branch.false_if, BranchVerdict::Never),
            ];
            for (condition, expected) in sides
                .into_iter()
                .flat_map(|(told, expected)| told.iter().map(move |one| (one, expected)))
                .filter(|(condition, _)| !condition.contains('*'))
            {
                let verdict = |conditions: &str| {
                    let found = Branches::of(&graph, &options(conditions));
                    let mut same = found.branches.iter().filter(|one| one.node == branch.node);
                    same.next().map(|branch| branch.verdict)
                };
                assert_eq!(verdict(condition), Some(expected), "{name}: {condition}");
                // Ranks of 7 and more do not tell the fourth axis and further ones apart from their neighbours.
                if ["[3]", "[4]", "[5]"]
                    .iter()
                    .any(|axis| condition.contains(axis))
                {
                    continue;
                }
                let parts: Vec<&str> = condition.split(", ").collect();
                for at in 0..parts.len() {
                    let fewer = [&parts[..at], &parts[at + 1..]].concat().join(", ");
                    let verdict = verdict(&fewer);
                    assert_eq!(verdict, Some(BranchVerdict::Depends), "{name}: {fewer}");
                }
                asked += 1;
            }
        }
    }
    assert!(asked > 20, "{asked} conditions were asked");
}

/// Listing 5 of the paper is annotated with rank 4, so its condition `dim() == 4` is decided. Without annotation a
/// convolution takes rank 3, too.
#[test]
fn an_annotation_decides_a_condition_on_the_rank() {
    let (annotated, content) = model("fx/ConvControlFlow.json.gz");
    let found = Branches::of(&annotated, &Options::default());
    assert_eq!(counts(&found), [1, 0, 0, 0, 0], "{:?}", found.branches);
    let text = String::from_utf8(content).expect("the file is text");
    let graph = graph(
        text.replace("TensorType[[Dyn, Dyn, Dyn, Dyn]]", "Dyn")
            .into_bytes(),
    );
    let found = Branches::of(&graph, &Options::default());
    let [branch] = &found.branches[..] else {
        panic!("{:?}", found.branches)
    };
    replayed(&graph, branch);
    assert_eq!(branch.true_if, ["x.rank >= 4"]);
    assert_eq!(branch.false_if, ["x.rank <= 3"]);
    let at_4 = Branches::of(&graph, &options("x.rank = 4"));
    assert_eq!(at_4.branches[0].verdict, BranchVerdict::Always);
    let at_5 = Branches::of(&graph, &options("x.rank = 5"));
    assert_eq!(at_5.branches[0].verdict, BranchVerdict::Unreachable);
}

/// Listing 7 of the paper: what is reshaped to 100 entries has no size below 100.
#[test]
fn a_reshape_decides_a_condition_on_a_size() {
    let (graph, _) = model("fx/ReshapeControlFlow.json.gz");
    let found = Branches::of(&graph, &Options::default());
    assert_eq!(counts(&found), [0, 1, 0, 0, 0], "{:?}", found.branches);
    replayed(&graph, &found.branches[0]);
}

/// Returns the conditions of a graph of which it is known on which side all inputs lie.
fn decided(found: &Branches) -> BTreeMap<String, bool> {
    let decided = found.branches.iter().filter_map(|branch| {
        let value = match branch.verdict {
            BranchVerdict::Always => true,
            BranchVerdict::Never => false,
            _ => return None,
        };
        let name = branch.branch.as_ref().unwrap_or(&branch.node);
        Some((name.clone(), value))
    });
    decided.collect()
}

fn shape(sizes: &[u64]) -> Given {
    Given::Sizes(sizes.to_vec())
}

/// A graph of torch.fx that is written again has fewer nodes, and each that is left has the same value at the recorded
/// input and at others.
#[test]
fn a_rewritten_graph_of_torch_fx_computes_the_same() {
    for name in ["Bert", "MobileBert", "XGLM-1layer"] {
        let (before, content) = model(&format!("fx/{name}.json.gz"));
        let found = Branches::of(&before, &options("input_ids.rank = 2, input_ids[1] > 1"));
        let decided = decided(&found);
        assert!(decided.len() >= 3, "{name}");
        let rewritten = with_decided(content, &decided, &Limits::default());
        let rewritten = rewritten.expect("it is written");
        assert_eq!(rewritten.replaced, decided.len(), "{name}");
        let after = graph(rewritten.content);
        assert_eq!(after.node_count() + decided.len(), before.node_count());
        let mut compared = 0;
        for sizes in [[1, 5], [2, 11], [3, 512], [2, 1]] {
            let point = Point::from([("input_ids".to_owned(), shape(&sizes))]);
            let (one, other) = (replay(&before, &point), replay(&after, &point));
            assert_eq!(one.refusal, other.refusal, "{name} at {point:?}");
            for value in &after.values {
                let own = value_of(&after, &other, &value.name);
                assert_eq!(
                    own,
                    value_of(&before, &one, &value.name),
                    "{name}: {}",
                    value.name
                );
                compared += usize::from(own.is_some());
            }
        }
        assert!(compared > 300, "{name}: {compared} values were compared");
    }
}

/// An ONNX model whose `If` is decided reads back without it, and has the same outputs.
#[test]
fn a_rewritten_onnx_model_computes_the_same() {
    let (before, content) = model("onnx/branches.onnx");
    let found = Branches::of(&before, &Options::default());
    let is_if = |graph: &Graph| {
        let nodes = graph.nodes();
        nodes.filter(|(_, node)| node.operator.name == "If").count()
    };
    assert_eq!(found.branches.len(), is_if(&before), "{:?}", found.branches);
    for value in [true, false] {
        let names = found
            .branches
            .iter()
            .filter_map(|branch| branch.branch.clone());
        let all: BTreeMap<String, bool> = names.map(|name| (name, value)).collect();
        let rewritten = with_decided(content.clone(), &all, &Limits::default());
        let rewritten = rewritten.expect("it is written");
        assert!(rewritten.replaced > 0);
        let after = graph(rewritten.content);
        assert!(is_if(&after) < is_if(&before), "{value}");
        assert_eq!(after.main().outputs.len(), before.main().outputs.len());
        assert_eq!(after.main().inputs.len(), before.main().inputs.len());
    }
}
