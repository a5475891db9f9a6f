//! Guarantees on which a program that embeds the solver relies: references that know their problem, names that are
//! checked, labels, and what a solution rests on.

use std::num::NonZeroU64;

use lozenge_solver::{Order, Problem, ProblemError, Solver, Standing, Var};

fn size(size: u64) -> NonZeroU64 {
    NonZeroU64::new(size).expect("not 0")
}

fn var(text: &str) -> Var {
    text.parse().expect("a variable")
}

/// Returns the standing of the named variables after solving, with what only several relations force.
fn standings<const N: usize>(text: &str, names: [&str; N]) -> [Standing; N] {
    let mut solver = Solver::new(Problem::parse(text).unwrap());
    solver.solve().unwrap();
    solver.conclude_sizes();
    names.map(|name| solver.solution().standing(&var(name)).expect("mentioned"))
}

#[test]
fn a_forced_size_with_an_open_basis_is_told() {
    let set = "3 <= o\ni = o + k\ni = 5";
    let [o, k] = standings(set, ["o", "k"]);
    assert_eq!(o, Standing::Forced);
    let Standing::Free { atom, size, .. } = k else {
        panic!("{k:?}");
    };
    assert_eq!((atom, size.map(u64::from)), (None, Some(3)));
    // Where 4 is below it as well, its size may be 4 or 1, and is not forced.
    let [k] = standings("4 <= k\ni = o + k", ["k"]);
    assert!(matches!(k, Standing::Free { size: None, .. }), "{k:?}");
}

#[test]
fn a_product_that_counts_a_row_is_among_its_bounds() {
    let [r] = standings("n = a * |<r>|\nn = 12", ["<r>"]);
    let Standing::Free { bounds, .. } = r else {
        panic!("{r:?}");
    };
    let lines: Vec<_> = bounds.iter().map(|cited| cited.line).collect();
    assert_eq!(lines, [Some(1)]);
}

#[test]
fn a_foreign_reference_is_an_error() {
    let (mut one, mut other) = (Problem::new(), Problem::new());
    let (a, three) = (one.dim("a").expect("a name"), one.size(size(3)));
    let row = one.row(&[a], Some("r"), &[three]).expect("of one problem");
    let own = other.dim("a").expect("a name");
    assert_eq!(other.equal_dims(own, a), Err(ProblemError::Foreign));
    assert_eq!(other.below_dims(three, own), Err(ProblemError::Foreign));
    assert_eq!(other.row(&[a], None, &[]), Err(ProblemError::Foreign));
    assert_eq!(other.around(&[], row, &[]), Err(ProblemError::Foreign));
    assert_eq!(other.equal_rows(row, row), Err(ProblemError::Foreign));
    assert_eq!(other.variable(row), Err(ProblemError::Foreign));
    let stated = one.equal_dims(a, three).expect("of one problem");
    assert_eq!(other.label(stated, "there"), Err(ProblemError::Foreign));
    let solver = Solver::new(other);
    assert_eq!(solver.solution().value_of(a), Err(ProblemError::Foreign));
    assert_eq!(solver.solution().row_of(row), Err(ProblemError::Foreign));
    assert!(solver.problem().is_empty(), "nothing was added");
}

#[test]
fn a_copy_accepts_what_was_made_before_it_was_taken() {
    let mut first = Problem::new();
    let a = first.dim("a").expect("a name");
    let mut copy = first.clone();
    let (later, other) = (
        first.dim("later").expect("a name"),
        copy.dim("other").expect("a name"),
    );
    assert!(copy.equal_dims(a, other).is_ok());
    assert_eq!(copy.equal_dims(a, later), Err(ProblemError::Foreign));
    assert_eq!(first.equal_dims(a, other), Err(ProblemError::Foreign));
    let five = first.size(size(5));
    assert_eq!(copy.equal_dims(a, five), Err(ProblemError::Foreign));
}

#[test]
fn what_a_rollback_has_taken_back_is_foreign() {
    let mut solver = Solver::new(Problem::new());
    let kept = solver.problem_mut().dim("kept").expect("a name");
    solver.snapshot();
    let gone = solver.problem_mut().dim("gone").expect("a name");
    solver.rollback();
    let problem = solver.problem_mut();
    assert_eq!(problem.equal_dims(kept, gone), Err(ProblemError::Foreign));
    assert!(problem.equal_dims(kept, kept).is_ok());
}

