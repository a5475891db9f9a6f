//! The names of annotations: rigid ones stay general, and others give a warning when they do not.

use lozenge_axon_vocabulary::{Conclusion, Equation, Goal, Piece, Variable, Word};
use lozenge_diagnostic::{Diagnostic, Severity};
use rustc_hash::FxHashMap;

use super::Stated;
use super::annotation::Written;
use super::nodes::Inference;
use super::print::Printer;
use super::types::Renaming;

/// Checks the names that were written since the last statement at the top.
pub(super) fn check(
    inference: &mut Inference<'_>,
    written: &[Written],
    renaming: &mut Renaming,
    left: &[Stated],
) {
    let mut taken: FxHashMap<Word, &Written> = FxHashMap::default();
    for name in written {
        let word = value(inference, name.variable, renaming);
        let earlier = taken.insert(word.clone(), name);
        match name.is_rigid {
            true => rigid(inference, name, &word, earlier, left),
            false => flexible(inference, name, &word, earlier),
        }
    }
}

/// Returns what a name stands for: a dimension as a shape of one axis.
fn value(inference: &mut Inference<'_>, variable: Variable, renaming: &mut Renaming) -> Word {
    let types = &mut inference.types;
    match variable {
        Variable::Shape(shape) => {
            let word = Word::name(shape);
            let word = types.copied_word(&word, renaming);
            let axes = word.0.into_iter().map(|piece| match piece {
                Piece::Axis(dim) => Piece::Axis(types.pool.canonical(dim).unwrap_or(dim)),
                Piece::Shape(_) => piece,
            });
            Word(axes.collect())
        }
        Variable::Dim(dim) => {
            let dim = types.pool.var(dim);
            let dim = types.copied_dim(dim, renaming);
            Word::list([types.pool.canonical(dim).unwrap_or(dim)])
        }
    }
}

/// Prints what a name stands for.
fn shown(inference: &mut Inference<'_>, variable: Variable, word: &Word) -> String {
    let mut printer = Printer::default();
    let types = &mut inference.types;
    let text = match (variable, word.0.as_slice()) {
        (Variable::Dim(_), [Piece::Axis(dim)]) => printer.term(types, *dim),
        _ => printer.shape_text(types, word),
    };
    text.unwrap_or_else(|too_large| too_large.to_string())
}

fn flexible(inference: &mut Inference<'_>, name: &Written, word: &Word, earlier: Option<&Written>) {
    let text = &name.text;
    let is_constant = word.variables(&inference.types.pool).is_empty();
    let warning = match earlier {
        _ if is_constant => {
            let shown = shown(inference, name.variable, word);
            Diagnostic::new(
                name.span.clone(),
                format!("`{text}` can only be {shown}"),
                "this name",
            )
            .help(format!(
                "write `{shown}` in its place, or `'{text}` to insist that it stays general"
            ))
        }
        Some(earlier) => {
            let other = &earlier.text;
            let message = format!("`{text}` and `{other}` are always equal");
            Diagnostic::new(name.span.clone(), message, "this name")
                .other(earlier.span.clone(), "and this one")
                .help(format!(
                    "write one name for both, or `'{text}` to insist that they may differ"
                ))
        }
        None => return,
    };
    inference.result.warnings.push(Diagnostic {
        severity: Severity::Warning,
        ..warning
    });
}

fn rigid(
    inference: &mut Inference<'_>,
    name: &Written,
    word: &Word,
    earlier: Option<&Written>,
    left: &[Stated],
) {
    let text = &name.text;
    let pool = &inference.types.pool;
    let is_free = match (name.variable, word.0.as_slice()) {
        (Variable::Dim(_), [Piece::Axis(dim)]) => {
            matches!(pool.node(*dim), lozenge_axon_vocabulary::DimNode::Var(_))
        }
        (_, [Piece::Shape(_)]) => true,
        _ => false,
    };
    let refused = |message: String| {
        Diagnostic::new(name.span.clone(), message, "this name has a quote").help(format!(
            "without the quote, `{text}`, inference may refine it"
        ))
    };
    let error = match earlier {
        _ if !is_free => {
            let shown = shown(inference, name.variable, word);
            Some(refused(format!(
                "`'{text}` has to stay general, and is {shown}"
            )))
        }
        Some(earlier) => {
            let message = format!(
                "`'{text}` has to stay general, and is always `{}`",
                earlier.text
            );
            Some(refused(message).other(earlier.span.clone(), "the same size or shape"))
        }
        None => constrained(inference, word, left).map(|condition| {
            refused(format!(
                "`'{text}` has to stay general, and needs {condition}"
            ))
        }),
    };
    if let Some(error) = error {
        inference.error(error);
    }
}

/// Returns an equation that is left over a rigid name, if it does not hold for all its values.
fn constrained(inference: &mut Inference<'_>, word: &Word, left: &[Stated]) -> Option<String> {
    let names = word.variables(&inference.types.pool);
    for stated in left {
        let variables = stated.equation.variables(&inference.types.pool);
        if !variables.iter().any(|name| names.contains(name)) {
            continue;
        }
        let goal = match &stated.equation {
            Equation::Dims(left, right) if left == right => Goal::AtLeast(*left, 1),
            equation => Goal::Holds(equation.clone()),
        };
        let held = inference
            .decide
            .entails(&mut inference.types.pool, &[], &goal);
        inference.types.note_names(1);
        if held != Conclusion::Yes {
            let mut printer = Printer::default();
            let shown = match goal {
                Goal::AtLeast(dim, _) => printer
                    .term(&mut inference.types, dim)
                    .map(|term| format!("`{term} >= 1`")),
                _ => printer
                    .equation(&mut inference.types, &stated.equation)
                    .map(|equation| format!("`{equation}`")),
            };
            return Some(shown.unwrap_or_else(|too_large| too_large.to_string()));
        }
    }
    None
}
