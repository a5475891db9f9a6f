//! Labels: in a shape they name sizes of the block, in a spec they are local to it.

use hashbrown::HashMap;

use crate::elaborate::sizes::axes;
use crate::syntax::Written;
use crate::syntax::{Axis, Labelled, Logic, Name, Size, Spec, Statement, TemplateRow};

use super::Sort;
use super::scopes::Scopes;

impl<'a> Scopes<'a> {
    /// Adds the sizes that the shapes and `size` lines of a block define: within a block a name means a single size.
    pub(super) fn sizes_of(&mut self, block: &'a [Statement<'a>]) {
        for statement in block {
            if let Statement::Size { name, .. } = statement {
                self.define_size(name.text, &name.span, true);
            }
            for axis in axes(statement) {
                if let Axis::Label(label, Some(_)) = axis {
                    self.define_size(&label.name, &label.span, false);
                }
            }
        }
    }

    /// Adds the uses of labels and sizes in a shape. A label without a size that nothing defines is a size that
    /// inference finds.
    pub(super) fn shape(&mut self, shape: Option<&Written>) {
        let rows = shape.into_iter().flat_map(|(shape, _)| shape.rows());
        for axis in rows.flat_map(TemplateRow::axes) {
            match axis {
                Axis::Label(label, None) => self.size_used(label, true),
                Axis::Label(_, Some(size)) => self.stated(size),
                // The other axes occur only in specs.
                Axis::Position { .. }
                | Axis::Size(..)
                | Axis::Window(_)
                | Axis::Concat(_)
                | Axis::Product(_) => {}
            }
        }
    }

    fn stated(&mut self, size: &Size) {
        if let Size::Named(name) = size {
            self.size_used(name, false);
        }
    }

    /// Adds a use of a size. `defines` says that a name without a size is one that inference finds.
    fn size_used(&mut self, label: &Labelled, defines: bool) {
        match self.find_size(&label.name) {
            Some(symbol) => self.used(symbol, &label.span),
            None if defines => self.define_size(&label.name, &label.span, false),
            None => {}
        }
    }

    /// Adds the labels of a spec, and the names that brackets after it give to their sizes.
    pub(super) fn spec(&mut self, logic: &Logic, captures: &'a [Name<'a>]) {
        let mut labels: HashMap<String, usize> = HashMap::new();
        if let Logic::Einsum(spec) = logic {
            self.labels(spec, &mut labels);
        }
        for capture in captures {
            match labels.get(capture.text) {
                Some(symbol) => {
                    self.used(*symbol, &capture.span);
                    self.symbols[*symbol].sort = Sort::Size;
                    self.bind(capture.text, *symbol);
                }
                None => {
                    self.define(capture.text, Sort::Size, &capture.span);
                }
            }
        }
    }

    fn labels(&mut self, spec: &Spec, labels: &mut HashMap<String, usize>) {
        let mut variables: HashMap<String, usize> = HashMap::new();
        let templates = spec.operands.iter().chain([&spec.result]);
        for row in templates.flat_map(|template| template.rows()) {
            for axis in row.axes() {
                for (label, size) in axis.labels() {
                    self.local(label, labels);
                    size.into_iter().for_each(|size| self.stated(size));
                }
                let sizes = axis.sizes_without_labels();
                sizes.into_iter().for_each(|size| self.stated(size));
            }
            // A `...` is recognised by its length: it has no name of its own.
            let named = row
                .variables()
                .filter(|variable| variable.span.len() > "...".len());
            for variable in named {
                let start = variable.span.start + "..".len();
                let named = Labelled {
                    name: variable.name.clone(),
                    span: start..start + variable.name.len(),
                };
                self.local(&named, &mut variables);
            }
        }
    }

    fn local(&mut self, label: &Labelled, known: &mut HashMap<String, usize>) {
        match known.get(&label.name) {
            Some(symbol) => self.used(*symbol, &label.span),
            None => {
                let symbol = self.symbol(&label.name, Sort::Label, &label.span);
                known.insert(label.name.clone(), symbol);
            }
        }
    }
}
