//! Programs of the gradual calculus with answers that were found by hand: large ranks, axes counted from both ends,
//! sizes 0, conditions that contradict.

use lozenge_gradual_solver::{BranchVerdict, Branches, Migration, Options, Sizes, Verdict};
use lozenge_gradual_vocabulary::conditions;
use lozenge_graph_vocabulary::Graph;
use std::sync::Arc;

fn asked(program: &str, demands: &str) -> (Arc<Graph>, Options) {
    let content = format!("{program}\n").into_bytes();
    let graph = lozenge_graph::read(content, &lozenge_graph::Limits::default());
    let conditions = match demands {
        "" => Vec::new(),
        demands => conditions(demands).expect("conditions"),
    };
    let options = Options {
        conditions,
        ..Options::default()
    };
    (Arc::new(graph.expect(program)), options)
}

/// Each program with what is demanded, and whether some input runs.
const RUNS: &[(&str, &str, bool)] = &[
    // An axis is asked for that only ranks from 10 on have, counted from the front or from the back.
    ("x : ?\nreturn x", "x.rank = 10, x[-10] = 3", true),
    ("x : ?\nreturn x", "x.rank = 10, x[-11] = 3", false),
    ("x : ?\nreturn x", "x.rank = 7, x[6] = 5, x[-1] = 6", false),
    ("x : ?\nreturn x", "x.rank = 8, x[6] = 5, x[-1] = 6", true),
    ("x : ?\nreturn x", "x[20] >= 0", true),
    // The other sizes are 1, or 5 and 7 are no factors of the wanted number.
    (
        "x : ?\nreturn reshape(x, [5])",
        "x.rank = 9, x[4] = 5",
        true,
    ),
    (
        "x : ?\nreturn reshape(x, [5])",
        "x.rank = 9, x[4] = 7",
        false,
    ),
    ("x : ?\nreturn reshape(x, [4])", "x[7] = 3", false),
    (
        "x : ?\nreturn reshape(x, [])",
        "x.rank = 8, x[3] = 2",
        false,
    ),
    (
        "x : ?\nreturn reshape(x, [7, ?])",
        "x.rank = 12, x[5] = 0",
        true,
    ),
    (
        "x : ?\nreturn reshape(x, [1])",
        "x.rank = 12, x[5] = 0",
        false,
    ),
    // x[6] of 8 axes is the last but one.
    (
        "x : ?\ny : ?\nreturn add(x, y)",
        "x.rank = 8, y.rank = 2, x[6] = 4, y[0] = 5",
        false,
    ),
    (
        "x : ?\ny : ?\nreturn add(x, y)",
        "x.rank = 8, y.rank = 2, x[6] = 4, y[1] = 5",
        true,
    ),
    (
        "x : ?\ny : ?\nreturn add(x, y)",
        "x.rank = 12, y.rank = 13, x[0] = 4, y[1] = 5",
        false,
    ),
    (
        "x : ?\ny : ?\nreturn add(x, y)",
        "x.rank = 12, y.rank = 13, x[0] = 4, y[0] = 5",
        true,
    ),
    // Ranks that contradict before a node is come to, and a rank of an input that no node uses.
    (
        "x : ?\ny : ?\nreturn add(x, y)",
        "x.rank = 3, y.rank = 1, x[2] = 4, y[0] = 5",
        false,
    ),
    ("x : [2]\ny : ?\nreturn x", "y[8] = 3", true),
    ("x : [2]\ny : ?\nreturn x", "y.rank < 0", false),
    ("x : [?]\nreturn x", "x[0] < 0", false),
    ("x : ?\nreturn conv2d(2, 4, (3, 3), x)", "x[4] >= 0", false),
    // No size between them is 0, and then a product is not.
    (
        "x : ?\nreturn reshape(conv2d(3, 8, (5, 5), x), [0])",
        "x[0] > 0",
        false,
    ),
    (
        "x : ?\nreturn reshape(conv2d(3, 8, (5, 5), x), [0])",
        "",
        true,
    ),
    ("x : ?\nreturn reshape(x, [12])", "x[0] > 12", false),
    ("x : ?\nreturn reshape(x, [0])", "x[0] > 12", true),
];

