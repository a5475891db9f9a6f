//! The encoding in Z3's theory of sequences.

use lozenge_axon_vocabulary::{Equation, Piece, Pool, ShapeVar, Word};
use z3::Sort;
use z3::ast::Seq;

use crate::arithmetic::Question;
use crate::{Oracle, Verdict};

/// Asks whether equations have a common solution.
pub(crate) fn decide(oracle: &Oracle, pool: &Pool, equations: &[Equation]) -> Verdict {
    let question = Question::new(oracle.time, pool, equations);
    for equation in equations {
        let holds = match equation {
            Equation::Dims(left, right) => question.term(*left).eq(question.term(*right)),
            Equation::Shapes(left, right) => word(&question, left).eq(word(&question, right)),
        };
        question.session.assert(holds);
    }
    match question.check() {
        Ok(true) => Verdict::Satisfiable(None),
        Ok(false) => Verdict::Unsatisfiable,
        Err(why) => Verdict::Unknown(why.to_string()),
    }
}

fn name(variable: ShapeVar) -> Seq {
    Seq::new_const(format!("s{}", variable.0), &Sort::int())
}

fn word(question: &Question, word: &Word) -> Seq {
    let pieces: Vec<Seq> = word
        .0
        .iter()
        .map(|piece| match piece {
            Piece::Axis(dim) => Seq::unit(&question.term(*dim)),
            Piece::Shape(variable) => name(*variable),
        })
        .collect();
    match pieces.as_slice() {
        [] => Seq::empty(&Sort::int()),
        [piece] => piece.clone(),
        _ => Seq::concat(&pieces.iter().collect::<Vec<&Seq>>()),
    }
}
