//! Stories and refusals: what they cite is enough to conclude the same, and nothing in a refusal can be left out.

mod random_sets;

use lozenge::{Problem, Refusal, Solver};
use lozenge_spec::{Constraint, Rule, Tag, Var, Verdict};
use random_sets::{Shape, set};

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
    let story = solved.explain(&"a".parse().unwrap()).unwrap();
    assert_eq!(story.value, "3");
    let rules: Vec<Rule> = story.steps.iter().map(|step| step.rule).collect();
    assert_eq!(rules, [Rule::DiPin, Rule::DiPin]);
    let told = story.to_string();
    assert!(
        told.contains("line 5: b <= 3") && told.contains("line 3: a <= b"),
        "{told}"
    );
    assert!(
        !told.contains("3 <= a"),
        "the cap has no part in it:\n{told}"
    );
    assert!(solved.explain(&"unknown".parse().unwrap()).is_none());
}

#[test]
fn a_row_tells_its_deficit_and_its_placement() {
    let mut solved = solver("<r> <= [3 <s>]\n<s> ~ [4, 5]");
    solved.solve().unwrap();
    let story = solved.explain(&"<r>".parse().unwrap()).unwrap();
    assert_eq!(story.value, "[3 <> 4, 5]");
    assert!(story.steps.iter().any(|step| step.rule == Rule::RiDeficit));
    let choice = story
        .steps
        .iter()
        .find(|step| step.policy)
        .expect("the placement of s");
    assert_eq!(choice.rule, Rule::ReOpenClosed);
    assert_eq!(choice.uses.len(), 1);
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
    for seed in 0..sets() {
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
    let mut text = String::from("2 <= a0\n");
    for at in 0..300 {
        text += &format!("a{at} <= a{}\n", at + 1);
    }
    let refusal = solver(&(text + "3 <= a300\na300 = 5"))
        .solve()
        .expect_err("3 is not below 5");
    assert_eq!((refusal.chain.len(), refusal.minimal), (2, true));
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

/// How many sets; `LOZENGE_SETS` asks for more.
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
