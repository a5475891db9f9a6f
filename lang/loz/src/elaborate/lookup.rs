//! The meaning of names in expressions, and suggestions for unknown names.

use std::rc::Rc;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Late, Span};
use lozenge_vocabulary::{DimTerm, RowTerm};

use super::scope::{Binding, Builtin, Sort, Value};
use super::{Elaboration, Ended};
use crate::diagnostic::nearest_name::{nearest, nearest_by};
use crate::diagnostic::{Diagnostic, MAX_ERRORS, brief};
use crate::parse::number::number_word;
use crate::syntax::{Expression, NodeKind};

/// Words for the rows of a shape, which are no names of the language.
const ROWS: [&str; 9] = [
    "batch", "batches", "input", "inputs", "row", "rows", "column", "columns", "axis",
];

/// The advice for one of these words, which probably says over which axes a function goes.
const OVER_ROWS: &str = "if it says over which axes a function goes, write a spec: `\"n|->c => ->c\"` is over the batch axis `n`, and `outputs` over the outputs";

impl<'a> Elaboration<'a, '_> {
    /// Finds the function of the language that a call names directly.
    pub(super) fn builtin(&self, expression: &Expression<'a>, callee: usize) -> Option<Builtin> {
        let NodeKind::Name(name) = &expression.nodes[callee].kind else {
            return None;
        };
        match self.scopes.find(self.scope, name).map(|found| &found.value) {
            Some(Value::Builtin(builtin)) => Some(*builtin),
            // A value that is not a function cannot be called, so the name before the parentheses is that of the
            // language.
            Some(value) if value.may_be_called() => None,
            _ => Builtin::named(name),
        }
    }

    /// Returns the error that a call names an unknown function.
    pub(super) fn unknown_function(
        &self,
        expression: &Expression<'a>,
        callee: usize,
    ) -> Option<Diagnostic> {
        let node = &expression.nodes[callee];
        let NodeKind::Name(name) = node.kind else {
            return None;
        };
        let known = self.scopes.find(self.scope, name).is_some()
            || Builtin::named(name).is_some()
            || self.names.broken.contains(name)
            || self.files.names_are_missing
            || super::section::is_word(name)
            || self.scopes.size(self.scope, name).is_some();
        if known {
            return None;
        }
        if let Some(error) = self.defined_further_down(name, &node.span) {
            return Some(error);
        }
        let message = format!("unknown function `{}`", brief(name));
        let error = Diagnostic::new(node.span.clone(), message, "not of the language");
        if let Some(here) = crate::diagnostic::counterpart::function(name) {
            return Some(error.help(here.help()));
        }
        if let Some(help) = crate::diagnostic::counterpart::absent(name) {
            return Some(error.help(help));
        }
        let mut own: Vec<(usize, &str)> = Vec::new();
        for (place, _) in self.scopes.outwards(self.scope) {
            let names = self.scopes.all[place].names.iter();
            let functions = names.filter(|(_, binding)| {
                matches!(binding.value, Value::Function(_) | Value::Instance(_))
            });
            own.extend(functions.map(|(name, binding)| (binding.order, *name)));
        }
        own.sort_unstable();
        let words = crate::syntax::operator::FUNCTIONS
            .iter()
            .map(|(word, _)| *word);
        let words = words.chain(crate::syntax::operator::TENSOR_FUNCTIONS);
        let all = words.chain(own.into_iter().map(|(_, name)| name));
        Some(match nearest(name, all) {
            Some(near) => error.edit(format!("did you mean `{near}`?"), node.span.clone(), near),
            None => error.help(format!(
                "define it above: `def {}(x):`; the language has {}",
                brief(name),
                crate::syntax::operator::FUNCTIONS
                    .map(|(word, _)| format!("`{word}`"))
                    .join(", ")
            )),
        })
    }

    /// Gives a name a meaning in the innermost scope.
    pub(super) fn bind(&mut self, name: &'a str, value: Value<'a>, span: &Span, carried: bool) {
        let order = self.defined;
        self.defined += 1;
        let span = span.clone();
        let binding = Binding {
            value,
            span,
            order,
            carried,
            imported: false,
        };
        self.scopes.all[self.scope].names.insert(name, binding);
    }

    /// Finds the value of a name in an expression.
    pub(super) fn name(&mut self, name: &'a str, span: &Span) -> Value<'a> {
        let owner = self.scopes.owner(self.scope, name);
        let size = self.scopes.size(self.scope, name);
        match (owner, size) {
            (Some(owner), Some((term, place))) if owner == place => {
                let binding = &self.scopes.all[owner].names[name];
                if super::scope::as_size(&binding.value).is_some() {
                    return binding.value.clone();
                }
                let _ = term;
                let error = self.ambiguous(name, owner, span);
                self.report(error);
                Value::Broken
            }
            // The innermost of two definitions.
            (Some(owner), Some((term, place))) if owner < place => sized(term),
            (Some(owner), _) => {
                let value = self.scopes.all[owner].names[name].value.clone();
                self.in_section(value, span)
            }
            (None, Some((term, _))) => sized(term),
            (None, None) => {
                if let Some(value) = self.of_section(name, span) {
                    return value;
                }
                if let Some(builtin) = Builtin::named(name) {
                    return Value::Builtin(builtin);
                }
                let is_defined_elsewhere = self.names.later.contains_key(name)
                    || self.names.ended.contains_key(name)
                    || self.names.broken.contains(name);
                if let (Some(number), false) = (number_word(name), is_defined_elsewhere) {
                    return Value::Number(number);
                }
                if !self.names.broken.contains(name) && !self.files.names_are_missing {
                    let error = self.unknown_name(name, span);
                    self.report(error);
                }
                Value::Broken
            }
        }
    }

    /// Finds the name of a size that inference finds, and the place where it was given this name.
    pub(super) fn late_name(&self, value: &Value<'a>) -> Option<(String, Span)> {
        let (Value::Late(_), Some(term)) = (value, super::scope::as_size(value)) else {
            return None;
        };
        let mut scopes = self.scopes.outwards(self.scope);
        scopes.find_map(|(place, _)| self.scopes.all[place].sizes.named(&term))
    }

    /// Does the same for a tensor that is computed from such a size and from numbers only.
    pub(super) fn late_behind(&self, id: TensorId) -> Option<(String, Span)> {
        let (mut open, mut found) = (vec![id], None);
        for step in self.program.steps.iter().rev() {
            let slots = &step.operation.slots;
            let Some(at) = open.iter().position(|id| *id == slots[0]) else {
                continue;
            };
            open.swap_remove(at);
            match step.late.as_deref() {
                Some(Late::Product(rows)) => {
                    found = found.or_else(|| self.late_name(&Value::Late(Rc::new(rows.clone()))));
                }
                Some(_) => return None,
                None => open.extend(&slots[1..]),
            }
            open.sort_unstable();
            open.dedup();
        }
        found.filter(|_| open.is_empty())
    }

    fn ambiguous(&self, name: &str, owner: usize, span: &Span) -> Diagnostic {
        let shown = brief(name);
        let scope = &self.scopes.all[owner];
        let mut error = Diagnostic::new(
            span.clone(),
            format!("`{shown}` is a tensor and a size"),
            "which of them?",
        )
        .other(scope.names[name].span.clone(), "the tensor");
        if let Some(known) = scope.sizes.get(name) {
            error = error.other(known.span.clone(), "the size");
        }
        error.help("give one of them another name")
    }

    /// Returns the error that a line below defines a name.
    fn defined_further_down(&self, name: &str, span: &Span) -> Option<Diagnostic> {
        if self.frame().source != crate::parse::files::PROGRAM {
            return None;
        }
        let later = self.names.later.get(name)?;
        let message = format!("`{}` is used before it is defined", brief(name));
        let error = Diagnostic::new(span.clone(), message, "used here");
        Some(
            error
                .other(later.clone(), "defined here")
                .help("lines run in order: put the definition first"),
        )
    }

    /// Returns the error that a name belongs to a block above that has ended.
    fn of_ended_block(&self, name: &str, span: &Span) -> Option<Diagnostic> {
        if self.frame().source != crate::parse::files::PROGRAM {
            return None;
        }
        let ended = self.names.ended.get(name)?;
        let shown = brief(name);
        if let (true, Ended::Section) = (ended.lasts, ended.sort) {
            let message = format!("`{shown}` is defined in the section above, which has ended");
            let error = Diagnostic::new(span.clone(), message, "used behind it");
            let help = format!(
                "move the line of `{shown}` above the section: there it has the same first values, and keeps what the steps make of it"
            );
            return Some(error.other(ended.span.clone(), "defined here").help(help));
        }
        let (what, each, help) = match ended.sort {
            Ended::Loop => (
                "loop",
                "turn",
                format!(
                    "to have its last value behind the loop, define it above and write `carry {shown}` behind the range"
                ),
            ),
            Ended::Section => (
                "section",
                "step",
                "put this line into the section; what outlives a section is a `param` or a `state`"
                    .to_string(),
            ),
        };
        let message = format!("`{shown}` is of the {what} above, which has ended");
        let error = Diagnostic::new(span.clone(), message, "used behind it");
        Some(
            error
                .other(ended.span.clone(), format!("defined anew in each {each}"))
                .help(help),
        )
    }

    fn unknown_name(&self, name: &str, span: &Span) -> Diagnostic {
        let shown = brief(name);
        if let Some(error) = self.defined_further_down(name, span) {
            return error;
        }
        if let Some(error) = self.of_ended_block(name, span) {
            return error;
        }
        let error = Diagnostic::new(
            span.clone(),
            match self.a_size_is_wanted {
                true => format!("there is no size `{shown}`"),
                false => format!("there is no tensor `{shown}`"),
            },
            "not defined",
        );
        if crate::diagnostic::counterpart::is_module(name) {
            return error.help("the functions of the language belong to no module: write `exp(x)`, `relu(x)`, `dense(8)(x)`");
        }
        if matches!(name, "True" | "False" | "true" | "false") {
            return error.help("conditions are numbers: 1 where they hold, else 0");
        }
        if matches!(name, "None" | "null" | "nil") {
            return error.help("every cell has a value; one that is missing is `nan` in a file of data, and of those `x == x` is 0");
        }
        // If a name is defined twice, one of the two may have been meant to define the missing one.
        match self.nearest(name).filter(|_| !self.names.is_doubled) {
            // The suggestion becomes an edit only if the name is defined above, because only then can it be read here.
            Some(near) if self.scopes.owner(self.scope, &near).is_some() => {
                error.edit(format!("did you mean `{near}`?"), span.clone(), near)
            }
            Some(near) => error.help(format!("did you mean `{near}`? It is defined further down")),
            None => error.help(match crate::diagnostic::counterpart::function(name) {
                Some(here) => here.help(),
                None if ROWS.contains(&name) => OVER_ROWS.to_string(),
                None if self.a_size_is_wanted => {
                    format!("define it above: `size {shown} = 128`")
                }
                None => format!(
                    "define it above: `let {shown} = …`, or `param {shown}` for a parameter whose shape is to be inferred"
                ),
            }),
        }
    }

    /// Finds the name that was probably meant. For errors beyond the last one shown it is not computed, because nobody
    /// reads it.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        if self.reports.errors.len() >= MAX_ERRORS {
            return None;
        }
        let mut inner: Vec<(usize, &str)> = Vec::new();
        for (place, _) in self.scopes.outwards(self.scope) {
            let scope = &self.scopes.all[place];
            // The program's own names follow from `written`, in the order of its text; those of the prelude are not
            // candidates.
            let main = self.frame().source == crate::parse::files::PROGRAM;
            let names = scope.names.iter();
            let names = names.filter(|(_, binding)| match scope.sort {
                Sort::File => place > 0 && (!main || binding.imported),
                Sort::Call | Sort::Turn => true,
            });
            inner.extend(names.map(|(name, binding)| (binding.order, *name)));
        }
        inner.sort_unstable();
        let inner = inner.into_iter().map(|(_, name)| name);
        let written: &[&str] = match self.frame().source {
            crate::parse::files::PROGRAM => &self.names.written,
            _ => &[],
        };
        let names = inner.chain(written.iter().copied());
        nearest_by(name, names, |near| u8::from(self.is_read(near))).map(String::from)
    }

    /// Tells whether an operation above reads the tensor of a name.
    fn is_read(&self, name: &str) -> bool {
        let owner = self.scopes.owner(self.scope, name);
        let value = owner.map(|owner| &self.scopes.all[owner].names[name].value);
        match value {
            Some(Value::Tensor(id)) => {
                self.tensors.last_use[id.0].is_some_and(|(_, slot)| slot > 0)
            }
            _ => true,
        }
    }
}

pub(super) fn sized<'a>(term: DimTerm) -> Value<'a> {
    match term {
        DimTerm::Const(dim) => Value::Size(dim),
        term => Value::Late(Rc::new(vec![RowTerm::closed(Vec::new(), vec![term])])),
    }
}
