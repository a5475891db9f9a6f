//! The families of the benchmark: each is solved, its solution holds, and its state stays small.

use lozenge_solver::bench::{FAMILIES, measure};
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{Order, Verdict};

#[test]
fn every_family_is_solved_and_closed_by_a_solution() {
    for family in FAMILIES {
        for size in [4, 50, 300] {
            let problem: Problem = (family.build)(size);
            let set = problem.to_set();
            let mut solver = Solver::new(problem);
            solver
                .close()
                .unwrap_or_else(|r| panic!("{} {size}: {r}", family.name));
            let ground = solver.solution().ground();
            assert_eq!(
                ground.first_violated(&set.constraints, Order::Marked),
                None,
                "{} {size}",
                family.name
            );
        }
    }
}

/// Many constraints in a random order are gathered in an order of their own before they are looked at.
#[test]
fn a_random_order_of_many_constraints_changes_no_value() {
    let solved = |name: &str, size| {
        let family = FAMILIES.iter().find(|family| family.name == name);
        let mut solver = Solver::new((family.expect(name).build)(size));
        solver.close().unwrap_or_else(|r| panic!("{name}: {r}"));
        solver.solution().ground()
    };
    for (family, size) in [("matmuls", 20_000), ("rows", 20_000), ("deficits", 500)] {
        let ordered = if family == "rows" {
            "rows-down"
        } else {
            family
        };
        let shuffled = format!("{family}-shuffled");
        assert!(solved(ordered, size) == solved(&shuffled, size), "{family}");
    }
}

#[test]
fn complete_mode_agrees_and_never_branches() {
    for family in FAMILIES {
        let decision = Solver::new((family.build)(60)).decide();
        assert_eq!(decision.verdict, Verdict::Sat, "{}", family.name);
        assert_eq!(
            (decision.branches, decision.least),
            (0, true),
            "{}",
            family.name
        );
    }
}

#[test]
fn the_state_takes_at_most_200_bytes_a_constraint() {
    for family in FAMILIES {
        let cost = measure(family, 200_000, 1);
        assert!(
            cost.bytes_each <= 200.0,
            "{}: {}",
            family.name,
            cost.bytes_each
        );
    }
}
