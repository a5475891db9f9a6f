//! The names that are bound where the text is read.

use rustc_hash::FxHashMap;

use crate::syntax::{FunctionId, NameId};

/// The names that may be used, and the functions that are open.
#[derive(Default)]
pub(super) struct Names<'t> {
    /// The bindings of each name, the one that holds last.
    bound: FxHashMap<&'t str, Vec<NameId>>,
    /// The functions that are open, the innermost last.
    open: Vec<Open<'t>>,
    /// The names of the statements that are open.
    pub(super) being_bound: Vec<Vec<&'t str>>,
}

/// A function that is open.
struct Open<'t> {
    function: FunctionId,
    /// The names that it binds, in order.
    bound: Vec<&'t str>,
}

impl<'t> Names<'t> {
    /// Binds a name.
    pub(super) fn bind(&mut self, text: &'t str, name: NameId) {
        self.bound.entry(text).or_default().push(name);
        if let Some(open) = self.open.last_mut() {
            open.bound.push(text);
        }
    }

    /// Returns the binding of a name that holds.
    pub(super) fn find(&self, text: &str) -> Option<NameId> {
        self.bound.get(text)?.last().copied()
    }

    /// Returns every name that is bound.
    pub(super) fn all(&self) -> impl Iterator<Item = &'t str> + '_ {
        let bound = self.bound.iter().filter(|(_, names)| !names.is_empty());
        bound.map(|(text, _)| *text)
    }

    /// Opens a function.
    pub(super) fn enter(&mut self, function: FunctionId) {
        let bound = Vec::new();
        self.open.push(Open { function, bound });
    }

    /// Closes the innermost function, whose names can no longer be used.
    pub(super) fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        for text in open.bound {
            if let Some(names) = self.bound.get_mut(text) {
                names.pop();
            }
        }
    }

    /// Returns the function that is read.
    pub(super) fn innermost(&self) -> Option<FunctionId> {
        self.open.last().map(|open| open.function)
    }

    /// Returns the functions that are open, the innermost first.
    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.open.iter().rev().map(|open| open.function)
    }

    /// Returns how many functions are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }
}
