//! The header of a function: its parameters and the type of its result.

use lozenge_diagnostic::{Diagnostic, Parsed, brief};
use rustc_hash::FxHashMap;

use super::Parser;
use crate::syntax::{Function, FunctionId, NameId, NodeKind, Parameter};

/// The deepest nesting of functions.
const DEEPEST: usize = 128;

impl<'t> Parser<'t> {
    /// Reads from `fn` to `{`, and opens the function.
    pub(super) fn header(&mut self) -> Parsed<FunctionId> {
        let span = self.cursor.advance();
        if self.names.depth() == DEEPEST {
            let message = format!("functions nest at most {DEEPEST} deep");
            return Err(Diagnostic::new(span, message, "this one is nested deeper")
                .help("bind an inner function to a name at the top of the program"));
        }
        let function = self.program.functions.len();
        let within = self.names.innermost();
        let enter = self.node(NodeKind::Enter(function), span.clone());
        self.program.functions.push(Function {
            parameters: Vec::new(),
            result_type: None,
            body: enter + 1..enter + 1,
            result: enter,
            captured: Vec::new(),
            within,
            span,
        });
        self.names.enter(function);
        self.cursor.expect("(", "behind `fn`")?;
        let (mut parameters, mut names) = (Vec::new(), FxHashMap::default());
        while !self.cursor.takes(")") {
            parameters.push(self.parameter(&mut names)?);
            if !self.cursor.is(")") {
                self.cursor.expect(",", "or `)` behind a parameter")?;
            }
        }
        self.program.functions[function].parameters = parameters;
        if self.cursor.takes(":") {
            let result = self.cursor.result_type(0)?;
            self.program.functions[function].result_type = Some(result);
        }
        self.cursor.expect("{", "before the body of a function")?;
        Ok(function)
    }

    /// Reads a parameter of a function whose parameters before it have these names.
    fn parameter(&mut self, before: &mut FxHashMap<&'t str, NameId>) -> Parsed<Parameter> {
        let (text, span) = self.cursor.word("a parameter")?;
        if let Some(&twice) = before.get(text) {
            let message = format!("two parameters are called `{}`", brief(text));
            return Err(Diagnostic::new(span, message, "the second one")
                .other(self.program.names[twice].span.clone(), "the first one")
                .help("give one of them another name"));
        }
        let name = self.bind(text, span);
        before.insert(text, name);
        let annotation = match self.cursor.takes(":") {
            true => Some(self.cursor.parameter_type()?),
            false => None,
        };
        Ok(Parameter { name, annotation })
    }
}
