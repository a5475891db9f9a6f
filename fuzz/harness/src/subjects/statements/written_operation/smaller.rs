//! Smaller statements. Each has a meaning where the larger one has one: what a window relates stays as it is.

use super::{Axis, Label, Sign, WrittenOperation};

impl WrittenOperation {
    /// Returns every statement that is one step smaller: without an axis, with a smaller size, with a simpler sign,
    /// with one more size that is stated.
    #[must_use]
    pub fn smaller(&self) -> Vec<WrittenOperation> {
        let mut all = self.without_an_axis();
        all.extend(self.with_a_smaller_size());
        if self.sign != Sign::Add {
            all.push(WrittenOperation {
                sign: Sign::Add,
                ..self.clone()
            });
        }
        for label in &self.unstated {
            let mut other = self.clone();
            other.unstated.remove(label);
            all.push(other);
        }
        all
    }

    /// Leaves out an axis of a statement whose operands are multiplied. The sizes of its labels are stated from then
    /// on, since it may have told them.
    fn without_an_axis(&self) -> Vec<WrittenOperation> {
        let mut all = Vec::new();
        if self.alternatives {
            return all;
        }
        for (number, (axes, _)) in self.templates.iter().enumerate() {
            for (at, axis) in axes.iter().enumerate() {
                let mut other = self.clone();
                let (axes, batch) = &mut other.templates[number];
                axes.remove(at);
                *batch -= usize::from(at < *batch);
                let labels = axis.labels();
                other.unstated.retain(|label| !labels.contains(label));
                all.push(other);
            }
        }
        all
    }

    /// Makes a size smaller that no window relates to another one.
    fn with_a_smaller_size(&self) -> Vec<WrittenOperation> {
        let in_window = |label: Label| {
            let mut axes = self.templates.iter().flat_map(|(axes, _)| axes);
            axes.any(|axis| matches!(axis, Axis::Window { .. }) && axis.labels().contains(&label))
        };
        let mut all = Vec::new();
        for (label, size) in self.sizes.iter().enumerate() {
            let free = !self.unstated.contains(&label) && !in_window(label);
            for simple in [1, 2].into_iter().filter(|simple| free && simple < size) {
                let mut other = self.clone();
                other.sizes[label] = simple;
                all.push(other);
            }
        }
        all
    }
}
