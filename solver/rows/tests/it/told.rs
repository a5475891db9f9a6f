//! Parts of an answer: whether a row is settled, in which order values come, and how a refusal reads.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::rc::Rc;

use lozenge_solver::{
    Cited, Decider, Involved, Known, Limits, Options, PolicyStep, Problem, Refusal, Rule, Solver,
    Var, Verdict,
};

fn solved(text: &str) -> Solver {
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    solver.solve().expect("satisfiable");
    solver
}

/// A row is settled if its end, its marker and all its sizes are known.
#[test]
fn a_row_is_settled_if_nothing_of_it_is_open() {
    for (open, unplaced, unknown_sizes) in [
        (false, false, 0),
        (true, false, 0),
        (false, true, 0),
        (false, false, 1),
        (true, true, 0),
        (true, false, 2),
        (false, true, 2),
        (true, true, 2),
    ] {
        let known = Known {
            row: "[3]".parse().expect("a row"),
            open,
            unplaced,
            unknown_sizes,
        };
        let is_settled = (open, unplaced, unknown_sizes) == (false, false, 0);
        assert_eq!(known.is_settled(), is_settled, "{known:?}");
    }
}

/// All parts of a solved form together are the values of the solution.
#[test]
fn the_parts_of_a_solved_form_are_all_values() {
    let mut solver = solved("a = 3\n4 <= b\n<r> ~ [3, 5]\n<s> <= [2, c]\nd = b\n<t> <= <r>");
    for closed in [false, true] {
        if closed {
            solver.close().expect("it closes");
        }
        let form = solver.solution().solved_form();
        assert!(!form.forced.dims.is_empty() && !form.free.dims.is_empty());
        let ground = solver.solution().ground();
        assert_eq!(form.into_ground(), ground, "closed: {closed}");
        assert_eq!((ground.dims.len(), ground.rows.len()), (4, 3));
    }
}

/// `x2` comes before `x10`; a name that is no word with a number leaves the order as it is.
#[test]
fn numbered_variables_come_in_the_order_of_their_numbers() {
    let names = |text: &str| {
        let solver = solved(text);
        let solution = solver.solution();
        let mut values = solution.values();
        let are_numbered = (
            values.arrange_numbered_dims(),
            values.arrange_numbered_rows(),
        );
        let dims: Vec<String> = values.all_dim_names().map(String::from).collect();
        let rows: Vec<String> = values.all_row_names().map(String::from).collect();
        (are_numbered, dims.join(" "), rows.join(" "))
    };
    let numbered = "x10 = 3\nx2 = x1\nx3 = 4\n<r11> ~ [2]\n<r9> ~ <r10>";
    let expected = ("x1 x2 x3 x10".to_string(), "r9 r10 r11".to_string());
    assert_eq!(names(numbered), ((true, true), expected.0, expected.1));
    let (are_numbered, dims, rows) = names("x10 = 3\nwidth = x2\n<r2> ~ [2]\n<rest> ~ <r1>");
    assert_eq!(are_numbered, (false, false));
    for (all, expected) in [(dims, 3), (rows, 3)] {
        assert_eq!(all.split(' ').count(), expected, "{all}");
    }
}

#[test]
fn more_axes_come_outside_of_those_of_a_row() {
    let mut problem = Problem::new();
    let sizes: Vec<_> = (1..=6)
        .map(|size| problem.size(NonZeroU64::new(size).expect("not 0")))
        .collect();
    let inner = problem.row(&sizes[1..3], Some("r"), &sizes[3..5]);
    let inner = inner.expect("of this problem");
    let around = problem.around(&sizes[..1], inner, &sizes[5..]);
    let around = around.expect("of this problem");
    let name = problem.row(&[], Some("all"), &[]).expect("of this problem");
    problem.equal_rows(name, around).expect("of this problem");
    let stated = problem.constraint(0).expect("a constraint").to_string();
    assert_eq!(stated, "<all> ~ [1, 2, 3 <r> 4, 5, 6]");
}

#[test]
fn every_name_that_is_asked_for_is_new() {
    let mut problem = Problem::parse("<r> <= [a]\n<r'2> <= <r>").expect("the notation");
    let mut names: Vec<String> = Vec::new();
    for _ in 0..3 {
        let row = problem.fresh_row("r").expect("a name");
        let var = problem.variable(row).expect("of this problem");
        names.push(var.expect("a variable").name().to_string());
    }
    assert_eq!(names, ["r'1", "r'3", "r'4"]);
}

