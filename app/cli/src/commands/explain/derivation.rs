//! The text of a derivation about a program.

use std::fmt::Write;

use lozenge_solver::{Derivation, Solver};

use super::conclusion;
use super::statements::{statements, why_final};
use super::words::Explainer;

/// Returns a derivation as numbered statements, each with its value, the earlier ones that it uses, and the lines
/// of the program behind it. Of a solution that is not closed, the solver's own steps are shown.
pub fn told(explainer: &Explainer, solver: &Solver, name: &str, derivation: &Derivation) -> String {
    let purpose = explainer.loaded.purpose(&derivation.var);
    let purpose = purpose.unwrap_or_else(|| derivation.purpose.clone());
    let mut out = format!("{name} = {} ({purpose})\n", derivation.value);
    if !explainer.closed {
        steps(explainer, &mut out, derivation);
        let so = conclusion(name, derivation, solver, false, &|text| {
            explainer.in_words(text)
        });
        let _ = writeln!(out, "{so}");
        return out;
    }
    let statements = statements(explainer, solver, derivation);
    match &statements[..] {
        // It would say what stands above it.
        [only] if !explainer.loaded.why => only.requirements(explainer, &mut out),
        all => {
            for (at, statement) in all.iter().enumerate() {
                statement.render(explainer, at + 1, &mut out);
            }
        }
    }
    let why = why_final(derivation, solver, explainer);
    let _ = writeln!(out, "So {name} = {}: {why}", derivation.value);
    out
}

/// Writes the steps of the solver.
fn steps(explainer: &Explainer, out: &mut String, derivation: &Derivation) {
    for (number, step) in derivation.steps.iter().enumerate() {
        let _ = write!(out, "{}. {}", number + 1, explainer.in_words(&step.text));
        if !step.uses.is_empty() {
            let uses: Vec<String> = step.uses.iter().map(usize::to_string).collect();
            let _ = write!(out, ", by {}", uses.join(" and "));
        }
        if explainer.loaded.why {
            let choice = if step.policy { ", a choice" } else { "" };
            let _ = write!(out, " [{}{choice}]", step.rule);
        }
        out.push('\n');
        for cited in &step.constraints {
            out.push_str("     ");
            explainer.cited(out, cited, "     ");
        }
    }
}
