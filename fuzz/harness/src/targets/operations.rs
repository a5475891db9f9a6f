//! `projected_operations`: random operations with closed shapes through the solver, the transcribed rules and the naive closure.

use std::cell::RefCell;

use arbitrary::Unstructured;
use lozenge_solver::project::Projector;

use crate::closed_operation::{Compared, draw};
use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::Parties;

thread_local! {
    // Its tables are kept from one operation to the next, as an inference keeps them.
    static PROJECTOR: RefCell<Projector> = RefCell::default();
}

/// The operation that is drawn from these bytes.
pub fn operations(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Operation(bytes) = input else {
        return None;
    };
    let operation = draw(&mut Unstructured::new(bytes)).ok()?;
    let compared = PROJECTOR.with_borrow_mut(|projector| operation.compared(projector));
    let (answer, useful, outcome) = match compared {
        Compared::Solved(_) => ("solved", true, Outcome::Agree),
        Compared::Refused => ("refused", true, Outcome::Agree),
        Compared::OtherBasis => ("refused by the rules alone", false, Outcome::Agree),
        Compared::Differ(answers) => (
            "different",
            true,
            Disagreement::new("three ways to project an operation differ")
                .answered("operation, solver, rules, values", answers)
                .into(),
        ),
    };
    Some(Comparison {
        outcome,
        useful,
        answer,
    })
}