#[test]
fn programs_run_for_some_input_or_for_none() {
    for (program, demands, runs) in RUNS {
        let (graph, options) = asked(program, demands);
        let found = Migration::of(graph.clone(), &options);
        let wanted = match runs {
            true => Verdict::Sat,
            false => Verdict::Unsat,
        };
        assert_eq!(
            (found.verdict, &found.limits[..]),
            (wanted, &[][..]),
            "{program} {demands}"
        );
        assert_eq!(found.example.is_some(), *runs, "{program} {demands}");
        let of_sizes = Sizes::of(graph, &options).verdict();
        // From 1 on nothing runs where a size has to be 0.
        let is_empty = program.contains("[0])") || program.contains("[7, ?]");
        assert!(
            of_sizes == wanted || is_empty,
            "{program} {demands}: {of_sizes:?}"
        );
    }
}

/// Each program with what is demanded, and the verdicts of its conditions.
const CONDITIONS: &[(&str, &str, &[BranchVerdict])] = {
    use BranchVerdict::{Always, Depends, Never, Unreachable};
    &[
        (
            "x : ?\nreturn if size(x)[8] = 3 then conv2d(1, 1, (1, 1), x) else x",
            "",
            &[Depends],
        ),
        (
            "x : ?\nreturn if size(x)[8] = size(x)[-1] then x else x",
            "",
            &[Depends],
        ),
        (
            "x : ?\nreturn if size(x)[8] = size(x)[-1] then x else x",
            "x.rank = 9",
            &[Always],
        ),
        (
            "x : ?\nreturn if size(x)[4] = size(x)[-5] then x else x",
            "x.rank = 9",
            &[Always],
        ),
        (
            "x : ?\nreturn if size(x)[4] = size(x)[-5] then x else x",
            "x.rank = 10",
            &[Depends],
        ),
        (
            "x : ?\nreturn if size(reshape(x, [?]))[0] = 7 then x else x",
            "x.rank = 8, x[3] = 2, x[4] = 3",
            &[Never],
        ),
        (
            "x : ?\nreturn if dim(x) = 9 then if size(x)[8] = 3 then x else x else x",
            "",
            &[Depends, Depends],
        ),
        (
            "x : ?\nreturn if dim(x) < 9 then if size(x)[8] = 3 then x else x else x",
            "",
            &[Depends, Unreachable],
        ),
    ]
};

#[test]
fn conditions_on_axes_of_large_ranks_are_decided() {
    for (program, demands, wanted) in CONDITIONS {
        let (graph, options) = asked(program, demands);
        let mut found = Branches::of(&graph, &options).branches;
        found.sort_by(|one, other| one.branch.cmp(&other.branch));
        let verdicts: Vec<BranchVerdict> = found.iter().map(|branch| branch.verdict).collect();
        assert_eq!(verdicts.len(), wanted.len(), "{program}");
        let mut rest = verdicts.clone();
        rest.retain(|verdict| !wanted.contains(verdict));
        assert!(rest.is_empty(), "{program} {demands}: {found:?}");
    }
}

/// A limit before a condition does not make it one to which no input comes: of two inputs of large ranks no common axes
/// are known.
#[test]
fn a_condition_behind_a_limit_is_unknown() {
    let program = "x : ?\ny : ?\nreturn if size(add(x, y))[0] = 4 then x else x";
    for demands in ["x.rank > 6, y.rank > 6", "x.rank > 6, y.rank > 5, y[0] = 3"] {
        let (graph, options) = asked(program, demands);
        let found = Branches::of(&graph, &options);
        assert_eq!(
            found.branches[0].verdict,
            BranchVerdict::Unknown,
            "{demands}"
        );
        assert!(found.branches[0].reason.is_some());
    }
}

/// The reasons for a contradiction name a condition once, and a condition alone where it says all.
#[test]
fn conditions_are_reasons_beside_nodes() {
    let (graph, options) = asked("x : [2]\ny : ?\nreturn x", "y.rank < 0");
    let core = Migration::of(graph, &options).core;
    assert!(core.iter().all(|refusal| refusal.node.is_empty()) && !core.is_empty());
    let (graph, options) = asked("x : ?\nreturn reshape(x, [12])", "x.rank = 1, x[0] > 12");
    let core = Migration::of(graph, &options).core;
    let nodes: Vec<&str> = core.iter().map(|refusal| refusal.node.as_str()).collect();
    assert_eq!(nodes, ["", "reshape"], "{core:?}");
}

