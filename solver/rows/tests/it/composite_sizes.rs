//! Concatenations and products: what follows from them, what is left open, and what is refused.

use lozenge_solver::{Options, Problem, Refusal, Solver};
use lozenge_vocabulary::{ConstraintSet, DimVar, Order, Rule, Verdict};

fn set(text: &str) -> ConstraintSet {
    let text = text.replace("; ", "\n");
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn solver(text: &str) -> Solver {
    Solver::new(Problem::from(&set(text)))
}

/// Returns the verdict of both modes, which has to be the same; solutions are checked.
fn verdict(text: &str) -> Verdict {
    let set = set(text);
    let mut solver = solver(text);
    let policy = solver.verdict();
    let decision = solver.decide();
    assert_eq!(policy, decision.verdict, "{text}");
    if policy == Verdict::Sat {
        for ground in decision
            .solution
            .into_iter()
            .chain([solver.solution().ground()])
        {
            let violated = ground.first_violated(&set.constraints, Order::Marked);
            assert_eq!(violated, None, "{text}\n{ground}");
        }
    }
    policy
}

/// Returns the refusal of a problem that is closed.
fn refused(text: &str) -> Refusal {
    *solver(text).close().expect_err(text)
}

/// Returns the value of a variable after closing.
fn closed(text: &str, var: &str) -> String {
    let mut solver = solver(text);
    solver
        .close()
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    let ground = solver.solution().ground();
    ground.dims[&DimVar::new(var)].to_string()
}

#[test]
fn sizes_add_up_and_multiply() {
    assert_eq!(closed("t = a ^ b; a = 2; b = 3", "t"), "5");
    assert_eq!(closed("t = a ^ b ^ 3; t = 9; a = 2", "b"), "4");
    assert_eq!(closed("t = a ^ b; a = 2_px; b = 3_px", "t"), "5_px");
    assert_eq!(
        closed("t = a ^ b; a = 2_px; b >= 4; b <= c; c = 6_px", "t"),
        "8_px"
    );
    assert_eq!(closed("n = a * b; a = 2_px; b = 3", "n"), "6");
    assert_eq!(closed("n = a * b; n = 12_px; a = 4", "b"), "3");
    assert_eq!(closed("n = a * b * c; n = 24; a = 2; c = 1_", "b"), "12");
    // A10: the basis of a factor is open, and closes to the default one.
    assert_eq!(verdict("n = a * b; n = 12; a = 4"), Verdict::Sat);
}

#[test]
fn what_only_several_equations_force_is_found() {
    assert_eq!(closed("t = a ^ b; u = b ^ a ^ a; t = 5; u = 7", "a"), "2");
    assert_eq!(closed("n = a * b; t = a ^ b; n = 9; t = 6", "a"), "3");
    assert_eq!(closed("n = a * a; n = 49", "a"), "7");
    // A7, W7: parts are not paired.
    assert_eq!(
        verdict("t = a ^ b; t = c ^ d; a = 2; b = 3; c = 1; d = 4"),
        Verdict::Sat
    );
    // W18, of sums.
    assert_eq!(closed("t = a ^ b; 3 <= a; t = 5", "b"), "2");
}

#[test]
fn sizes_that_fit_nothing_are_refused() {
    for (text, rule, words) in [
        (
            "n = a * b; n = 12; a = 5",
            Rule::PrFactor,
            "12 is not 5 times anything (remainder 2)",
        ),
        (
            "n = a * b; n = 12; a = 4; b = 2",
            Rule::PrWhole,
            "12 is not 4 * 2, which is 8",
        ),
        (
            "t = a ^ b; t = 5; a = 5",
            Rule::CoPart,
            "no room for one more part beside 5",
        ),
        (
            "t = a ^ b; t = 5; a = 2; b = 2",
            Rule::CoWhole,
            "5 is not 2 ^ 2, which is 4",
        ),
        (
            "t = a ^ b; a = 1_",
            Rule::CoAtom,
            "1_ is no part of an axis",
        ),
        ("n = a * b; n = 1_", Rule::PrAtom, "1_ is no product"),
        (
            "t = a ^ b; a = 2_px; b = 2",
            Rule::CoBasis,
            "px and default",
        ),
        ("n = a * a; n = 12", Rule::ArResidue, "no sizes"),
        // A12, W22
        (
            "a = b ^ c; b = a ^ d",
            Rule::CoCycle,
            "is longer than itself",
        ),
        (
            "n = a * b; t = a ^ b; n = 9; t = 7",
            Rule::ArResidue,
            "no sizes",
        ),
    ] {
        let refusal = refused(text);
        assert_eq!(
            (refusal.verdict, refusal.rule),
            (Verdict::Unsat, rule),
            "{text}: {refusal}"
        );
        assert!(refusal.message.contains(words), "{text}: {refusal}");
        assert_eq!(verdict(text), Verdict::Unsat, "{text}");
    }
}

/// Shows that a size that is not forced is refused with sizes that, stated, are enough.
#[test]
fn no_size_is_guessed() {
    for text in [
        "t = a ^ b ^ c; t = 7",
        "n = a * b; n = 12",
        "n = a * b; a = 3",
    ] {
        assert_eq!(verdict(text), Verdict::Sat, "{text}");
        let refusal = refused(text);
        assert_eq!(
            (refusal.verdict, refusal.rule),
            (Verdict::Rejected, Rule::CloseArith),
            "{text}"
        );
        let proposed = refusal.message.split('`').skip(1).step_by(2);
        let proposed: Vec<&str> = proposed.collect();
        assert!(!proposed.is_empty(), "{text}: {refusal}");
        let mended = format!("{text}; {}", proposed.join("; "));
        assert_eq!(solver(&mended).verdict(), Verdict::Sat, "{mended}");
    }
}

/// A product of sizes that nothing bounds is not decided, and that is said.
#[test]
fn sizes_too_large_for_64_bits_are_left_open() {
    let large = u64::MAX;
    let text = format!("n = a * b; a = {large}; b = {large}");
    assert_eq!(solver(&text).verdict(), Verdict::Unknown);
    let text = format!("t = a ^ b; a = {large}; b = {large}");
    assert_eq!(solver(&text).verdict(), Verdict::Unknown);
    // The factor can be stated, and the product has a size, but not in 64 bits: no other value may be shown in its
    // place.
    let mut squared = solver(&format!("y = x * x; x = {}", i64::MAX));
    assert_eq!(squared.verdict(), Verdict::Unknown);
    let limit = squared.decide().limit.expect("a limit");
    assert!(limit.contains("a number is too large"), "{limit}");
}

/// Each of many sizes is a question, and the limit on arithmetic bounds all of them: what is not found stays open, and
/// closing says so.
#[test]
fn the_questions_about_many_sizes_are_bounded_together() {
    let parts: Vec<String> = (0..40).map(|part| format!("a{part}")).collect();
    let text = format!("t = {}; t = 45; a0 = b ^ c", parts.join(" ^ "));
    let with = |size_work: u64| {
        let mut options = Options::default();
        options.limits.size_work = size_work;
        Solver::with(Problem::from(&set(&text)), options)
    };
    // Enough for the first question, and not for all of them.
    let mut few = with(20_000);
    few.solve().expect("satisfiable");
    let before = few.solution().solved_form().forced.to_string();
    few.conclude_sizes();
    assert_eq!(few.solution().solved_form().forced.to_string(), before);
    let refusal = few.close().expect_err("a limit");
    assert_eq!(refusal.verdict, Verdict::Unknown);
    assert!(refusal.message.contains("--size-work"), "{refusal}");
    let refusal = with(Options::default().limits.size_work).close();
    let refusal = refusal.expect_err("nothing says how long they are");
    assert_eq!(refusal.rule, Rule::CloseArith);
}

/// In both modes, and in closing too, a limit on arithmetic is no refusal, and says what raises it.
#[test]
fn a_limit_on_arithmetic_is_unknown_and_named() {
    let text = "n = a * b; n = 36; a >= 4; b >= 5; t = a ^ b; t = 13";
    let unknown = |size_work: u64| {
        let mut options = Options::default();
        options.limits.size_work = size_work;
        let mut solver = Solver::with(Problem::from(&set(text)), options);
        let decision = solver.decide();
        let refusal = solver.close().expect_err("a limit");
        assert_eq!(
            (refusal.verdict, decision.verdict),
            (Verdict::Unknown, Verdict::Unknown)
        );
        assert!(!refusal.chain.is_empty(), "it has a place");
        assert_eq!(decision.limit.as_ref(), Some(&refusal.message));
        refusal.message
    };
    let named = "the sizes are left open: the limit of 3 steps of arithmetic was reached; --size-work raises it";
    assert_eq!(unknown(3), named);
    assert_eq!(verdict(text), Verdict::Sat);
}

/// Shows that nothing is concluded from all constraints together of a set that is refused, and not where very many
/// sizes are open.
#[test]
fn sizes_are_concluded_where_the_set_is_solved_and_not_too_large() {
    let conclude = |text: &str| {
        let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
        let verdict = solver.verdict();
        let before = solver.statistics().inferences;
        solver.conclude_sizes();
        let more = solver.statistics().inferences - before;
        (verdict, more > 0)
    };
    let forced = "t = a ^ b\nu = b ^ a ^ a\nt = 5\nu = 7\n";
    assert_eq!(conclude(forced), (Verdict::Sat, true));
    assert_eq!(conclude(&format!("{forced}2 = 3")), (Verdict::Unsat, false));
    let others = |count: usize| {
        let others = (2..count).map(|at| format!("n{at} = p{at} * q{at}\n"));
        format!("{forced}{}", others.collect::<String>())
    };
    assert_eq!(conclude(&others(1024)), (Verdict::Sat, true));
    assert_eq!(conclude(&others(1025)), (Verdict::Sat, false));
    // Where no size is related to another one there is nothing to conclude.
    assert_eq!(conclude("a = 3\n<r> <= [a]"), (Verdict::Sat, false));
}
