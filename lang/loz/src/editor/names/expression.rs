//! The names in expressions.

use hashbrown::{HashMap, HashSet};

use lozenge_vocabulary::program::Span;

use crate::parse::einsum::logic;
use crate::syntax::{Argument, Each, Expression, NodeKind};

use super::Sort;
use super::scopes::Scopes;

/// The known meaning of a part of an expression.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Symbol(usize),
    /// An instance of a function.
    Instance(usize),
}

impl<'a> Scopes<'a> {
    /// Traverses an expression. Returns the function of which its value is an instance, if the text determines it.
    pub(super) fn expression(&mut self, expression: &'a Expression<'a>) -> Option<usize> {
        let nodes = &expression.nodes;
        let turns = self.turns(expression);
        let callees = nodes.iter().filter_map(|node| match node.kind {
            NodeKind::Call(callee, _) => Some(callee),
            _ => None,
        });
        let called: HashSet<usize> = callees.collect();
        let mut found: Vec<Option<Meaning>> = vec![None; nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            match &node.kind {
                NodeKind::Name(name) => {
                    let turn = turns.get(&at).copied();
                    let known = match called.contains(&at) && turn.is_none() {
                        true => self.called(name, &node.span),
                        false => self.name(name, turn, &node.span),
                    };
                    found[at] = known.map(Meaning::Symbol);
                }
                NodeKind::Text(text, captures) => {
                    let end = node.span.start + text.len() + 2;
                    if let Ok(logic) = logic(text, node.span.start..end) {
                        self.spec(&logic, captures);
                    }
                }
                NodeKind::Field(of, field) if field.text != "grad" => {
                    found[at] = self.member(found[*of], field.text, &field.span);
                }
                NodeKind::Call(callee, arguments) => {
                    self.arguments_of(found[*callee], arguments);
                    found[at] = self.instance(found[*callee]);
                }
                _ => {}
            }
        }
        let root = found.pop().flatten();
        root.and_then(|root| self.function_of(root))
    }

    /// Finds the names in an expression that are variables of its list comprehensions.
    ///
    /// The traversal goes from the end to the start: so a list comes before its element, and its variable is known
    /// there, and only there.
    fn turns(&mut self, expression: &'a Expression<'a>) -> HashMap<usize, usize> {
        let nodes = &expression.nodes;
        let mut found = HashMap::new();
        // The element of each list with the list's variable; for each name the enclosing elements, the innermost last.
        let mut elements: HashMap<usize, (&'a str, usize)> = HashMap::new();
        let mut open: HashMap<&'a str, Vec<(Span, usize)>> = HashMap::new();
        for (at, node) in nodes.iter().enumerate().rev() {
            if let Some((name, symbol)) = elements.remove(&at) {
                let inside = (node.span.clone(), symbol);
                open.entry(name).or_default().push(inside);
            }
            match &node.kind {
                NodeKind::Each(each) => {
                    let Each { element, name, .. } = &**each;
                    let symbol = self.symbol(name.text, Sort::Turn, &name.span);
                    elements.insert(*element, (name.text, symbol));
                }
                NodeKind::Name(name) => {
                    let turn = open.get_mut(name).and_then(|open| turn(open, &node.span));
                    found.extend(turn.map(|turn| (at, turn)));
                }
                _ => {}
            }
        }
        found
    }

    fn name(&mut self, name: &'a str, turn: Option<usize>, place: &Span) -> Option<usize> {
        if let Some(symbol) = turn.or_else(|| self.find(name)) {
            self.used(symbol, place);
            return Some(symbol);
        }
        let known = crate::editor::words::is_of_language(name);
        known.then(|| self.of_language(name, place))
    }

    /// Resolves a name before parentheses: if the text gives it to something that is not a function, it means the
    /// function of the language.
    fn called(&mut self, name: &'a str, place: &Span) -> Option<usize> {
        let is_data = |sort| {
            matches!(
                sort,
                Sort::Data | Sort::Param | Sort::Constant | Sort::Size | Sort::File
            )
        };
        match self.find(name) {
            Some(symbol)
                if is_data(self.symbols[symbol].sort)
                    && crate::editor::words::is_function(name) =>
            {
                Some(self.of_language(name, place))
            }
            _ => self.name(name, None, place),
        }
    }

    /// Finds the function that something is an instance of.
    fn function_of(&self, meaning: Meaning) -> Option<usize> {
        match meaning {
            Meaning::Symbol(symbol) => self.instances.get(&symbol).copied(),
            Meaning::Instance(function) => Some(function),
        }
    }

    /// Resolves `of.name`: a parameter of the function that an instance is of.
    fn member(&mut self, of: Option<Meaning>, name: &'a str, place: &Span) -> Option<Meaning> {
        if let Some(Meaning::Symbol(symbol)) = of
            && self.symbols[symbol].sort == Sort::File
        {
            return Some(Meaning::Symbol(self.member_of_file(symbol, name, place)));
        }
        let function = of.and_then(|of| self.function_of(of));
        let member = function.and_then(|function| self.members.get(&(function, name)).copied());
        match (member, function) {
            (Some(member), _) => self.used(member, place),
            // The parameters of a function of the prelude do not belong to this text.
            (None, Some(function)) if self.symbols[function].sort == Sort::Language => {}
            _ => self.hidden.push(name),
        }
        member.map(Meaning::Symbol)
    }

    /// Resolves the names of the arguments of a call.
    fn arguments_of(&mut self, callee: Option<Meaning>, arguments: &'a [Argument<'a>]) {
        let lists = callee.and_then(|callee| match (self.function_of(callee), callee) {
            (Some(function), _) => Some((function, 1)),
            (None, Meaning::Symbol(function)) => Some((function, 0)),
            (None, Meaning::Instance(_)) => None,
        });
        for name in arguments
            .iter()
            .filter_map(|argument| argument.name.as_deref())
        {
            let symbol = lists.and_then(|(function, list)| {
                let lists = self.arguments.get(&function)?;
                lists.get(list)?.get(name.text).copied()
            });
            let of_language =
                lists.is_some_and(|(function, _)| self.symbols[function].sort == Sort::Language);
            match symbol {
                Some(symbol) => self.used(symbol, &name.span),
                None if of_language => {}
                None => self.hidden.push(name.text),
            }
        }
    }

    /// Finds the result of the first call of a function with two argument lists.
    fn instance(&self, callee: Option<Meaning>) -> Option<Meaning> {
        let Some(Meaning::Symbol(function)) = callee else {
            return None;
        };
        let two_lists = self
            .arguments
            .get(&function)
            .is_some_and(|lists| lists.len() == 2);
        let makes = two_lists || self.symbols[function].sort == Sort::Language;
        makes.then_some(Meaning::Instance(function))
    }
}

/// Finds the variable to which a name refers: that of the innermost enclosing element. Names are visited from right to
/// left, so an element that does not contain one name contains none of the later ones.
fn turn(open: &mut Vec<(Span, usize)>, place: &Span) -> Option<usize> {
    while let Some((inside, symbol)) = open.last() {
        if inside.start <= place.start && place.end <= inside.end {
            return Some(*symbol);
        }
        open.pop();
    }
    None
}
