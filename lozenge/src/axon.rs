//! Axon programs: their types, found with the native decision procedure, and their texts as programs of the one
//! pipeline at given sizes.
//!
//! ```
//! use lozenge::axon;
//!
//! let program = axon::parse("halves = fn(x : f32 [(* n 2)]) { x + x }").map_err(|errors| errors[0].to_string())?;
//! let inferred = axon::infer(&program, &axon::Options::default());
//! assert_eq!(inferred.bindings[0].scheme(), "f32 [(* a 2)] -> f32 [(* a 2)]");
//! assert_eq!(inferred.bindings[0].checks[0].condition, "dim(x,0) % 2 = 0");
//! # Ok::<(), String>(())
//! ```

use lozenge_axon::syntax::Program;
use lozenge_axon_solver::Solver;
use lozenge_lang::Diagnostic;

pub use lozenge_axon::{
    Binding, Check, Inferred, Lowered, Options, Shown, Span, Stopped, Table, format, functions,
    last_function, lower, lower_with, parameters, parse, syntax,
};

/// Finds the types of a program.
pub fn infer(program: &Program, options: &Options) -> Inferred {
    lozenge_axon::infer(program, options, &Solver::default())
}

/// The reason for which a program has no form at given sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Unfit {
    /// The sizes are not those of the inputs of the function.
    Question(String),
    /// The function does not take them.
    Refused(Vec<Diagnostic>),
    /// It is not known whether it takes them.
    Unknown(Vec<Diagnostic>),
}

/// Returns a program that calls a function of another one with inputs of the given shapes, which have no values, and
/// shows the result; with its types.
///
/// # Errors
/// If the inputs are not those of the function, or the function does not take them, or that is not known.
pub fn called(
    program: &Program,
    function: &str,
    inputs: &[(String, Vec<u64>)],
    options: &Options,
) -> Result<(Program, Inferred), Unfit> {
    let applied = lozenge_axon::applied(program, function, inputs).map_err(Unfit::Question)?;
    let inferred = infer(&applied, options);
    if !inferred.errors.is_empty() {
        return Err(Unfit::Refused(inferred.errors));
    }
    if !inferred.unknown.is_empty() {
        return Err(Unfit::Unknown(inferred.unknown));
    }
    Ok((applied, inferred))
}

/// Returns a function of a program at the given shapes of its inputs, as the text of a `.loz` program.
///
/// # Errors
/// If the inputs are not those of the function, or the function does not take them, or that is not known.
pub fn at(
    program: &Program,
    function: &str,
    inputs: &[(String, Vec<u64>)],
    options: &Options,
) -> Result<Lowered, Unfit> {
    let (applied, _) = called(program, function, inputs, options)?;
    let lowered = lower(&applied, options.table);
    let lowered = lowered.map_err(|Stopped { message, is_limit }| match is_limit {
        true => Unfit::Unknown(vec![message]),
        false => Unfit::Refused(vec![message]),
    })?;
    match (lowered.is_partial, lowered.printed.first()) {
        (true, Some(mask)) => {
            let message = "the sizes behind `compress` are known when it has run";
            let error = Diagnostic::new(mask.span.clone(), message, "this call");
            let help = "`run` computes them from data; `--at` knows shapes alone";
            Err(Unfit::Refused(vec![error.help(help)]))
        }
        _ => Ok(lowered),
    }
}
