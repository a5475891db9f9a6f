//! §8: variables that may be 0.

use lozenge_solver::{ConstraintSet, DimVar, Order, Problem, Rule, Solver, Standing, Var, Verdict};

fn set(text: &str) -> ConstraintSet {
    text.parse().expect("in the notation")
}

/// Returns the verdicts of policy mode and of complete mode; solutions are checked.
fn verdicts(text: &str) -> [Verdict; 2] {
    let set = set(text);
    let mut solver = Solver::new(Problem::from(&set));
    let decision = solver.decide();
    let policy = solver.verdict();
    let found = (policy == Verdict::Sat).then(|| solver.solution().ground());
    for ground in decision.solution.iter().chain(&found) {
        assert!(ground.has_zeros_of(&set), "{text}\n{ground}");
        let violated = ground.first_violated(&set.constraints, Order::Marked);
        assert_eq!(violated, None, "{text}\n{ground}");
    }
    [policy, decision.verdict]
}

#[test]
fn an_axis_is_not_longer_than_itself_where_the_rest_may_be_zero() {
    let cycle = "a = b ^ c\nb = a ^ d";
    let unsat = [Verdict::Unsat; 2];
    assert_eq!(verdicts(cycle), unsat);
    assert_eq!(verdicts(&format!("{cycle}\nsummand d")), unsat);
    assert_eq!(
        verdicts(&format!("{cycle}\nsummand c, d")),
        [Verdict::Sat; 2]
    );
    for other in [
        "c = x ^ y",
        "n = c * 3",
        "i = o + c",
        "<r> ~ [c]",
        "c >= 1",
        "c <= 1_",
        "c = e",
    ] {
        assert_eq!(
            verdicts(&format!("{cycle}\n{other}\nsummand c, d")),
            unsat,
            "{other}"
        );
    }
    assert_eq!(
        verdicts(&format!("{cycle}\nc <= d\nsummand c, d")),
        [Verdict::Sat; 2]
    );
}

/// W14 and W16.
#[test]
fn closing_takes_a_zero_that_is_forced_and_guesses_none() {
    let close = |text: &str| {
        let mut solver = Solver::new(Problem::from(&set(text)));
        match solver.close() {
            Ok(()) => solver.solution().ground().to_string(),
            Err(refusal) => format!("{} {}", refusal.verdict, refusal.rule),
        }
    };
    let refused = format!("rejected {}", Rule::CloseArith);
    let parts = "t = a ^ b ^ c\nt = 7\nsummand a, c";
    assert_eq!(verdicts(parts), [Verdict::Sat; 2]);
    assert_eq!(close(parts), refused);
    assert_eq!(
        close(&format!("{parts}\nb = 7")),
        "b = 7\nt = 7\na = 0\nc = 0\n"
    );
    assert_eq!(close("t = a ^ b\nt = 1\nsummand a, b"), refused);
    assert_eq!(
        close("t = a ^ b\nt = 5\n3 <= a\nsummand a, b"),
        "a = 3\nb = 2\nt = 5\n"
    );
}

#[test]
fn what_arrives_later_may_make_a_part_present_and_be_taken_back() {
    let problem = Problem::parse("t = a ^ b\nt = 7\na = 7\nsummand b").expect("in the notation");
    let mut solver = Solver::new(problem);
    assert_eq!(solver.verdict(), Verdict::Sat);
    assert!(solver.solution().is_zero("b"));
    assert_eq!(solver.solution().dim("b"), None);
    solver.snapshot();
    solver.add(&"b >= 1".parse().expect("a constraint"));
    let refusal = solver.solve().expect_err("b has no room");
    assert_eq!(refusal.verdict, Verdict::Unsat);
    assert!(solver.rollback());
    assert!(solver.solution().is_zero("b"));
    assert_eq!(solver.verdict(), Verdict::Sat);
    // A declaration is taken back as well.
    let mut later = Solver::new(Problem::from(&set("t = a ^ b\nt = 7\na = 7")));
    later.snapshot();
    later.problem_mut().summand(&DimVar::new("b"));
    assert_eq!(later.verdict(), Verdict::Sat);
    assert!(later.rollback());
    assert_eq!(later.verdict(), Verdict::Unsat);
}