/// A commitment with what asked for it, and a refusal after several of them.
#[test]
fn a_refusal_reads_from_the_verdict_to_the_variables() {
    let cited = |index: usize, text: &str| Cited {
        index,
        text: text.into(),
        line: Some(index + 1),
        span: None,
        label: None,
    };
    let step = |text: &str, because: Vec<Cited>| PolicyStep {
        rule: Rule::CloseLeaf,
        text: text.into(),
        because,
    };
    let (one, two) = (cited(0, "a <= b"), cited(1, "b = 3"));
    assert_eq!(step("a = 3", vec![]).to_string(), "a = 3 (close_leaf)");
    assert_eq!(
        step("a = 3", vec![one.clone(), two.clone()]).to_string(),
        format!("a = 3 (close_leaf) because of {one}, {two}")
    );
    let mut refusal = Refusal {
        verdict: Verdict::Rejected,
        rule: Rule::CloseLeaf,
        message: "3 and 4 differ".into(),
        chain: vec![two.clone()],
        minimal: true,
        policy: Some(step("a = 3", vec![])),
        commitments: vec![step("a = 3", vec![]), step("a = 4", vec![one.clone()])],
        variables: vec![
            Involved {
                var: "a".parse::<Var>().expect("a name"),
                purpose: "parameter".into(),
            },
            Involved {
                var: "b".parse::<Var>().expect("a name"),
                purpose: "interior".into(),
            },
        ],
        proposed: vec![],
    };
    let head = format!("rejected: 3 and 4 differ (close_leaf)\n  {two}\n");
    let steps =
        format!("  after a = 3 (close_leaf)\n  after a = 4 (close_leaf) because of {one}\n");
    assert_eq!(
        refusal.to_string(),
        format!("{head}{steps}  a: parameter\n")
    );
    refusal.commitments.pop();
    let step = "  after a choice of policy: a = 3 (close_leaf)\n";
    assert_eq!(refusal.to_string(), format!("{head}{step}  a: parameter\n"));
}

#[test]
fn a_decider_tells_its_options() {
    let limits = Limits {
        branches: 7,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let decider = Decider::with(Problem::new(), options);
    assert_eq!(*decider.options(), options);
}

#[test]
fn a_solved_form_lists_what_policy_chose() {
    let mut solver = solved("<r> ~ [2, 3]\n<s> <= <r>\nleaf <s>");
    solver.close().expect("satisfiable");
    let solution = solver.solution();
    let listed = solution.solved_form().choices;
    assert!(!listed.is_empty());
    let texts = |steps: Vec<lozenge_solver::PolicyStep>| -> Vec<String> {
        steps.into_iter().map(|step| step.text).collect()
    };
    assert_eq!(texts(listed), texts(solution.policy_steps(20)));
}

/// Rows of one value have one text: all of them those of up to 16 axes, while there are no more than 1024 different
/// ones, and of the others those that are told one after the other.
#[test]
fn rows_of_one_value_share_its_text() {
    let long = |axes: usize| vec!["2"; axes].join(", ");
    let closed = |name: &str, axes: &str| format!("<{name}> ~ [{axes}]\n");
    let mut text = [
        ("a", 3),
        ("b", 3),
        ("c", 16),
        ("d", 16),
        ("e", 17),
        ("f", 17),
    ]
    .map(|(name, axes)| closed(name, &long(axes)))
    .concat();
    for at in 0..1030 {
        text += &closed(&format!("r{at}"), &(at + 2).to_string());
    }
    // The values of the last rows are not among the first 1024.
    text += &closed("x", "1030");
    text += &closed("y", "1031");
    text += &closed("z", "1030");
    let solver = solved(&text);
    let solution = solver.solution();
    let values = solution.values();
    let rows = || -> BTreeMap<String, Rc<str>> {
        let rows = values.rows();
        rows.map(|(name, text)| (name.to_string(), text)).collect()
    };
    let (once, again) = (rows(), rows());
    let is_one = |one: &Rc<str>, other: &Rc<str>| Rc::ptr_eq(one, other);
    assert!(is_one(&once["a"], &once["b"]) && is_one(&once["c"], &once["d"]));
    assert!(is_one(&once["a"], &again["a"]) && is_one(&once["c"], &again["d"]));
    assert_eq!(once["e"], once["f"]);
    assert!(!is_one(&once["e"], &once["f"]) && !is_one(&once["e"], &again["e"]));
    assert!(is_one(&once["x"], &once["z"]) && !is_one(&once["x"], &again["x"]));
    assert!(is_one(&once["r5"], &again["r5"]));
}
