//! Derivations and refusals: the constraints that they cite suffice for the same conclusion, and a refusal cites none
//! that can be left out.

use crate::random_sets::{Shape, set};
use lozenge_solver::{Problem, Refusal, Solver};
use lozenge_vocabulary::{Constraint, Rule, Tag, Var, Verdict};

const SHAPE: Shape = Shape {
    constraints: 7,
    flank: 2,
    row_vars: 3,
    dim_vars: 3,
    equalities: 4,
};

fn solver(text: &str) -> Solver {
    Solver::new(Problem::parse(text).expect("in the notation"))
}

#[test]
fn a_value_is_told_step_by_step() {
    let mut solved = solver("# caps travel\n3 <= a\na <= b\n\nb <= 3");
    solved.solve().unwrap();
    let derivation = solved.explain(&"a".parse().unwrap()).unwrap();
    assert_eq!(derivation.value, "3");
    let rules: Vec<Rule> = derivation.steps.iter().map(|step| step.rule).collect();
    assert_eq!(rules, [Rule::DiPin, Rule::DiPin]);
    let shown = derivation.to_string();
    assert!(
        shown.contains("line 5: b <= 3") && shown.contains("line 3: a <= b"),
        "{shown}"
    );
    assert!(
        !shown.contains("3 <= a"),
        "the cap has no part in it:\n{shown}"
    );
    assert!(solved.explain(&"unknown".parse().unwrap()).is_none());
}

#[test]
fn a_row_tells_its_deficit_and_its_placement() {
    let mut solved = solver("<r> <= [3 <s>]\n<s> ~ [4, 5]");
    solved.solve().unwrap();
    let derivation = solved.explain(&"<r>".parse().unwrap()).unwrap();
    assert_eq!(derivation.value, "[3 <> 4, 5]");
    assert!(
        derivation
            .steps
            .iter()
            .any(|step| step.rule == Rule::RiDeficit)
    );
    let choice = derivation
        .steps
        .iter()
        .find(|step| step.policy)
        .expect("the placement of s");
    assert_eq!(choice.rule, Rule::ReOpenClosed);
    assert_eq!(choice.uses.len(), 1);
}

/// Asserts the text of a derivation, line by line.
#[track_caller]
fn tells(text: &str, var: &str, lines: &[&str]) {
    let mut solved = solver(text);
    solved
        .solve()
        .unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    let derivation = solved.explain(&var.parse().unwrap()).unwrap().to_string();
    let shown: Vec<&str> = derivation.lines().map(str::trim_start).collect();
    assert_eq!(shown, lines, "{text}");
}

#[test]
fn an_atom_below_is_told_by_its_way_up() {
    tells(
        "3 <= a\na <= b",
        "b",
        &[
            "b = 1_ (interior)",
            "1. 3 <= a [di_cap]",
            "line 1: 3 <= a",
            "2. 3 <= b [di_cap] by 1",
            "line 2: a <= b",
        ],
    );
    // The atom is shown, also where another is below the variable of the same number.
    tells(
        "5 <= a\n3 <= b",
        "a",
        &["a = 1_ (interior)", "1. 5 <= a [di_cap]", "line 1: 5 <= a"],
    );
    tells(
        "3 <= a\n5 <= a\na <= b",
        "b",
        &[
            "b = 1_ (interior)",
            "1. 3 <= a [di_cap]",
            "line 1: 3 <= a",
            "2. 5 <= a [di_cap]",
            "line 2: 5 <= a",
            "3. a = 1_ [di_cap] by 1 by 2",
            "4. b = a [di_pin_top] by 3",
            "line 3: a <= b",
        ],
    );
    tells(
        "a <= b",
        "b",
        &[
            "b = 1_ (interior)",
            "No step determines it: it stands at its top.",
        ],
    );
}

#[test]
fn an_axis_is_told_by_its_row_and_flank() {
    tells(
        "<r> <= [a, b <> c, d]\n<r> <= [e, 3 <> 4, f]",
        "<r>",
        &[
            "<r> = [1_, 3 <> 4, 1_] (interior)",
            "1. <r> has at least 2 leading axes [ri_deficit]",
            "line 1: <r> <= [a, b <> c, d]",
            "2. <r> has at least 2 trailing axes [ri_deficit]",
            "line 1: <r> <= [a, b <> c, d]",
            "3. axis 2 from the front of <r> = 3 [di_pin]",
            "line 2: <r> <= [e, 3 <> 4, f]",
            "4. axis 2 from the back of <r> = 4 [di_pin]",
            "line 2: <r> <= [e, 3 <> 4, f]",
        ],
    );
}

