//! Products with rows among their factors: `n = a * |<r>|`.

use lozenge_solver::{Decision, Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, DimVar, RowVar, Rule, Verdict};

fn problem(text: &str) -> Problem {
    Problem::parse(&text.replace("; ", "\n")).expect("the notation")
}

/// Returns the size of `n` once the set is closed.
fn closed(text: &str) -> Result<u64, Rule> {
    let mut solver = Solver::new(problem(text));
    solver.close().map_err(|refusal| refusal.rule)?;
    let ground = solver.solution().ground();
    Ok(ground.dims[&DimVar::new("n")].size())
}

#[test]
fn a_known_row_counts_all_its_axes() {
    assert_eq!(closed("n = |<r>|; <r> ~ [2, 3, 4]"), Ok(24));
    assert_eq!(closed("n = |[]|"), Ok(1));
    assert_eq!(closed("24 = n * |[2, 3]|"), Ok(4));
    // No size is three times itself, whatever else is said.
    let thrice = closed("n = |[n <r> 3]|; <r> ~ [1_]; n = 5");
    assert_eq!(thrice, Err(Rule::ArResidue));
    assert_eq!(closed("12 = |<r>|; <r> ~ [3, n]"), Ok(4));
    assert_eq!(closed("12 = |<r>|; <r> ~ [5, n]"), Err(Rule::PrFactor));
}

#[test]
fn an_open_row_says_what_its_known_factors_say() {
    let verdict = |text: &str| Solver::new(problem(text)).verdict();
    assert_eq!(verdict("32 = 5 * |[2 <r> 3]|"), Verdict::Unsat);
    assert_eq!(verdict("60 = 5 * |[2 <r> 3]|"), Verdict::Unknown);
    assert_eq!(verdict("30 = 5 * |[2 <r> 3]|"), Verdict::Sat);
    assert_eq!(verdict("1_ = |<r>|"), Verdict::Unsat);
}

/// Whatever the number of its axes: each is the axis below it or the unit.
#[test]
fn a_row_counts_a_divisor_of_what_a_row_below_it_counts() {
    for (text, expected) in [
        ("n = |<r>|; n = 12; [5] <= <r>", Verdict::Unsat),
        ("n = |<r>|; [5] <= <r>; n = 12", Verdict::Unsat),
        ("12 = |<r>|; [x] <= <r>; x = 5", Verdict::Unsat),
        ("12 = |<r>|; [5] <= <s>; <s> <= <r>", Verdict::Unsat),
        ("12 = |<r>|; [<s> 3] <= <r>; [5] <= <s>", Verdict::Unsat),
        ("12 = |[<r> 4]|; [5, 4] <= [<r> 4]", Verdict::Unsat),
        ("12 = 4_default * |<r>|; [5, 2] <= <r>", Verdict::Unsat),
        ("1 = |<r>|; [5] <= <r>", Verdict::Sat),
        // <r> is [5], which has more axes than are known of it.
        ("5 = |<r>|; [5] <= <r>", Verdict::Unknown),
        ("12 = 4_default * |<r>|; [5, 3] <= <r>", Verdict::Unknown),
        // 12 divides 36, and neither 1, 4, 9 nor 36 is 12: Z3 refutes it.
        ("12 = |<r>|; [4, 9] <= <r>", Verdict::Unknown),
    ] {
        let mut solver = Solver::new(problem(text));
        match solver.solve() {
            Ok(()) => assert_eq!(expected, Verdict::Sat, "{text}"),
            Err(refusal) => {
                assert_eq!(refusal.verdict, expected, "{text}");
                // Every constraint is needed.
                let all =
                    expected == Verdict::Unknown || refusal.chain.len() == solver.problem().len();
                assert!(all, "{text}: {refusal}");
            }
        }
        let complete = Solver::new(problem(text)).decide().verdict;
        if expected == Verdict::Unknown {
            assert_ne!(complete, Verdict::Unsat, "{text}");
        } else {
            assert_eq!(complete, expected, "{text}");
        }
    }
    // The same where the row below is stated later.
    let mut solver = Solver::new(problem("12 = |<r>|"));
    solver.solve_so_far().expect("nothing is refuted");
    let more: ConstraintSet = "[5] <= <r>".parse().expect("the notation");
    more.constraints.iter().for_each(|one| solver.add(one));
    assert_eq!(solver.verdict(), Verdict::Unsat);
}

