//! Projection equations solved by union-find (Def. 7.3).

use lozenge_spec::projection_solver;

use crate::input::Input;
use crate::party::{Answer, Party, Question};

/// Union-find with pins.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnionFind;

impl Party for UnionFind {
    fn name(&self) -> &'static str {
        "union-find"
    }

    fn supports(&self, question: Question) -> bool {
        question == Question::Project
    }

    fn answer(&mut self, question: Question, input: &Input) -> Answer {
        match (question, input) {
            (Question::Project, Input::System(system)) => Answer::Nest(
                projection_solver::solve(&system.equations, &system.sizes)
                    .map(|solved| solved.projections)
                    .map_err(|conflict| conflict.to_string()),
            ),
            _ => Answer::Silent,
        }
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        match self.answer(question, input) {
            Answer::Nest(nest) => show(&nest),
            _ => String::new(),
        }
    }
}

/// A loop nest, or the conflict, in words.
pub(super) fn show(nest: &Result<lozenge_vocabulary::projections::Projections, String>) -> String {
    match nest {
        Err(conflict) => format!("a conflict: {conflict}\n"),
        Ok(nest) => {
            let mut out = format!("factors {:?}\n", nest.factors);
            for (slot, map) in nest.maps.iter().enumerate() {
                let indices: Vec<String> = map.0.iter().map(ToString::to_string).collect();
                out.push_str(&format!("slot {slot}: {}\n", indices.join(", ")));
            }
            out
        }
    }
}
