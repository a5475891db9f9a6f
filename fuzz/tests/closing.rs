//! Closing by the rules and by the solver on random sets with declared variables.

use std::collections::BTreeMap;

use lozenge::{Problem, Solver};
use lozenge_fuzz::generate::{Knobs, indexed};
use lozenge_spec::{Options, solve};

#[test]
fn closed_solutions_are_the_same() {
    let knobs = Knobs {
        tags: true,
        ..Knobs::default()
    };
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    let mut shown = 0;
    for index in 0..40_000 {
        let set = indexed(9, index, &knobs);
        let run = solve(
            &set,
            &Options {
                close: true,
                traced: false,
                ..Options::default()
            },
        );
        let mut solver = Solver::new(Problem::from(&set));
        let closed = solver.close().map(|()| solver.solution().ground());
        let class = match (run.greatest(), closed) {
            (Some(a), Ok(b)) if a == b => "same".to_string(),
            (Some(a), Ok(b)) => {
                if shown < 14 {
                    shown += 1;
                    println!("--- differ\n{set}spec\n{a}solver\n{b}");
                }
                "differ".into()
            }
            (None, Ok(b)) => {
                if shown < 0 {
                    shown += 1;
                    println!(
                        "--- spec refuses\n{set}{}\nsolver\n{b}",
                        run.failure().unwrap()
                    );
                }
                format!("spec {}", run.verdict())
            }
            (Some(a), Err(refusal)) => {
                if shown < 0 {
                    shown += 1;
                    println!("--- solver refuses\n{set}{refusal}\nspec\n{a}");
                }
                format!("solver {}", refusal.verdict)
            }
            (None, Err(refusal)) => {
                format!("both: spec {}, solver {}", run.verdict(), refusal.verdict)
            }
        };
        *classes.entry(class).or_default() += 1;
    }
    println!("{classes:#?}");
}