/// A permutation names all axes, so that eight are wanted of eight: the rank is known then, whatever ranks are told
/// apart at first.
#[test]
fn a_permutation_fixes_a_large_rank() {
    let text = |axes: &str| {
        format!(
            r#"{{"nodes": [
                {{"name": "x", "op": "placeholder", "target": "x", "args": []}},
                {{"name": "p", "op": "call_method", "target": "permute", "args": [{{"node": "x"}}, {axes}]}},
                {{"name": "output", "op": "output", "target": "output", "args": [{{"node": "p"}}]}}
            ]}}"#
        )
    };
    for (axes, rank, verdict) in [
        ("0, 2, 1, 3, 4, 5, 7, 6", 8, Verdict::Sat),
        ("0, 2, 1, 3, 4, 5, 6", 7, Verdict::Sat),
        ("0, 2, 1, 3, 4, 5, 6", 8, Verdict::Unsat),
        ("0, 2, 1, 3, 4, 5, 7, 6", 9, Verdict::Unsat),
    ] {
        let content = text(axes).into_bytes();
        let graph = lozenge_graph::read(content, &lozenge_graph::Limits::default());
        let graph = Arc::new(graph.expect("a graph"));
        let free = Migration::of(graph.clone(), &Options::default());
        assert_eq!(
            (free.verdict, free.limits.len()),
            (Verdict::Sat, 0),
            "{axes}"
        );
        let options = Options {
            conditions: conditions(&format!("x.rank = {rank}")).expect("conditions"),
            ..Options::default()
        };
        let found = Migration::of(graph, &options);
        assert_eq!(found.verdict, verdict, "{axes} of {rank}");
    }
}

/// Two inputs of large ranks have no common axes that are known, so a sum is a limit. It does not matter where a
/// condition on a value before it excludes such ranks.
#[test]
fn a_condition_on_a_value_decides_what_a_limit_behind_it_does_not() {
    let text = r#"{"nodes": [
        {"name": "x", "op": "placeholder", "target": "x", "args": []},
        {"name": "y", "op": "placeholder", "target": "y", "args": []},
        {"name": "r", "op": "call_method", "target": "contiguous", "args": [{"node": "x"}]},
        {"name": "q", "op": "call_method", "target": "contiguous", "args": [{"node": "y"}]},
        {"name": "s", "op": "call_function", "target": "_operator.add", "args": [{"node": "r"}, {"node": "q"}]},
        {"name": "output", "op": "output", "target": "output", "args": [{"node": "s"}]}]}"#;
    let graph = lozenge_graph::read(text.as_bytes().to_vec(), &lozenge_graph::Limits::default());
    let graph = Arc::new(graph.expect("a graph"));
    for (first, verdict) in [(3, Verdict::Sat), (2, Verdict::Unsat)] {
        let demands = format!("r.rank = 3, q.rank = 3, r[0] = {first}, q[0] = 3");
        let options = Options {
            conditions: conditions(&demands).expect("conditions"),
            ..Options::default()
        };
        let answer = Sizes::of(graph.clone(), &options);
        assert_eq!(
            (answer.verdict(), answer.limits()),
            (verdict, Vec::new()),
            "{demands}"
        );
    }
}

/// Up to four elements only an even number is admitted, and from five on any: what is printed ends, although both
/// the even and the odd numbers go on without end.
#[test]
fn a_set_that_is_whole_from_some_number_on_is_printed() {
    let half = "if size(x)[-1] <= 4 then reshape(x, [2, 1, ?]) else x";
    let (graph, options) = asked(&format!("x : [1, ?]\nreturn add({half}, {half})"), "");
    let found = Migration::of(graph, &options);
    assert_eq!(found.verdict, Verdict::Sat);
    let values: Vec<&str> = found.inputs[0]
        .classes
        .iter()
        .map(|class| class.dims[1].values.as_str())
        .collect();
    assert_eq!(values, [">= 4 and 0, 2"]);
}