#[test]
fn the_content_of_a_row_is_told_with_its_axes() {
    tells(
        "<r> ~ [a, b <s> c]\na = 2\nb = 3\nc = 4\n<s> ~ [d]\nd = 5\ne = 6",
        "<r>",
        &[
            "<r> = [2, 3 <> 5, 4] (interior)",
            "1. a = 2 [de_bind]",
            "line 2: a = 2",
            "2. b = 3 [de_bind]",
            "line 3: b = 3",
            "3. c = 4 [de_bind]",
            "line 4: c = 4",
            "4. d = 5 [de_bind]",
            "line 6: d = 5",
            "5. <r> holds [a, b <s> c] between its known flanks, up to the marker [re_nested]",
            "line 1: <r> ~ [a, b <s> c]",
            "6. <s> holds [d] between its known flanks, up to the marker [re_open_closed]",
            "line 5: <s> ~ [d]",
        ],
    );
}

#[test]
fn what_was_not_solved_yet_has_no_story() {
    let mut solved = solver("a <= b");
    solved.solve().unwrap();
    solved.add(&"2 <= c".parse().unwrap());
    solved.add(&"<r> <= [2]".parse().unwrap());
    let [c, r] = ["c", "<r>"].map(|var| var.parse::<Var>().unwrap());
    let shown = |solved: &Solver, var| {
        let derivation = solved.explain(var).expect("mentioned");
        (derivation.value, derivation.steps.len())
    };
    assert_eq!(shown(&solved, &c), ("1_".into(), 0));
    assert_eq!(shown(&solved, &r), ("[]".into(), 0));
    solved.solve().unwrap();
    assert_eq!(shown(&solved, &c), ("1_".into(), 1));
    assert_eq!(shown(&solved, &r), ("[2]".into(), 1));
}

/// Whatever met first, the lower value is shown first.
#[test]
fn a_refusal_says_which_values_met() {
    for (text, message) in [
        (
            "3 <= a\na = 5",
            "an axis 3 of the result faces an axis 5 of the operand, which only 5 can",
        ),
        (
            "a = 5\n3 <= a",
            "an axis 3 of the result faces an axis 5 of the operand, which only 5 can",
        ),
        (
            "3 <= a\na <= b\nb <= 5",
            "an axis 3 of the result faces an axis 5 of the operand, which only 5 can",
        ),
        (
            "2 <= b\na = 5\na = b",
            "an axis 2 of the result faces an axis 5 of the operand, which only 5 can",
        ),
        (
            "b = 5\na <= b\n3 <= a",
            "an axis 3 of the result faces an axis 5 of the operand, which only 5 can",
        ),
        (
            "3 <= 5",
            "an axis 3 of the result faces an axis 5 of the operand, which only 5 can",
        ),
        (
            "a = 3\nb = 5\na = b",
            "the dimensions 3 and 5 cannot be equal",
        ),
        (
            "<r> ~ [3, a]\n<r> ~ [4, 5]",
            "the dimensions 3 and 4 cannot be equal",
        ),
        ("<r> ~ [3]\n<r> ~ [4, 5]", "1 axes against 2"),
    ] {
        let refusal = solver(text).solve().expect_err(text);
        assert_eq!(refusal.message, message, "{text}");
    }
}

#[test]
fn a_refusal_names_purposes_lines_and_survives_json() {
    let mut problem = Problem::parse("a = 3\nb <= 4\nc = 9\na = b\nparam b").unwrap();
    problem.purpose(&"a".parse().unwrap(), "the hidden size of layer 2");
    let refusal = Solver::new(problem).solve().expect_err("3 is not 4");
    let lines: Vec<_> = refusal.chain.iter().map(|cited| cited.line).collect();
    assert_eq!(lines, [Some(1), Some(2), Some(4)]);
    let text = refusal.to_string();
    assert!(
        text.contains("a: the hidden size of layer 2") && text.contains("b: param"),
        "{text}"
    );
    assert!(text.contains("3") && text.contains("4"), "{text}");
    let json = serde_json::to_string(&*refusal).unwrap();
    assert_eq!(serde_json::from_str::<Refusal>(&json).unwrap(), *refusal);
}

