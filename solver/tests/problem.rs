//! A problem holds what was stated: constraints, tags, purposes.

use lozenge::{Problem, Solver};
use lozenge_spec::{Constraint, ConstraintSet, Tag, Var, Verdict};

const TEXT: &str =
    "a = 3\n2_rgb <= b\n[a, 300 <r> 1_] ~ [3 <> 5]\n<s> <= [7 <r>]\nleaf a, <s>\nparam c";

fn var(text: &str) -> Var {
    text.parse().expect("a variable")
}

#[test]
fn what_is_read_is_what_is_held() {
    let set: ConstraintSet = TEXT.parse().expect("the notation");
    let problem = Problem::parse(TEXT).expect("the notation");
    assert_eq!(problem.to_set(), set);
    assert_eq!(Problem::from(&set).to_set(), set);
    assert_eq!((problem.len(), problem.is_empty()), (4, false));
    assert!(Problem::new().is_empty());
    let one: Constraint = problem.constraint(2);
    assert_eq!(one, set.constraints[2]);
    assert_eq!(&TEXT[problem.span(1).expect("of a text")], "2_rgb <= b");
}

#[test]
fn a_variable_has_one_tag() {
    let mut problem = Problem::parse(TEXT).expect("the notation");
    let tags = ["a", "b", "c", "unknown", "<s>", "<r>"].map(|name| problem.tag(&var(name)));
    use Tag::{Interior, Leaf, Param};
    assert_eq!(tags, [Leaf, Interior, Param, Interior, Leaf, Interior]);
    // To say it again changes nothing; to say something else is refused, and changes nothing either.
    assert_eq!(problem.declare(&var("<s>"), Leaf), Ok(()));
    assert_eq!(problem.declare(&var("<s>"), Param), Err(Leaf));
    assert_eq!(problem.tag(&var("<s>")), Leaf);
}

#[test]
fn what_a_variable_is_for_is_what_was_said_or_its_tag() {
    let mut problem = Problem::parse(TEXT).expect("the notation");
    problem.purpose(&var("a"), "the number of channels");
    let purposes = ["a", "b", "<s>"].map(|name| problem.purpose_of(&var(name)).to_string());
    assert_eq!(purposes, ["the number of channels", "interior", "leaf"]);
}

fn value(solver: &mut Solver, name: &str) -> String {
    solver.solve().expect("satisfiable");
    solver.solution().dim(name).expect("known").to_string()
}

fn add(solver: &mut Solver, text: &str) {
    solver.add(&text.parse().expect("a constraint"));
}

#[test]
fn what_is_kept_stays_and_belongs_to_the_snapshot_before() {
    let mut solver = Solver::new(Problem::parse("a <= b\n<r> <= [b <s>]").expect("the notation"));
    solver.solve().expect("satisfiable");
    solver.snapshot();
    solver.snapshot();
    add(&mut solver, "b = 3");
    add(&mut solver, "[2] ~ <s>");
    assert_eq!(value(&mut solver, "a"), "3");
    solver.keep();
    assert_eq!(value(&mut solver, "a"), "3", "kept");
    assert_eq!(solver.solution().rank("r"), Some(2));
    assert!(solver.rollback(), "to the first snapshot");
    assert_eq!(value(&mut solver, "a"), "1_");
    assert_eq!(solver.solution().rank("r"), Some(1));
    assert!(!solver.rollback(), "there is none left");
    // Without a snapshot before it, what is kept cannot be taken back.
    solver.snapshot();
    add(&mut solver, "b = 5");
    solver.keep();
    assert!(!solver.rollback());
    add(&mut solver, "a = 3");
    assert_eq!(solver.verdict(), Verdict::Unsat);
}

#[test]
fn rollbacks_leave_nothing_behind() {
    let mut solver = Solver::new(Problem::parse("3 <= a\n<r> <= [a <s>]").expect("the notation"));
    let mut bytes = Vec::new();
    for _ in 0..300 {
        solver.snapshot();
        add(&mut solver, "<s> <= [5, 6, 7 <t>]");
        add(&mut solver, "[b, c, d <u>] ~ <t>");
        add(&mut solver, "b <= 3");
        solver.solve().expect("satisfiable");
        assert!(solver.rollback());
        bytes.push(solver.statistics().bytes + solver.problem().bytes());
    }
    assert_eq!(bytes[10], bytes[299], "{} at first", bytes[0]);
}