#[test]
fn an_open_row_is_closed_at_its_top_and_nothing_is_guessed() {
    assert_eq!(closed("n = |<r>|; <r> <= [3, 4]"), Ok(12));
    assert_eq!(closed("n = |<r>|; n = 24"), Err(Rule::PrWhole));
    // The leaf's size is that of the product.
    assert_eq!(closed("m = |<r>|; <r> <= [3, 4]; m <= n; leaf n"), Ok(12));
}

#[test]
fn complete_mode_finds_one_more_axis() {
    let decided = |text: &str| Solver::new(problem(text)).decide();
    let decision = decided("n = |<r>|; n = 24");
    assert_eq!(decision.verdict, Verdict::Sat);
    assert_eq!(decision.solution.expect("a solution").rows.len(), 1);
    assert_eq!(
        decided("n = |<r>|; n = 24; <r> ~ [5, x]").verdict,
        Verdict::Unsat
    );
    // 24 is no square.
    assert_eq!(
        decided("n = |<r>|; n = 24; <r> ~ [a, b]; a = b").verdict,
        Verdict::Unsat
    );
}

#[test]
fn complete_mode_looks_for_as_many_axes_as_the_elements_allow() {
    let decided = |text: &str| Solver::new(problem(text)).decide();
    // Such a row is [2, 3] some number of times.
    let repeated = |elements: u64| {
        decided(&format!(
            "{elements} = |<r>|; x = 2; y = 3; [x, y <r>] ~ [<r> x, y]"
        ))
    };
    let rank =
        |decision: Decision| decision.solution.expect("a solution").rows[&RowVar::new("r")].rank();
    assert_eq!(rank(repeated(36)), 4);
    assert_eq!(rank(repeated(6u64.pow(7))), 14);
    // 12 is no power of 6. That is not known: no length is excluded.
    let none = repeated(12);
    assert_eq!(none.verdict, Verdict::Unknown);
    assert!(
        none.limit
            .expect("a limit")
            .contains("the elements of <r> are counted")
    );
    // Two rows of which one is longer than the other.
    let two = decided("36 = |<r>|; 8 = |<s>|; [2, 3 <r>] ~ [<r> 2, 3]; [2 <s>] ~ [<s> 2]");
    assert_eq!(two.verdict, Verdict::Sat);
}

#[test]
fn a_rollback_opens_the_row_again() {
    let mut solver = Solver::new(problem("n = |<r>|; <r> <= [3, 4]"));
    solver.solve().expect("solved");
    solver.snapshot();
    solver.add(&"<r> ~ [3, 4]".parse().expect("a constraint"));
    solver.solve().expect("solved");
    assert!(solver.rollback());
    solver.add(&"<r> ~ [2, 3, 4]".parse().expect("a constraint"));
    solver.close().expect("closed");
    let ground = solver.solution().ground();
    assert_eq!(ground.dims[&DimVar::new("n")].size(), 24);
}

/// Shows that a row that solving makes up for the middle of another one is told under a name of the reader.
#[test]
fn what_closing_gives_a_counted_row_is_told_of_a_row_that_is_written() {
    let text = "n = |<r>|\nn = 30\n<r> ~ [5 <s>]\n<s> <= [3, 2]";
    let mut solver = Solver::new(Problem::parse(text).expect("in the notation"));
    solver.close().expect("it closes");
    let solution = solver.solution();
    let steps = solution.policy_steps(100);
    let steps = steps.iter().map(|step| step.text.clone());
    let vars = ["<r>", "<s>", "n"].map(|var| var.parse().expect("a variable"));
    let derivations = vars.iter().filter_map(|var| solver.explain(var));
    let derived = derivations.flat_map(|derivation| derivation.steps);
    let told: Vec<String> = steps.chain(derived.map(|step| step.text)).collect();
    let closed = "<s> = [3, 2], to which closing commits it";
    assert!(told.iter().any(|text| text == closed), "{told:#?}");
    assert!(told.iter().all(|text| !text.contains('\'')), "{told:#?}");
}
