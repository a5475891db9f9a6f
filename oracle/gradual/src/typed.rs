//! The typed reading: the constraints of a program (Fig. 5), translated by Appendix E, as formulas over types.
//!
//! A type is a number for its constructor, which is Dyn or a rank, and four dimensions; a dimension is a pair of a
//! flag, whether it is a number, and the number (§4).
//! The formulas are written from the printed text, and once more as they have to be read so that solutions are
//! migrations ([`Text`]).

mod shapes;
mod translation;

use lozenge_gradual_vocabulary::{Expression, Program, Type};
use lozenge_smt::Session;
use z3::ast::Bool;

use crate::answer::Limits;
use shapes::TypeTerm;
use translation::Translation;

/// The text of Appendix E that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// As it is printed.
    Printed,
    /// As repaired: a rank may be 0; a bound is taken at some rank; products are equal where no dimension is open; a
    /// convolution shrinks a side by its kernel less
    /// one and leaves something of it; beside a 1 stands whatever the other side has.
    Repaired,
}

/// The truth of `n mod 0 = 0`, which the paper does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuloZero {
    /// It never holds.
    Never,
    /// It holds for the number 0 alone.
    ForZero,
    /// It always holds.
    Always,
}

/// A question about the solutions of a program's constraints.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The text.
    pub text: Text,
    /// The reading of a remainder by 0.
    pub modulo_zero: ModuloZero,
    /// The least rank that has a constructor: 1 as printed.
    pub least_rank: u64,
    /// The types that each declaration may have, in order; all where there is nothing.
    pub within: Option<&'q [Vec<Type>]>,
}

/// The answer to a question about types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// There is a solution, with these types of the declarations.
    Annotated(Vec<Type>),
    /// There is none.
    Never,
    /// A limit was reached; the words say which.
    Unknown(String),
    /// The paper has no constraint for some expression: a conditional, a kernel of other than two sizes.
    NoRule,
}

/// Asks for a solution of the constraints of a program.
#[must_use]
pub fn typed(program: &Program, question: &Question<'_>, limits: Limits) -> Typed {
    let Some((declared, formulas)) = constraints(program, question) else {
        return Typed::NoRule;
    };
    let session = Session::new();
    formulas.iter().for_each(|formula| session.assert(formula));
    match session.check(&[], &limits.clock()) {
        Ok(false) => Typed::Never,
        Err(stopped) => Typed::Unknown(stopped.to_string()),
        Ok(true) => {
            let model = session.model();
            let types =
                model.and_then(|model| declared.iter().map(|one| one.read(&model)).collect());
            types.map_or_else(
                || Typed::Unknown("the model of Z3 is no types of 64 bits".to_owned()),
                Typed::Annotated,
            )
        }
    }
}

/// Returns the variables of the declarations, and the formulas of a program (Fig. 5).
fn constraints(program: &Program, question: &Question<'_>) -> Option<(Vec<TypeTerm>, Vec<Bool>)> {
    let translation = Translation {
        text: question.text,
        modulo_zero: question.modulo_zero,
    };
    let mut formulas = Vec::new();
    let mut declared = Vec::new();
    for (place, declaration) in program.declarations.iter().enumerate() {
        let own = TypeTerm::new(&format!("x{place}"), question.least_rank, &mut formulas);
        formulas.push(own.refines(&declaration.annotation));
        formulas.push(translation.bounded(&own));
        if let Some(types) = question.within.and_then(|within| within.get(place)) {
            let each: Vec<Bool> = types.iter().map(|one| own.is(one)).collect();
            formulas.push(Bool::or(&each));
        }
        declared.push(own);
    }
    let mut values: Vec<TypeTerm> = Vec::new();
    for (at, expression) in program.body.iter() {
        if let Expression::Variable(name) = expression {
            let mut names = program.declarations.iter();
            let place = names.position(|declaration| declaration.name == *name)?;
            values.push(declared[place].clone());
            continue;
        }
        let own = TypeTerm::new(&format!("y{}", at.0), question.least_rank, &mut formulas);
        let parts: Vec<&TypeTerm> = expression
            .parts()
            .iter()
            .map(|part| &values[part.index()])
            .collect();
        match (expression, &parts[..]) {
            (Expression::Reshape { target, .. }, [of]) => {
                formulas.push(own.is(target));
                formulas.push(translation.can_reshape(of, target));
                formulas.push(translation.bounded(of));
            }
            (
                Expression::Conv2d {
                    in_channels,
                    out_channels,
                    kernel,
                    ..
                },
                [of],
            ) => {
                let channels = (*in_channels, *out_channels);
                let kernel = <[u64; 2]>::try_from(&kernel[..]).ok()?;
                formulas.push(translation.convolved(&own, of, channels, kernel));
            }
            (Expression::Add(..), [left, right]) => {
                let sides = ["l", "r"].map(|side| {
                    TypeTerm::new(
                        &format!("{side}{}", at.0),
                        question.least_rank,
                        &mut formulas,
                    )
                });
                formulas.push(translation.broadcast([left, right], [&sides[0], &sides[1]]));
                formulas.push(sides[0].is_consistent_with(&sides[1]));
                formulas.push(translation.bound(&own, &sides[0], &sides[1]));
                formulas.extend([left, right, &own].map(|one| translation.bounded(one)));
            }
            _ => return None,
        }
        values.push(own);
    }
    Some((declared, formulas))
}
