//! The types of the parts of an Axon text.

use std::ops::Range;
use std::sync::Arc;

use lozenge::axon::{self, Inferred, Options};
use lozenge_lang::Diagnostic;

/// The types of a text.
#[derive(Debug)]
pub struct Types {
    pub(crate) text: Arc<str>,
    inferred: Inferred,
}

impl Types {
    /// Reads a text and finds its types, with the messages about it.
    ///
    /// # Errors
    /// The mistakes of a text that is no program.
    pub fn of(text: &str) -> Result<(Types, Vec<Diagnostic>), Vec<Diagnostic>> {
        let program = axon::parse(text)?;
        let options = Options {
            with_places: true,
            ..Options::default()
        };
        let inferred = axon::infer(&program, &options);
        let all = inferred.errors.iter().chain(&inferred.unknown);
        let messages = all.chain(&inferred.warnings).cloned().collect();
        let types = Types {
            text: text.into(),
            inferred,
        };
        Ok((types, messages))
    }

    /// Returns the smallest part around a byte that has a type, with what is shown of it: a name at the top has the
    /// checks of its type.
    pub(crate) fn at(&self, byte: usize) -> Option<(Range<usize>, String, String)> {
        let around = |span: &Range<usize>| span.start <= byte && byte <= span.end;
        let mut bindings = self.inferred.bindings.iter();
        if let Some(binding) = bindings.find(|binding| around(&binding.span)) {
            let checks = binding.checks.iter();
            let checks = checks.map(|check| format!("- `{}`\n", check.condition));
            return Some((binding.span.clone(), binding.scheme(), checks.collect()));
        }
        let places = self.inferred.places.iter().filter(|(span, _)| around(span));
        let (span, shown) = places.min_by_key(|(span, _)| (span.len(), span.start))?;
        Some((span.clone(), shown.clone(), String::new()))
    }

    /// Returns the names at the top that have no written type, each with its type.
    pub(crate) fn hints(&self) -> impl Iterator<Item = (Range<usize>, String)> {
        let bindings = self.inferred.bindings.iter();
        let without = bindings.filter(|binding| {
            let behind = self.text[binding.span.end..].trim_start();
            !behind.starts_with(':')
        });
        without.map(|binding| (binding.span.clone(), format!(": {}", binding.scheme())))
    }
}
