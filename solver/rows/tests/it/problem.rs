//! A problem holds what was stated: constraints, tags, purposes.

use lozenge_solver::{Limits, Options, Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet, Tag, Var, Verdict};

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
    let one: Constraint = problem.constraint(2).expect("there are more");
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
    add(&mut solver, "b = 5");
    add(&mut solver, "<s> <= [7 <>]");
    assert_eq!(value(&mut solver, "b"), "5");
    assert_eq!(solver.solution().rank("r"), Some(2));
    solver.snapshot();
    add(&mut solver, "c = 3");
    add(&mut solver, "[2, 2] ~ <t>");
    assert_eq!(value(&mut solver, "c"), "3");
    solver.keep();
    assert_eq!(value(&mut solver, "c"), "3", "kept");
    assert_eq!(solver.solution().rank("t"), Some(2));
    assert!(solver.rollback(), "to the first snapshot");
    assert_eq!(value(&mut solver, "b"), "1_");
    assert_eq!(solver.solution().rank("r"), Some(1));
    assert_eq!(solver.solution().rank("t"), None);
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

/// With a snapshot inside that is kept: what it remembers belongs to the one around it.
#[test]
fn rollbacks_and_kept_snapshots_leave_nothing_behind() {
    let mut solver = Solver::new(Problem::parse("3 <= a\n<r> <= [a <s>]").expect("the notation"));
    let mut bytes = Vec::new();
    for _ in 0..300 {
        solver.snapshot();
        add(&mut solver, "<s> <= [5, 6, 7 <t>]");
        add(&mut solver, "[b, c, d <u>] ~ <t>");
        solver.solve().expect("satisfiable");
        solver.snapshot();
        add(&mut solver, "b <= 3");
        solver.solve().expect("satisfiable");
        solver.keep();
        assert!(solver.rollback());
        bytes.push(solver.statistics().bytes + solver.problem().bytes());
    }
    assert_eq!(bytes[10], bytes[299], "{} at first", bytes[0]);
}

#[test]
fn a_solver_tells_what_it_has_been_given_and_what_it_did() {
    let options = Options {
        limits: Limits {
            branches: 7,
            rank: 9,
            ..Limits::default()
        },
        ..Options::default()
    };
    let problem =
        Problem::parse("<r> ~ [3, 5]\n<r> <= <s>\n[3 <t>] ~ [<u> 3]").expect("the notation");
    let mut solver = Solver::with(problem, options);
    assert_eq!(*solver.options(), options);
    assert_eq!((solver.problem().len(), solver.refusal()), (3, None));
    solver.solve().expect("satisfiable");
    let did = solver.statistics();
    assert_eq!((did.placements, did.resolutions), (1, 1));
    assert!(did.bytes > 0);
    add(&mut solver, "2 = 3");
    let refusal = solver.solve().expect_err("2 is not 3");
    assert_eq!(solver.refusal(), Some(&*refusal));
}

/// A flank may begin with axes that have been written and go on with axes that are looked up in the row above,
/// and again in the row above that.
#[test]
fn a_flank_is_read_where_its_axes_are() {
    let text = "[x <r>] <= [a, b <s>]\n<s> <= [c, d <>]";
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    solver.solve().expect("satisfiable");
    assert_eq!(solver.solution().rank("r"), Some(3));
    add(&mut solver, "<r> <= [e <>]");
    solver.solve().expect("satisfiable");
    for value in ["b = 3", "c = 4", "d = 5"] {
        add(&mut solver, value);
    }
    solver.solve().expect("satisfiable");
    let rows = ["r", "s"].map(|name| solver.solution().row(name).expect("known").to_string());
    assert_eq!(rows, ["[3, 4, 5 <>]", "[4, 5 <>]"]);
}

#[test]
fn a_rank_is_the_number_of_axes_of_the_value() {
    let text =
        "<r> ~ [3, 4, 5 <> 6, 7]\n<s> ~ [8, 9 <r> 8, 9, 8]\n<t> <= [2 <s> 2, 2]\n[2 <r>] <= <u>";
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    for solved in [false, true] {
        if solved {
            solver.solve().expect("satisfiable");
        }
        let solution = solver.solution();
        let ranks = ["r", "s", "t", "u"].map(|name| {
            let rank = solution.row(name).expect("known").rank() as u64;
            assert_eq!(solution.rank(name), Some(rank), "{name}");
            rank
        });
        assert_eq!(solution.total_rank(), ranks.iter().sum::<u64>());
        assert_eq!(if solved { [5, 10, 13, 0] } else { [0; 4] }, ranks);
    }
}

/// Rows side by side are held as they were stated, although solving leaves them to the oracle.
#[test]
fn rows_side_by_side_are_held() {
    let stated = ["[2 <a> 3] ++ <b> ++ [4] ~ [2, 5, 3, 4]", "<c> ++ <d> ~ [7]"];
    let mut problem = Problem::new();
    for text in stated {
        problem.push(&text.parse().expect("a constraint"));
    }
    let held = problem.to_set().constraints;
    let held: Vec<String> = held.iter().map(ToString::to_string).collect();
    assert_eq!(held, stated);
}

/// A row variable that is made after the constraints were solved, and that none of them mentions.
#[test]
fn a_row_that_nothing_mentions_is_known() {
    let mut solver = Solver::new(Problem::parse("a = 3").expect("the notation"));
    solver.solve().expect("satisfiable");
    for name in ["r", "s"] {
        let row = solver.problem_mut().row(&[], Some(name), &[]);
        let row = row.expect("a name");
        solver.solve().expect("satisfiable");
        assert!(solver.known(row).is_ok());
        let value = solver.solution().row(name).map(|row| row.to_string());
        assert_eq!(value.as_deref(), Some("[]"));
    }
}