#[test]
fn what_came_after_a_rollback_does_not_stand_for_what_it_took_back() {
    let mut solver = Solver::new(Problem::new());
    let kept = solver.problem_mut().dim("kept").expect("a name");
    let mut gone = Vec::new();
    for round in 0..3 {
        solver.snapshot();
        let problem = solver.problem_mut();
        // Another name with the number of the one before.
        let dim = problem.dim(&format!("a{round}")).expect("a name");
        let row = problem.row(&[dim], Some("r"), &[]).expect("its own");
        let stated = problem.equal_dims(dim, kept).expect("its own");
        for (dim, row, stated) in &gone {
            assert_eq!(problem.equal_dims(kept, *dim), Err(ProblemError::Foreign));
            assert_eq!(problem.variable(*row), Err(ProblemError::Foreign));
            assert_eq!(problem.label(*stated, "?"), Err(ProblemError::Foreign));
        }
        let mut copy = problem.clone();
        assert!(copy.equal_dims(dim, kept).is_ok());
        assert!(problem.equal_dims(dim, kept).is_ok());
        gone.push((dim, row, stated));
        assert!(solver.rollback());
        assert_eq!(copy.equal_dims(gone[0].0, kept).is_ok(), round == 0);
    }
    let mut copy = solver.problem().clone();
    assert!(copy.dim("b").is_ok() && copy.equal_dims(kept, kept).is_ok());
    for (dim, ..) in gone {
        assert_eq!(copy.equal_dims(kept, dim), Err(ProblemError::Foreign));
        assert_eq!(solver.solution().value_of(dim), Err(ProblemError::Foreign));
    }
    assert!(solver.problem_mut().equal_dims(kept, kept).is_ok());
}

#[test]
fn odd_names_are_refused() {
    let mut problem = Problem::new();
    for name in ["", "weird name \n <=", "<r>", "3", "a b", " a", "a\u{202e}"] {
        let refused = ProblemError::Name(name.to_string());
        assert_eq!(problem.dim(name), Err(refused.clone()));
        assert_eq!(problem.row(&[], Some(name), &[]), Err(refused.clone()));
        assert_eq!(problem.fresh_row(name), Err(refused.clone()));
        assert_eq!(problem.atom(size(2), name), Err(refused));
    }
    for name in ["a", "_", "x1", "größe", "a'2"] {
        assert!(problem.dim(name).is_ok(), "{name}");
    }
}

#[test]
fn fresh_variables_are_new() {
    let mut problem = Problem::parse("a = 3\n<r> <= [a]\n<r'1> <= <r>").expect("the notation");
    let fresh = problem.fresh_row("r").expect("a name");
    let name = problem
        .variable(fresh)
        .expect("of this problem")
        .expect("a variable");
    assert!(!["r", "r'1"].contains(&name.name()), "{name}");
    let dim = problem.fresh_dim("a").expect("a name");
    let four = problem.size(size(4));
    problem.equal_dims(dim, four).expect("of this problem");
    let around = problem
        .around(&[four], fresh, &[dim])
        .expect("of this problem");
    let closed = problem
        .row(&[], None, &[four, four, four])
        .expect("of this problem");
    problem.equal_rows(around, closed).expect("of this problem");
    let mut solver = Solver::new(problem);
    solver.solve().expect("satisfiable");
    let solution = solver.solution();
    assert_eq!(
        solution.row_of(fresh).expect("of this problem").to_string(),
        "[4]"
    );
    assert_eq!(solution.row_of(around).expect("of this problem").rank(), 3);
    assert_eq!(
        solution.value_of(dim).expect("of this problem").to_string(),
        "4"
    );
    assert_eq!(solution.dim("a").expect("mentioned").to_string(), "3");
}