#[test]
fn a_refutation_by_cases_cites_what_has_no_solution() {
    let text = "x = 2\nt = a ^ b\nt = 7\na = 9\nb = c\nsummand b, c";
    let given = set(text);
    let refusal = Solver::new(Problem::from(&given))
        .solve()
        .expect_err("9 is more than 7");
    assert_eq!(refusal.verdict, Verdict::Unsat);
    let cited: Vec<usize> = refusal.chain.iter().map(|cited| cited.index).collect();
    assert!(!cited.contains(&0), "{refusal}");
    assert!(
        refusal.chain.iter().any(|cited| cited.text == "t = a ^ b"),
        "{refusal}"
    );
    let part = ConstraintSet {
        constraints: cited
            .iter()
            .map(|at| given.constraints[*at].clone())
            .collect(),
        ..given.clone()
    };
    assert_eq!(
        Solver::new(Problem::from(&part)).decide().verdict,
        Verdict::Unsat
    );
    let (decision, certificate) = Solver::new(Problem::from(&given)).certify();
    assert_eq!((decision.verdict, certificate), (Verdict::Unsat, None));
}

#[test]
fn too_many_independent_parts_are_a_limit() {
    let names: Vec<String> = (0..11).map(|at| format!("p{at}")).collect();
    let parts = names.join(" ^ ");
    let text = format!("t = {parts} ^ s\nsummand {}", names.join(", "));
    // A part that occurs once is whatever the others leave, and needs no case of its own.
    assert_eq!(verdicts(&text), [Verdict::Sat; 2]);
    let twice = format!("{text}\nu = {parts} ^ v");
    assert_eq!(verdicts(&twice), [Verdict::Unknown; 2]);
}

#[test]
fn a_chain_of_rests_is_solved_step_by_step() {
    let mut text = "x0 = 1000\n".to_string();
    for at in 0..400 {
        let next = at + 1;
        let size = 1000 - (at / 2 + 1) * 2;
        text += &format!("x{at} = r{at} ^ x{next}\nsummand r{at}\nx{next} = {size}\n");
    }
    let mut solver = Solver::new(Problem::parse(&text).expect("in the notation"));
    solver.close().expect("every size is known");
    let solution = solver.solution();
    assert_eq!(solution.dim("r0").map(|dim| dim.size()), Some(2));
    assert!(solution.is_zero("r1"));
    assert_eq!(solution.dim("x400").map(|dim| dim.size()), Some(600));
}

#[test]
fn a_value_is_called_forced_only_where_no_other_case_has_a_solution() {
    let forced = |text: &str| {
        let mut solver = Solver::new(Problem::from(&set(text)));
        solver.solve().expect("a solution");
        solver.solution().solved_form().forced.to_string()
    };
    let parts = "t = a ^ b ^ c\nt = 7\na = 6\nsummand b, c";
    assert_eq!(forced(parts), "a = 6\nt = 7\n");
    assert_eq!(forced(&format!("{parts}\nu = b ^ c ^ d")), "");
    assert_eq!(
        forced(&format!("{parts}\nb = 1")),
        "a = 6\nb = 1\nt = 7\nc = 0\n"
    );
}

/// The same of one variable: here a is 2 only where e and f are not 0.
#[test]
fn what_one_choice_of_zeros_forces_does_not_stand_as_forced() {
    let text = "a = b ^ e\nc = d ^ g\nd = a ^ h\ng = 1\nc = 3\ne = f\nsummand e, f, h";
    let mut solver = Solver::new(Problem::from(&set(text)));
    solver.solve().expect("a solution");
    solver.conclude_sizes();
    let solution = solver.solution();
    assert!(!solution.is_greatest());
    for var in set(text).vars() {
        assert_ne!(solution.standing(&var), Some(Standing::Forced), "{var}");
    }
}

