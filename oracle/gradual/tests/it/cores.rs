//! Cores of programs that never run: the nodes alone leave no input, and without one of them there is one.

use lozenge_gradual_oracle::{Answer, Limits, runs_without};
use lozenge_gradual_solver::{Given, Migration, Options, Point, Refusal, Sizes, Verdict};
use lozenge_gradual_vocabulary::{Expression, ExpressionId, Program, conditions, grad};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Finds the expressions by the names of their nodes, as the reader of graphs gives them: `add`, `add_1`, and so on.
fn named(program: &Program) -> BTreeMap<String, ExpressionId> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = BTreeMap::new();
    for (at, expression) in program.body.iter() {
        let word = match expression {
            Expression::Reshape { .. } => "reshape",
            Expression::Conv2d { .. } => "conv2d",
            Expression::Add(..) => "add",
            Expression::If { .. } => "if",
            Expression::Variable(_) => continue,
        };
        let count = counts.entry(word).or_default();
        names.insert(
            match *count {
                0 => word.to_owned(),
                count => format!("{word}_{count}"),
            },
            at,
        );
        *count += 1;
    }
    names
}

/// Returns an expression with all that it consists of.
fn all_parts(program: &Program, whole: ExpressionId) -> Vec<ExpressionId> {
    let (mut all, mut waiting) = (Vec::new(), vec![whole]);
    while let Some(at) = waiting.pop() {
        all.push(at);
        waiting.extend(program.body[at].parts());
    }
    all
}

/// Programs of up to four operations on one or two inputs, none of which runs at the ranks of the annotations.
fn programs() -> Vec<Program> {
    let conv = |channels: u64, result: u64, of: &str| {
        format!("conv2d({channels}, {result}, (3, 2), {of})")
    };
    let mut texts = Vec::new();
    for annotation in ["[?, ?, ?, ?]", "[2, ?, 4, ?]", "[?, 3, ?, 2]"] {
        let one = conv(3, 4, "x");
        for body in [
            conv(5, 4, &one),
            conv(4, 2, &conv(4, 3, "x")),
            format!("add(x, add({one}, {}))", conv(2, 4, "x")),
            format!("add(x, {one})"),
            format!("reshape(reshape({one}, [7, ?]), [?, 3])"),
            format!("add(reshape({one}, [24]), reshape(x, [36]))"),
            format!("reshape(add(x, reshape({one}, [2, 4, 5, 6])), [11])"),
            format!("conv2d(4, 4, (2, 2), reshape({one}, [1, ?, 2, 3]))"),
            // Two nodes clash that could each have their way: channels, multiples, and a kernel that is as high as
            // the elements are many.
            "add(conv2d(3, 4, (1, 1), x), conv2d(5, 4, (1, 1), x))".to_owned(),
            "add(reshape(x, [6]), reshape(x, [10, ?]))".to_owned(),
            "add(reshape(x, [48]), reshape(x, [9, ?]))".to_owned(),
            "add(conv2d(3, 4, (9, 1), x), reshape(x, [24]))".to_owned(),
        ] {
            texts.push(format!("x : {annotation}\nreturn {body}\n"));
        }
    }
    for (x, y) in [("[?]", "[?]"), ("[?, 2]", "[?]"), ("[?, ?]", "[4, ?]")] {
        for body in [
            "add(reshape(add(x, y), [15]), reshape(x, [6]))",
            "reshape(add(reshape(x, [2, ?]), reshape(y, [3, ?])), [7])",
            "add(add(reshape(x, [6]), reshape(y, [4])), x)",
            "reshape(reshape(add(x, y), [2, 3, ?]), [10])",
            "add(reshape(x, [0, ?]), y)",
        ] {
            texts.push(format!("x : {x}\ny : {y}\nreturn {body}\n"));
        }
    }
    let all = texts.iter().map(|text| grad::read(text).expect(text).0);
    all.collect()
}

/// Lists the names of all nodes that refuse a point.
fn refusing(
    options: &Options,
    graph: &lozenge_graph_vocabulary::Graph,
    point: &Point,
) -> Vec<String> {
    let found = Sizes::at(graph, options, point);
    let all: Vec<Refusal> = found.refusals.into_iter().chain(found.also).collect();
    all.into_iter().flat_map(|refusal| refusal.nodes).collect()
}

#[test]
fn a_core_leaves_nothing_and_less_of_it_leaves_something() {
    let (mut cores, mut complements, mut larger) = (0, 0, 0);
    for program in programs() {
        let graph = lozenge_graph::read(
            program.to_string().into_bytes(),
            &lozenge_graph::Limits::default(),
        );
        let graph = Arc::new(graph.expect("a graph"));
        let names = named(&program);
        let declarations = program.declarations.iter();
        let ranks: Vec<usize> = declarations
            .filter_map(|one| one.annotation.rank())
            .collect();
        let options = Options {
            conditions: conditions("1 = 1").expect("a condition"),
            ..Options::default()
        };
        let found = Migration::of(graph.clone(), &options);
        if found.verdict != Verdict::Unsat {
            continue;
        }
        let core = Refusal::nodes(&found.core);
        assert!(!core.is_empty(), "{program}");
        let without = |kept: &dyn Fn(&String) -> bool| {
            let skipped: Vec<ExpressionId> = names
                .iter()
                .filter(|(name, _)| !kept(name))
                .map(|(_, at)| *at)
                .collect();
            runs_without(&program, &ranks, &skipped, Limits::default())
        };
        // A core speaks of the shapes that reach its nodes, so what these are computed from is held to its demands.
        let ids = core.iter().filter_map(|name| names.get(name));
        let before: BTreeSet<ExpressionId> = ids.flat_map(|at| all_parts(&program, *at)).collect();
        let alone = without(&|name| core.contains(name) || before.contains(&names[name]));
        assert_eq!(alone, Answer::Never, "{program}{core:?}");
        cores += 1;
        larger += usize::from(core.len() > 1);
        for left_out in &core {
            let others = |name: &String| core.contains(name) && name != left_out;
            match without(&others) {
                Answer::Holds(inputs) => {
                    let inputs = inputs.into_iter();
                    let point: Point = inputs
                        .map(|(name, sizes)| (name, Given::Sizes(sizes)))
                        .collect();
                    let refusing = refusing(&options, &graph, &point);
                    assert!(
                        !refusing.iter().any(others),
                        "{program}{core:?} without {left_out}: {refusing:?} at {point:?}"
                    );
                    complements += 1;
                }
                other => panic!("{program}{core:?} without {left_out}: {other:?}"),
            }
        }
    }
    assert!(
        cores > 40 && larger > 5 && complements > 45,
        "{cores}, {larger}, {complements}"
    );
}