fn refused(constraints: &[Constraint], tags: &[(Var, Tag)]) -> Option<Verdict> {
    let mut solver = Solver::new(Problem::new());
    constraints.iter().for_each(|c| solver.add(c));
    for (var, tag) in tags {
        solver.declare(var, *tag).unwrap();
    }
    solver.solve().err().map(|refusal| refusal.verdict)
}

#[test]
fn chains_are_refused_alone_and_minimal() {
    let mut seen = 0;
    // In 8318 what is refused without any of the others still needs only one of its two constraints.
    for seed in (0..sets()).chain([8318]) {
        let set = set(seed, &SHAPE);
        let tags: Vec<(Var, Tag)> = set.tags.clone().into_iter().collect();
        let mut solver = Solver::new(Problem::from(&set));
        let Err(refusal) = solver.solve() else {
            continue;
        };
        seen += 1;
        assert!(refusal.minimal);
        let chain: Vec<Constraint> = refusal
            .chain
            .iter()
            .map(|cited| set.constraints[cited.index].clone())
            .collect();
        assert_eq!(
            refused(&chain, &tags),
            Some(refusal.verdict),
            "{seed}:\n{set}\n{refusal}"
        );
        for left_out in 0..chain.len() {
            let mut fewer = chain.clone();
            fewer.remove(left_out);
            assert_ne!(
                refused(&fewer, &tags),
                Some(refusal.verdict),
                "{seed}:\n{set}\n{refusal}"
            );
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn a_long_chain_is_cut_down_to_what_is_needed() {
    // The unit that the two caps make meets 5 first; either cap is enough.
    for len in [300, 3000] {
        let mut text = String::from("2 <= a0\n");
        for at in 0..len {
            text += &format!("a{at} <= a{}\n", at + 1);
        }
        let refusal = solver(&(text + &format!("3 <= a{len}\na{len} = 5")))
            .solve()
            .expect_err("3 is not below 5");
        assert_eq!((refusal.chain.len(), refusal.minimal), (2, true));
    }
}

/// Both are enough: the first two constraints, and the long way round. One by one the first to be left out is the
/// first.
#[test]
fn up_to_64_constraints_are_left_out_one_by_one_and_more_by_halves() {
    for (constraints, chain) in [(64, 63), (65, 2)] {
        let mut text = String::from("2 <= a0\n[a0] ~ [5]\n");
        for at in 1..constraints - 2 {
            text += &format!("a{at} <= a{}\n", at - 1);
        }
        text += &format!("3 <= a{}", constraints - 3);
        let refusal = solver(&text).solve().expect_err("1_ is not 5");
        assert_eq!((refusal.chain.len(), refusal.minimal), (chain, true));
    }
}

#[test]
fn what_is_needed_of_a_very_long_chain_is_not_searched_for_without_end() {
    let chain = |needed: usize| {
        let mut text = String::from("<r0> ~ [2]\n");
        for at in 0..needed {
            text += &format!("<r{}> <= <r{at}>\n", at + 1);
        }
        solver(&(text + &format!("[3] <= <r{needed}>")))
            .solve()
            .expect_err("2 is not 3")
    };
    let refusal = chain(250);
    assert_eq!((refusal.chain.len(), refusal.minimal), (252, true));
    let refusal = chain(20_000);
    assert_eq!((refusal.chain.len(), refusal.minimal), (20_002, false));
}

/// Returns the number of sets; `LOZENGE_SETS` asks for more.
fn sets() -> u64 {
    std::env::var("LOZENGE_SETS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3000)
}

#[test]
fn the_hole_of_a_parameter_is_named() {
    let text = "[a] <= <s>\n<s> <= <r>\n<r> <= <s>\nparam <r>, <s>";
    let mut solver = Solver::new(Problem::parse(text).unwrap());
    let refusal = solver.close().unwrap_err();
    assert_eq!(
        refusal.message,
        "nothing determines the size of axis 1 from the back of <r>, a parameter"
    );
    let named: Vec<String> = refusal
        .variables
        .iter()
        .map(|v| v.var.to_string())
        .collect();
    assert_eq!(named, ["<r>", "<s>"]);
}