/// Solving concludes what one constraint forces; what all force together is concluded where values are told.
#[test]
fn sizes_that_only_all_constraints_force_are_forced_once_they_are_concluded() {
    let forced = |text: &str, concluded: bool| {
        let mut solver = Solver::new(Problem::from(&set(&text.replace("; ", "\n"))));
        solver.solve().expect("a solution");
        if concluded {
            solver.conclude_sizes();
        }
        solver.solution().solved_form().forced.to_string()
    };
    for (text, found) in [
        (
            "a = b ^ c ^ d; a = 7_x; b = 7_x; summand c, d",
            "c = 0\nd = 0\n",
        ),
        (
            "t = a ^ b; u = b ^ a ^ a; t = 5_x; u = 7_x",
            "a = 2_x\nb = 3_x\n",
        ),
        // By cases: b and c are parts twice, and nothing but one choice of zeros has a solution.
        (
            "t = b ^ c ^ d; u = b ^ c ^ e; t = 2; d = 2; u = f ^ f; u = v ^ f; v = 3; summand b, c",
            "f = 3\n",
        ),
    ] {
        let (before, after) = (forced(text, false), forced(text, true));
        for line in found.lines() {
            assert!(!before.contains(line), "{text}\n{before}");
            assert!(after.contains(line), "{text}\n{after}");
        }
    }
    // Nothing is guessed, and what is open stays so.
    for text in [
        "t = a ^ b; t = 5",
        "n = a * b; n = 12",
        "t = a ^ b ^ c; t = 7; summand a, c",
    ] {
        assert_eq!(forced(text, true), forced(text, false), "{text}");
    }
}

#[test]
fn what_is_concluded_is_taken_back_with_the_rest() {
    let problem = Problem::parse("t = a ^ b\nu = b ^ a ^ a").expect("in the notation");
    let mut solver = Solver::new(problem);
    solver.solve().expect("a solution");
    solver.snapshot();
    solver.add(&"t = 5".parse().expect("a constraint"));
    solver.add(&"u = 7".parse().expect("a constraint"));
    solver.solve().expect("a solution");
    solver.conclude_sizes();
    assert!(
        solver
            .solution()
            .solved_form()
            .forced
            .dims
            .contains_key(&DimVar::new("a"))
    );
    // A constraint that is added later counts after it, too.
    solver.snapshot();
    solver.add(&"b >= 4".parse().expect("a constraint"));
    assert_eq!(solver.verdict(), Verdict::Unsat);
    assert!(solver.rollback());
    assert!(solver.rollback());
    assert!(solver.solution().solved_form().forced.dims.is_empty());
    assert_eq!(solver.verdict(), Verdict::Sat);
}

#[test]
fn a_zero_is_derived_and_stands() {
    let told = |text: &str| {
        let mut solver = Solver::new(Problem::parse(text).expect("in the notation"));
        solver.solve().expect("a solution");
        let a = Var::Dim(DimVar::new("a"));
        let derivation = solver.explain(&a).expect("it is mentioned").to_string();
        (derivation, solver.solution().standing(&a))
    };
    let (derivation, standing) = told("t = a ^ b\nt = 5\nb = 5\nsummand a");
    assert!(derivation.starts_with("a = 0 (interior)\n"), "{derivation}");
    assert!(derivation.contains("the size of a is 0"), "{derivation}");
    assert!(derivation.contains("5. a = 0 "), "{derivation}");
    assert_eq!(standing, Some(Standing::Forced));
    // By cases.
    let (derivation, standing) = told("t = a ^ b\nt = 5\nb = 5\nu = a ^ c\nu = 5\nsummand a");
    assert!(derivation.starts_with("a = 0 (interior)\n"), "{derivation}");
    assert_eq!(standing, Some(Standing::Forced));
    // More cells than there are.
    let refusal = Solver::new(Problem::from(&set("t = a ^ b\nt = 5\nb = 7\nsummand a")))
        .solve()
        .expect_err("7 is more than 5");
    assert_eq!(
        refusal.message,
        "parts of 7 cells are more than an axis of 5"
    );
    assert!(refusal.minimal);
}