#[test]
fn the_values_of_terms_satisfy_what_was_stated_of_them() {
    let mut problem = Problem::new();
    let (a, b) = (problem.dim("a").expect("a name"), problem.size(size(7)));
    let left = problem.row(&[a], Some("r"), &[b]).expect("of this problem");
    let right = problem.row(&[b, b], None, &[b]).expect("of this problem");
    problem.below_rows(left, right).expect("of this problem");
    let mut solver = Solver::new(problem);
    solver.close().expect("satisfiable");
    let [low, high] =
        [left, right].map(|row| solver.solution().row_of(row).expect("of this problem"));
    assert!(low.below(&high), "{low} {high}");
    let ground = solver.solution().ground();
    let set = solver.problem().to_set();
    assert_eq!(ground.first_violated(&set.constraints, Order::Marked), None);
}

#[test]
fn a_refusal_cites_labels_and_numbers() {
    let mut problem = Problem::new();
    let a = problem.dim("a").expect("a name");
    let [three, four] = [3, 4].map(|n| problem.size(size(n)));
    problem.below_dims(a, a).expect("of this problem");
    let first = problem.equal_dims(a, three).expect("of this problem");
    let second = problem.equal_dims(a, four).expect("of this problem");
    problem
        .label(first, "matmul at model.py:7")
        .expect("of this problem");
    let refusal = Solver::new(problem).solve().expect_err("3 is not 4");
    let cited: Vec<_> = refusal
        .chain
        .iter()
        .map(|cited| (cited.index, cited.label.as_deref()))
        .collect();
    assert_eq!(
        cited,
        [
            (first.index(), Some("matmul at model.py:7")),
            (second.index(), None)
        ]
    );
    assert!(refusal.to_string().contains("model.py:7"), "{refusal}");
}

#[test]
fn forced_chosen_and_free_are_three_things() {
    let text = "a = 3\n4 <= b\nb <= c\n<r> ~ [3, 5]\n<s> <= [2 <t>]\n<e> ~ []\n7 <= d\nleaf d";
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    solver.close().expect("satisfiable");
    let solution = solver.solution();
    let standing = |name: &str| solution.standing(&var(name)).expect("mentioned");
    assert_eq!(standing("a"), Standing::Forced);
    assert_eq!(standing("<e>"), Standing::Forced);
    let Standing::Free { atom, bounds, .. } = standing("b") else {
        panic!("{:?}", standing("b"));
    };
    assert_eq!(atom.map(|atom| atom.to_string()).as_deref(), Some("4"));
    assert_eq!(
        bounds
            .iter()
            .filter_map(|cited| cited.line)
            .collect::<Vec<_>>(),
        [2, 3]
    );
    let Standing::Free {
        at_least, bounds, ..
    } = standing("<s>")
    else {
        panic!("{:?}", standing("<s>"));
    };
    assert_eq!((at_least, bounds[0].line), ([1, 0], Some(5)));
    let Standing::Chosen { steps } = standing("<r>") else {
        panic!("{:?}", standing("<r>"));
    };
    assert!(steps[0].text.contains("marker of <r>"), "{}", steps[0].text);
    let Standing::Chosen { steps } = standing("d") else {
        panic!("{:?}", standing("d"));
    };
    assert_eq!(steps[0].because[0].line, Some(7));
    assert_eq!(solution.standing(&var("nobody")), None);
    assert_eq!(solution.policy_steps(10).len(), 2);
    assert_eq!(solution.policy_steps(1).len(), 1);
    // The same of all variables at once; the content of a row is apart from the place of its marker.
    let form = solution.solved_form();
    let shown = [form.forced, form.placed, form.chosen, form.free];
    let shown = shown.map(|part| part.to_string().trim().replace('\n', "; "));
    assert_eq!(
        shown,
        [
            "a = 3; <e> ~ []",
            "<r> ~ [3, 5]",
            "d = 7",
            "b = 1_; c = 1_; <s> ~ [2 <>]; <t> ~ []"
        ]
    );
}

/// `[3 <> 5]` solves the set as well, and neither solution is below the other (Prop. 6.4).
#[test]
fn a_solution_with_a_placed_marker_is_not_called_the_greatest() {
    for (text, greatest) in [
        ("<r> ~ [3, 5]", false),
        ("<r> ~ [3, 5]\n<r> <= <s>", false),
        ("<r> <= [3, 5]", true),
        ("<r> ~ []", true),
        ("a <= 3", true),
        ("<q> ~ <r>\n<r> ~ [3]", false),
    ] {
        let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
        solver.solve().expect("satisfiable");
        assert_eq!(solver.solution().is_greatest(), greatest, "{text}");
    }
}

