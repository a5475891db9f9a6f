//! Tensors that `run` shows, and so keeps.

use std::collections::BTreeSet;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Source, Wish};

use crate::loaded::Loaded;

/// A tensor with at most this many values is shown by default.
const SMALL: u64 = 16;

/// The part of a tensor that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Every value.
    All,
    /// The first values.
    Beginning,
    /// Nothing.
    Nothing,
}

impl Loaded {
    /// Chooses the part of each tensor that is shown, if these are requested. Without a request these are the tensors
    /// that the program names: all of small tensors, and the first values of large ones, so that no result is silently
    /// left out. A program with `print` lines shows only what it prints.
    pub fn shown(&self, shapes: &lozenge::Shapes, requested: &[String]) -> Vec<Shown> {
        let requests = &self.program.requests;
        let prints = requests.iter().any(|request| request.what == Wish::Print);
        let tensors = self.program.tensors.iter().zip(shapes.iter());
        let shown = tensors.map(|(tensor, shape)| {
            if !requested.is_empty() {
                let is_requested = requested.iter().any(|name| **name == *tensor.name);
                return match is_requested {
                    true => Shown::All,
                    false => Shown::Nothing,
                };
            }
            let made = matches!(tensor.source, Source::Intermediate);
            let count = lozenge::sizes(shape)
                .into_iter()
                .fold(1, u64::saturating_mul);
            match made && !prints && !tensor.name.contains('\'') {
                true if count <= SMALL => Shown::All,
                true if !tensor.name.contains('.') => Shown::Beginning,
                _ => Shown::Nothing,
            }
        });
        shown.collect()
    }

    /// Returns the tensors of which something is shown.
    pub fn seen(&self, shapes: &lozenge::Shapes, requested: &[String]) -> BTreeSet<TensorId> {
        let shown = self.shown(shapes, requested).into_iter().enumerate();
        let seen = shown.filter(|(_, shown)| *shown != Shown::Nothing);
        seen.map(|(at, _)| TensorId(at)).collect()
    }
}
