//! The types of all parts of a text, for those who look at it.

use super::nodes::{Bound, Inference};
use super::print::Printer;
use super::types::{Renaming, TypeId};
use crate::Span;
use crate::syntax::NodeId;

impl Inference<'_> {
    /// Tells the types of the parts of a statement at the top, of which `last` is the last node, if they are wished
    /// for. The printer has the names of the type of the statement.
    pub(super) fn tell(&mut self, last: NodeId, renaming: &mut Renaming, printer: &mut Printer) {
        let program = self.program;
        if !self.options.with_places {
            return;
        }
        let (first, first_name) = self.told;
        let ends = program.nodes[last].span.end;
        let mut name = first_name;
        while let Some(bound) = program
            .names
            .get(name)
            .filter(|name| name.span.start < ends)
        {
            let found = match &self.names[name] {
                Some(Bound::Plain(found)) => Some(*found),
                Some(Bound::General(scheme)) => Some(scheme.found),
                None => None,
            };
            if let Some(found) = found {
                self.place(bound.span.clone(), found, renaming, printer);
            }
            name += 1;
        }
        for node in first..=last {
            if let Some(found) = self.values[node] {
                self.place(program.nodes[node].span.clone(), found, renaming, printer);
            }
        }
        self.told = (last + 1, name);
    }

    fn place(&mut self, span: Span, found: TypeId, renaming: &mut Renaming, printer: &mut Printer) {
        let found = self.types.copied(found, renaming);
        if let Ok(shown) = printer.type_of(&mut self.types, found) {
            self.result.places.push((span, shown));
        }
    }
}