/// Shows that an open size stays open, and that sizes which would do are proposed.
#[test]
fn a_refusal_proposes_what_can_be_stated() {
    let refused = |text: &str| {
        let mut solver = Solver::new(Problem::parse(text).expect("in the notation"));
        solver.close().expect_err("a size is open").message
    };
    let open = refused("t = a ^ b\nt = 5\nsummand a");
    let proposed = open.split('`').nth(1).expect("a proposal");
    let stated = format!("t = a ^ b\nt = 5\nsummand a\n{proposed}");
    let mut solver = Solver::new(Problem::parse(&stated).expect("in the notation"));
    assert!(solver.close().is_ok(), "{open}");
}

/// One case of zeros is refuted, the other one closing does not reach, although it has a solution: that is no
/// refutation of both.
#[test]
fn a_case_that_policy_rejects_is_not_refuted() {
    let refuted_unless_zero = "t = b ^ c\nb = d\nc = 4\nt = 4\nsummand b, d\n";
    let rows = "[3 <r>] ~ [<s> 5]\n[3, 4 <v>] ~ [<s> 6]";
    let text = format!("{refuted_unless_zero}{rows}");
    assert_eq!(verdicts(&text), [Verdict::Rejected, Verdict::Sat]);
}

/// g is 0 or 2, and b is 0 in any case.
#[test]
fn what_is_zero_in_one_case_only_is_named() {
    let text = "t = b ^ c\nb = d\nc = 4\nt = 4\nv = e ^ g ^ g\nv = 5\n5 = e * k\nsummand b, d, g";
    let refusal = Solver::new(Problem::from(&set(text)))
        .close()
        .expect_err("two cases close");
    let message = "nothing says whether g is 0 or how long it is";
    assert!(refusal.message.starts_with(message), "{refusal}");
    let cited: Vec<usize> = refusal.chain.iter().map(|cited| cited.index).collect();
    assert_eq!(cited, [4]);
}

/// A constraint that is stated twice says no more than once, so that its parts are still whatever the others leave.
#[test]
fn a_concatenation_that_is_stated_twice_is_one() {
    let names: Vec<String> = (0..11).map(|at| format!("p{at}")).collect();
    let parts = names.join(" ^ ");
    let once = format!("t = {parts} ^ s");
    let text = format!("{once}\n{once}\nsummand {}", names.join(", "));
    assert_eq!(verdicts(&text), [Verdict::Sat; 2]);
}

/// Shows that a constraint that arrives later may mention a part a second time, so that it is no longer whatever the
/// others leave. The answer is that to all at once.
#[test]
fn a_part_that_is_mentioned_again_is_asked_for_anew() {
    let bases = [
        "t = a ^ b\nt = 7\na = 7\nsummand b",
        "t = a ^ b\nt = 7\nsummand b",
        "t = a ^ b\nt = 7\nu = d ^ e\nsummand b, d",
    ];
    let later = [
        "u = b ^ c\nu = 3",
        "b <= 1_",
        "<r> ~ [b]",
        "n = b * 3",
        "u = b ^ b ^ c\nu = 5",
        "v = b ^ d\nv = 9",
        "2 <= b",
    ];
    for (base, later) in bases
        .iter()
        .flat_map(|base| later.map(|later| (base, later)))
    {
        let told = |solver: &mut Solver| match solver.verdict() {
            Verdict::Sat => solver.solution().ground().to_string(),
            other => format!("{other:?}"),
        };
        let mut solver = Solver::new(Problem::parse(base).expect("the notation"));
        solver.solve().expect("satisfiable");
        solver.problem_mut().read(later).expect("the notation");
        let text = format!("{base}\n{later}");
        let mut anew = Solver::new(Problem::parse(&text).expect("the notation"));
        assert_eq!(told(&mut solver), told(&mut anew), "{text}");
    }
}
