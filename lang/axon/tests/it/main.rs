//! Tests of the language. Whatever is decided about shapes is decided by the native procedure.

mod layout;
mod mutants;
mod printed;
mod speed;
mod types;

use lozenge_axon::{Inferred, Options, Table, infer, parse};
use lozenge_axon_solver::Solver;

/// Infers a text that is a program.
fn inferred_with(text: &str, table: Table) -> Inferred {
    let program = parse(text).unwrap_or_else(|errors| {
        panic!("{}", errors[0].render(text, "p.axon", false));
    });
    infer(
        &program,
        &Options {
            table,
            ..Options::default()
        },
        &Solver::default(),
    )
}

/// Infers a text that is a program.
fn inferred(text: &str) -> Inferred {
    inferred_with(text, Table::Paper)
}

/// Returns the type of a name of a program without errors.
fn scheme(text: &str, name: &str) -> String {
    let inferred = inferred(text);
    let errors: Vec<String> = inferred
        .errors
        .iter()
        .map(|error| error.render(text, "p.axon", false))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    let binding = inferred
        .bindings
        .iter()
        .rev()
        .find(|binding| binding.name == name);
    binding
        .map(lozenge_axon::Binding::scheme)
        .unwrap_or_else(|| panic!("no `{name}` in {text}"))
}

/// Returns the first error of a program that is refused, as it is shown.
fn refusal(text: &str) -> String {
    let errors = match parse(text) {
        Ok(_) => inferred(text).errors,
        Err(errors) => errors,
    };
    let error = errors.first().unwrap_or_else(|| panic!("accepted: {text}"));
    error.render(text, "p.axon", false)
}