/// 1 and 4 add up to 5, and so do 2 and 3: neither solution is below the other.
#[test]
fn a_solution_with_an_open_size_is_not_called_the_greatest() {
    for (text, greatest) in [
        ("t = a ^ b\nt = 5", false),
        ("t = a ^ b\nt = 5\na = 2", true),
        ("i = 2*o + k\ni = 7\nk = 3", true),
        // The basis of k is open.
        ("i = o + k\ni = 5\n3 <= o", false),
        ("n = |<r>|\n<r> ~ [2, 3]", false),
        ("t = a ^ b\nt = 1\nsummand a, b", false),
        ("a = b ^ c\na = 7\nb = 7\nsummand c", true),
        // 0 is not below 1_, and neither is 1_ below 0.
        ("a <= b\nsummand a, b", false),
        ("a <= b\n3 <= a\nsummand a, b", true),
        ("t = a ^ b ^ b\nt = 4\nb = 2\na <= c\nsummand a, c", true),
        (
            "t = a ^ b ^ b\nt = 5\nb = 2\na <= c\nc <= a\nsummand a, c",
            true,
        ),
        (
            "t = a ^ b ^ b\nt = 5\nb = 2\na <= c\nd <= e\nsummand a, c, d, e",
            false,
        ),
        ("a >= 4\nb <= 3", false),
    ] {
        let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
        solver.solve().expect("satisfiable");
        assert_eq!(solver.solution().is_greatest(), greatest, "{text}");
    }
}

/// A copy knows what was there when it was taken, with all axes of a row, and a size for ever.
#[test]
fn a_copy_does_not_accept_a_row_that_was_made_later() {
    let mut first = Problem::new();
    let [a, b] = ["a", "b"].map(|name| first.dim(name).expect("a name"));
    let before = first.row(&[a], Some("r"), &[b]).expect("of one problem");
    let bare = first.row(&[], Some("r"), &[]).expect("a name");
    let mut copy = first.clone();
    assert!(copy.equal_rows(before, bare).is_ok());
    // No variable is new in these, only axes are.
    for later in [
        first.row(&[], Some("r"), &[a]),
        first.row(&[a], Some("r"), &[b, a]),
        first.row(&[a, b], None, &[]),
    ] {
        let later = later.expect("of one problem");
        assert_eq!(copy.equal_rows(later, bare), Err(ProblemError::Foreign));
        assert!(first.equal_rows(later, bare).is_ok());
    }
    // No axis is new in this one, only the variable is.
    let variable = first.row(&[], Some("s"), &[]).expect("a name");
    assert_eq!(copy.equal_rows(variable, bare), Err(ProblemError::Foreign));
}

/// A copy of a copy knows what its ancestors had when they were copied, and nothing of what they got later.
#[test]
fn a_copy_of_a_copy_knows_its_ancestors() {
    let mut first = Problem::new();
    let a = first.dim("a").expect("a name");
    let mut second = first.clone();
    let b = second.dim("b").expect("a name");
    let mut third = second.clone();
    let late_of_first = first.dim("c").expect("a name");
    let late_of_second = second.dim("d").expect("a name");
    assert!(third.equal_dims(a, b).is_ok());
    for late in [late_of_first, late_of_second] {
        assert_eq!(third.equal_dims(a, late), Err(ProblemError::Foreign));
    }
    let other = Problem::new().dim("a").expect("a name");
    assert_eq!(third.equal_dims(a, other), Err(ProblemError::Foreign));
}

#[test]
fn a_size_that_was_written_before_a_rollback_stays() {
    let mut solver = Solver::new(Problem::parse("a = 3").expect("the notation"));
    let a = solver.problem_mut().dim("a").expect("a name");
    solver.snapshot();
    let five = solver.problem_mut().size(size(5));
    assert!(solver.rollback());
    assert!(solver.problem_mut().equal_dims(a, five).is_ok());
    let refusal = solver.solve().expect_err("3 is not 5");
    assert!(refusal.message.contains('5'), "{refusal}");
}
