//! The native procedure and Z3 on the same programs, one rank profile at a time.

use lozenge_gradual_oracle::{Answer, Limits, condition, runs};
use lozenge_gradual_solver::{
    BranchVerdict, Branches, Given, Migration, Options, Point, Verdict, replay,
};
use lozenge_gradual_vocabulary::{Expression, Program, conditions, grad};
use lozenge_graph_vocabulary::Graph;
use std::collections::BTreeMap;
use std::sync::Arc;

fn graph(program: &Program) -> Graph {
    let text = program.to_string().into_bytes();
    lozenge_graph::read(text, &lozenge_graph::Limits::default()).expect("the graph is read")
}

/// Programs of one to three operations on one or two inputs: products of annotations, targets and forms.
fn programs() -> Vec<Program> {
    let annotations = ["?", "[?, 6]", "[2, ?, ?]", "[?, 2, ?, ?]"];
    let targets = [
        "[6]",
        "[2, ?]",
        "[?, 3]",
        "[?, ?]",
        "[0, ?]",
        "[1, 2, ?, 3]",
        "[]",
    ];
    let mut texts = Vec::new();
    for annotation in annotations {
        let mut form = |text: String| texts.push(format!("x : {annotation}\n{text}\n"));
        for target in targets {
            let shaped = format!("reshape(x, {target})");
            form(format!("return {shaped}"));
            form(format!("return add(x, {shaped})"));
            form(format!("return conv2d(2, 3, (2, 3), {shaped})"));
            form(format!("y : ?\nreturn add({shaped}, y)"));
            form(format!("return if dim(x) = 2 then {shaped} else add(x, x)"));
            form(format!(
                "return add({shaped}, if size(x)[-1] > 3 then x else reshape(x, [6, ?]))"
            ));
        }
        form("return conv2d(2, 2, (1, 2), conv2d(2, 2, (3, 1), x))".to_owned());
        form("y : [?, 3]\nreturn reshape(add(x, y), [?, 4])".to_owned());
    }
    let all = texts
        .iter()
        .map(|text| grad::read(text).expect("a program").0);
    all.collect()
}

/// Returns the rank profiles of the inputs of a program.
fn profiles(program: &Program) -> Vec<Vec<usize>> {
    match program.declarations.len() {
        1 => (0..=4).map(|rank| vec![rank]).collect(),
        _ => {
            let pairs = (0..=2).flat_map(|one| (0..=2).map(move |two| vec![one, two]));
            pairs.collect()
        }
    }
}

/// Returns the question about one profile.
fn options(program: &Program, ranks: &[usize]) -> Options {
    let names = program.declarations.iter().zip(ranks);
    let all: Vec<String> = names
        .map(|(declaration, rank)| format!("{}.rank = {rank}", declaration.name))
        .collect();
    Options {
        conditions: conditions(&all.join(", ")).expect("conditions"),
        ..Options::default()
    }
}

fn point(inputs: &BTreeMap<String, Vec<u64>>) -> Point {
    let sizes = inputs.iter();
    sizes
        .map(|(name, sizes)| (name.clone(), Given::Sizes(sizes.clone())))
        .collect()
}

/// Shows that both parties agree whether some sizes of these ranks run; the sizes that Z3 gives are run on numbers.
#[test]
fn both_say_of_each_profile_whether_a_program_runs() {
    let (mut agreed, mut sat) = (0, 0);
    for (place, program) in programs().into_iter().enumerate() {
        let graph = Arc::new(graph(&program));
        for ranks in profiles(&program).into_iter().skip(place % 2).step_by(2) {
            let asked = runs(&program, &ranks, Limits::default());
            let found = Migration::of(graph.clone(), &options(&program, &ranks));
            match (&asked, found.verdict) {
                (Answer::Holds(inputs), Verdict::Sat) => {
                    let run = replay(&graph, &point(inputs));
                    assert_eq!(run.refusal, None, "{program}at {inputs:?}");
                    sat += 1;
                }
                (Answer::Never, Verdict::Unsat) => {}
                other => panic!("{program}at {ranks:?}: {other:?}"),
            }
            agreed += 1;
        }
    }
    assert!(agreed > 400 && sat > 80, "{sat} of {agreed} run");
}

/// Compares the sides of a conditional on which inputs of these ranks lie, by both parties.
#[test]
fn both_say_of_each_profile_which_branches_are_taken() {
    let mut seen = BTreeMap::new();
    for program in programs() {
        let is_if = |expression: &Expression| matches!(expression, Expression::If { .. });
        let conditional = program.body.iter().find(|(_, one)| is_if(one));
        let Some((at, _)) = conditional else { continue };
        let graph = graph(&program);
        for ranks in profiles(&program) {
            let side =
                |value: bool| match condition(&program, &ranks, (at, value), Limits::default()) {
                    Answer::Holds(_) => true,
                    Answer::Never => false,
                    Answer::Unknown(why) => panic!("{program}at {ranks:?}: {why}"),
                };
            let expected = match (side(true), side(false)) {
                (true, true) => BranchVerdict::Depends,
                (true, false) => BranchVerdict::Always,
                (false, true) => BranchVerdict::Never,
                (false, false) => BranchVerdict::Unreachable,
            };
            let found = Branches::of(&graph, &options(&program, &ranks));
            let [branch] = &found.branches[..] else {
                panic!("{program}: {:?}", found.branches)
            };
            assert_eq!(
                branch.verdict, expected,
                "{program}at {ranks:?}: {branch:?}"
            );
            *seen.entry(format!("{expected:?}")).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}
