//! A program that is being drawn: its text, and its tensors with their axes.

use std::fmt::Write;

use arbitrary::{Result, Unstructured};

use crate::subjects::statements::written_shape::shape;

/// The sizes of the batch, input and output axes of a tensor.
pub(super) type Axes = [Vec<u64>; 3];

/// A tensor of the program so far.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub name: String,
    pub axes: Axes,
    /// True if the tensor depends on a parameter.
    pub learns: bool,
}

/// A program that is being drawn.
#[derive(Default)]
pub(super) struct Draft {
    pub text: String,
    pub tensors: Vec<Tensor>,
    /// The current indentation of lines.
    pub depth: usize,
    /// The number of the next name.
    pub names: usize,
}

impl Draft {
    /// Adds a line.
    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 2 * self.depth);
    }

    /// Returns a name that the program does not have.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names - 1)
    }

    /// Draws one of the tensors.
    ///
    /// # Errors
    /// Never for lack of bytes.
    pub fn any(&self, u: &mut Unstructured<'_>) -> Result<Tensor> {
        u.choose(&self.tensors).cloned()
    }

    /// Records the tensor that now has this name.
    pub fn known(&mut self, name: String, axes: Axes, learns: bool) {
        self.tensors.push(Tensor { name, axes, learns });
    }

    /// Adds a tensor that is computed, as the value of a `let`.
    pub fn define(&mut self, axes: Axes, learns: bool, expression: &str) {
        let name = self.fresh("t");
        self.line(&format!("let {name} = {expression}"));
        self.known(name, axes, learns);
    }

    /// Adds a tensor that is computed, by a line that is made for its name.
    pub fn write(&mut self, axes: Axes, line: impl FnOnce(&str) -> String) {
        let name = self.fresh("t");
        self.line(&line(&name));
        self.known(name, axes, false);
    }
}

/// Returns the shape of data as a program writes it.
pub(super) fn written(axes: &Axes) -> String {
    shape(
        &axes
            .each_ref()
            .map(|row| row.iter().map(u64::to_string).collect()),
    )
}

/// Returns the row that results from broadcasting two rows, aligned from the back; `None` where axes do not fit.
pub(super) fn paired(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    long.ends_with(short).then(|| long.to_vec())
}
