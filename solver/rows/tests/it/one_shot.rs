//! The one-shot order (Rem. 2.15(ii)): the result is read by its flat content, wherever its marker stands.

use lozenge_solver::{Decision, Options, Problem, Refusal, Solver};
use lozenge_vocabulary::{Order, Verdict};

fn one_shot(text: &str) -> Solver {
    let problem = Problem::parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let options = Options {
        order: Order::OneShot,
        ..Options::default()
    };
    Solver::with(problem, options)
}

/// Solves and closes, checks the solution against the definition of the order, and spells it out.
fn closed(text: &str) -> Result<String, Box<Refusal>> {
    let mut solver = one_shot(text);
    solver.close()?;
    let ground = solver.solution().ground();
    let set = solver.problem().to_set();
    let violated = ground.first_violated(&set.constraints, Order::OneShot);
    assert_eq!(violated, None, "{text}\n{ground}");
    Ok(ground.to_string().trim().replace('\n', "; "))
}

fn decided(text: &str) -> Decision {
    let solver = one_shot(text);
    let decision = solver.decide();
    if let Some(ground) = &decision.solution {
        let set = solver.problem().to_set();
        let violated = ground.first_violated(&set.constraints, Order::OneShot);
        assert_eq!(violated, None, "{text}\n{ground}");
    }
    decision
}

#[test]
fn axes_are_counted_across_the_marker_of_the_result() {
    assert_eq!(closed("[3 <> 5] <= [3, 5 <>]").as_deref(), Ok(""));
    assert_eq!(closed("[a <> 5, 7] <= [3, 5 <> 7]").as_deref(), Ok("a = 3"));
    assert_eq!(closed("[3 <r> 4] <= [3, 5, 4]").as_deref(), Ok("<r> ~ [5]"));
    // Too few axes in all are too few in either order.
    let refusal = closed("[3 <> 5] <= [3, 5 <> 7]").unwrap_err();
    assert_eq!(refusal.verdict, Verdict::Unsat);
    assert_eq!(refusal.chain.len(), 1, "{refusal}");
}

#[test]
fn what_policy_gives_up_is_decided() {
    // The marker of <s> has to stand between its axes, so that 3 faces an inserted unit.
    let text = "<r> ~ [2, 3, 5]\n<s> ~ [2, 5]\n<r> <= <s>";
    assert_eq!(one_shot(text).verdict(), Verdict::Rejected);
    assert_eq!(decided(text).verdict, Verdict::Sat);
    let text = "<r> ~ [3, 5]\n<r> <= [3, 5 <> 7]";
    assert_eq!(decided(text).verdict, Verdict::Unsat);
}

#[test]
fn a_part_of_a_problem_is_read_in_the_same_order() {
    assert_eq!(decided("[3 <> 5] <= [3, 5 <>]").verdict, Verdict::Sat);
    // The chain is made minimal by solving parts of it.
    let refusal = closed("a <= b\n[a <> 5] <= [3, 5 <>]\n[7 <> a] <= [7, 2 <>]").unwrap_err();
    let lines: Vec<_> = refusal.chain.iter().map(|cited| cited.line).collect();
    assert_eq!((lines, refusal.minimal), (vec![Some(2), Some(3)], true));
}

#[test]
fn constraints_may_come_one_by_one_and_be_taken_back() {
    let mut solver = one_shot("[a <> 5, 7] <= [3, 5 <> 7]");
    assert_eq!(solver.verdict(), Verdict::Sat);
    solver.snapshot();
    let more = Problem::parse("[7 <> a] <= [7, 2 <>]").unwrap().to_set();
    more.constraints.iter().for_each(|more| solver.add(more));
    assert_eq!(solver.verdict(), Verdict::Unsat);
    assert!(solver.rollback());
    assert_eq!(solver.verdict(), Verdict::Sat);
    assert_eq!(solver.solution().ground().to_string().trim(), "a = 3");
}
