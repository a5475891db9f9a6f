//! Statements and blocks.

use hashbrown::{HashMap, HashSet};

use lozenge_vocabulary::program::Span;

use crate::syntax::{
    Definition, Expression, Formal, Name, OperatorDefinition, Repetition, Section, Statement, Turns,
};

use super::scopes::{Block, Scopes};
use super::{Entry, Names, Sort};

/// Finds the names of the statements of a text.
pub(super) fn names<'a>(statements: &'a [Statement<'a>], elsewhere: &'a [(String, Sort)]) -> Names {
    let mut scopes = Scopes::new();
    scopes.enter(Block::File);
    for (name, sort) in elsewhere {
        scopes.foreign(name, *sort);
    }
    let outline = scopes.block(Block::File, statements, None);
    let hidden: HashSet<&str> = scopes.hidden.iter().copied().collect();
    let members: HashSet<usize> = scopes.members.values().copied().collect();
    for (number, symbol) in scopes.symbols.iter_mut().enumerate() {
        let by_name = members.contains(&number) || symbol.sort == Sort::Argument;
        symbol.hidden_uses = by_name && hidden.contains(symbol.name.as_str());
        if let Some(uses) = symbol.places.get_mut(1..) {
            uses.sort_by_key(|place| place.start);
        }
        symbol.places.dedup();
    }
    let symbols = scopes.symbols.iter().enumerate();
    let mut places: Vec<(Span, usize)> = symbols
        .flat_map(|(number, symbol)| symbol.places.iter().map(move |p| (p.clone(), number)))
        .collect();
    places.sort_by_key(|(place, _)| place.start);
    Names {
        symbols: scopes.symbols,
        outline,
        places,
        elsewhere: scopes.elsewhere,
    }
}

impl<'a> Scopes<'a> {
    /// Traverses a block in a scope of its own. `function` is the function whose body it is.
    fn block(
        &mut self,
        sort: Block,
        block: &'a [Statement<'a>],
        function: Option<usize>,
    ) -> Vec<Entry> {
        self.enter(sort);
        let outline = self.statements(block, function);
        self.leave();
        outline
    }

    /// Visits statements. The recursion is bounded: the reader limits how deeply blocks are nested.
    fn statements(&mut self, block: &'a [Statement<'a>], function: Option<usize>) -> Vec<Entry> {
        self.sizes_of(block);
        let mut outline = Vec::new();
        for statement in block {
            outline.extend(self.statement(statement, function));
        }
        outline
    }

    fn statement(&mut self, statement: &'a Statement<'a>, function: Option<usize>) -> Vec<Entry> {
        match statement {
            Statement::Data { .. }
            | Statement::Param { .. }
            | Statement::Constant { .. }
            | Statement::Let { .. }
            | Statement::Size { .. } => self.definition(statement, function),
            Statement::Assign { .. } => self.assignment(statement),
            Statement::Def(definition) => vec![self.function(definition)],
            Statement::Op(definition) => vec![self.operator(definition)],
            Statement::For(repetition) => self.repetition(repetition, function),
            Statement::Section(section) => self.section(section, function),
            Statement::EachEpoch(lines) => self.block(Block::Turn, &lines.body, function),
            Statement::Print(all) | Statement::Results(all) => {
                for expression in all {
                    self.expression(expression);
                }
                Vec::new()
            }
            Statement::Save {
                expression,
                path: _,
            }
            | Statement::Backward(expression) => {
                self.expression(expression);
                Vec::new()
            }
            Statement::Assert { expression, shape } => {
                self.expression(expression);
                self.shape(shape.as_deref());
                Vec::new()
            }
            Statement::Use {
                path: _,
                place,
                alias,
            } => {
                let entries = alias.iter().map(|name| {
                    self.define(name.text, Sort::File, &name.span);
                    Entry {
                        whole: place.start..name.span.end,
                        ..entry(name, Sort::File, name.span.end)
                    }
                });
                entries.collect()
            }
        }
    }

    /// Visits a statement that does nothing but define names.
    fn definition(&mut self, statement: &'a Statement<'a>, function: Option<usize>) -> Vec<Entry> {
        match statement {
            Statement::Data {
                name, shape, place, ..
            } => {
                self.shape(shape.as_deref());
                self.define(name.text, Sort::Data, &name.span);
                vec![entry(name, Sort::Data, place.end)]
            }
            Statement::Param {
                name,
                shape,
                initial,
                ..
            } => {
                self.shape(shape.as_deref());
                let symbol = self.define(name.text, Sort::Param, &name.span);
                if let Some(function) = function {
                    self.members.insert((function, name.text), symbol);
                }
                if let Some(initial) = initial {
                    self.expression(initial);
                }
                let shape_end = shape.as_deref().map(|(_, span)| span.end);
                let end = initial.as_ref().map(|value| value.root().span.end);
                let end = end.or(shape_end).unwrap_or(name.span.end);
                vec![entry(name, Sort::Param, end)]
            }
            Statement::Constant { name, shape, .. } => {
                self.shape(shape.as_deref());
                self.define(name.text, Sort::Constant, &name.span);
                let end = shape.as_deref().map_or(name.span.end, |(_, span)| span.end);
                vec![entry(name, Sort::Constant, end)]
            }
            Statement::Let {
                names,
                shape,
                expression,
            } => {
                let made = self.expression(expression);
                self.shape(shape.as_deref());
                let end = expression.root().span.end;
                let defined = names.iter().map(|name| {
                    let symbol = self.defined(name, function);
                    if let (Some(made), [_]) = (made, &names[..]) {
                        self.instances.insert(symbol, made);
                    }
                    entry(name, Sort::Let, end)
                });
                defined.collect()
            }
            Statement::Size { name, expression } => {
                self.expression(expression);
                vec![entry(name, Sort::Size, expression.root().span.end)]
            }
            _ => Vec::new(),
        }
    }

    /// Visits an assignment, which defines its name where the name is new and the present value is erased.
    fn assignment(&mut self, statement: &'a Statement<'a>) -> Vec<Entry> {
        let Statement::Assign {
            name,
            accumulator,
            expression,
            logic,
            captures,
        } = statement
        else {
            return Vec::new();
        };
        self.expression(expression);
        if let Some(logic) = logic {
            self.spec(logic, captures);
        }
        let updated = self.find_here(name.text);
        match updated.or_else(|| self.updated(name, accumulator.erase)) {
            Some(symbol) => {
                self.used(symbol, &name.span);
                Vec::new()
            }
            None if accumulator.erase => {
                self.define(name.text, Sort::Let, &name.span);
                vec![entry(name, Sort::Let, expression.root().span.end)]
            }
            None => Vec::new(),
        }
    }

    /// Finds the symbol that a `let` defines: a new one, or one that the enclosing loop carries.
    fn defined(&mut self, name: &'a Name<'a>, function: Option<usize>) -> usize {
        let symbol = self.define(name.text, Sort::Let, &name.span);
        if let Some(function) = function {
            self.members.insert((function, name.text), symbol);
        }
        symbol
    }

    /// Finds the symbol that an assignment updates outside of this function or file. Any name qualifies, if the
    /// assignment keeps the present value.
    fn updated(&mut self, name: &'a Name<'a>, erases: bool) -> Option<usize> {
        (!erases).then(|| self.find(name.text)).flatten()
    }

    fn function(&mut self, definition: &'a Definition<'a>) -> Entry {
        let lists = [Some(&definition.config), definition.tensors.as_ref()];
        let lists: Vec<&'a Vec<Formal<'a>>> = lists.into_iter().flatten().collect();
        for formal in lists.iter().flat_map(|list| list.iter()) {
            if let Some(default) = &formal.default {
                self.expression(default);
            }
        }
        let name = &definition.name;
        let function = self.define(name.text, Sort::Function, &name.span);
        self.enter(Block::Function);
        let named = lists.iter().map(|list| {
            let formals = list.iter().map(|Formal { name, .. }| {
                (
                    name.text,
                    self.define(name.text, Sort::Argument, &name.span),
                )
            });
            formals.collect::<HashMap<&str, usize>>()
        });
        let named = named.collect();
        self.arguments.insert(function, named);
        let inside = self.statements(&definition.body, Some(function));
        self.leave();
        let end = end_of(&definition.body).max(definition.lists.end);
        Entry {
            inside,
            ..entry(name, Sort::Function, end)
        }
    }

    /// Visits an operator: its lines read its operands and write `v`, `g1` and the like, which are not visible
    /// elsewhere.
    fn operator(&mut self, definition: &'a OperatorDefinition<'a>) -> Entry {
        let name = &definition.name;
        self.define(name.text, Sort::Operator, &name.span);
        self.spec(&definition.logic, &[]);
        self.enter(Block::Function);
        for operand in &definition.operands {
            self.define(operand.text, Sort::Argument, &operand.span);
        }
        for line in &definition.lines {
            self.expression(&line.expression);
        }
        self.leave();
        let ends = definition
            .lines
            .iter()
            .map(|line| line.expression.root().span.end);
        entry(name, Sort::Operator, ends.max().unwrap_or(name.span.end))
    }

    fn repetition(
        &mut self,
        repetition: &'a Repetition<'a>,
        function: Option<usize>,
    ) -> Vec<Entry> {
        self.expression(&repetition.from);
        repetition.to.iter().for_each(|to| {
            self.expression(to);
        });
        let carried: Vec<(&'a Name<'a>, Option<usize>)> = repetition
            .carry
            .iter()
            .map(|name| (name, self.find(name.text)))
            .collect();
        self.enter(Block::Turn);
        self.define(repetition.name.text, Sort::Turn, &repetition.name.span);
        for (name, symbol) in carried {
            if let Some(symbol) = symbol {
                self.used(symbol, &name.span);
                self.bind(name.text, symbol);
            }
        }
        let inside = self.statements(&repetition.body, function);
        self.leave();
        inside
    }
}

impl<'a> Scopes<'a> {
    /// Visits a section, whose lines have names of their own in each step.
    fn section(&mut self, section: &'a Section<'a>, function: Option<usize>) -> Vec<Entry> {
        match &section.turns {
            Turns::Steps(steps) => {
                self.expression(steps);
            }
            Turns::Epochs {
                epochs,
                batch,
                label,
                shuffled: _,
            } => {
                self.expression(epochs);
                self.expression(batch);
                if let Some(size) = self.find_size(label.text) {
                    self.used(size, &label.span);
                }
            }
        }
        self.block(Block::Turn, &section.body, function)
    }
}

fn entry(name: &Name, sort: Sort, end: usize) -> Entry {
    Entry {
        name: name.text.to_string(),
        sort,
        place: name.span.clone(),
        whole: name.span.start..end.max(name.span.end),
        inside: Vec::new(),
    }
}

/// Finds the last end of an expression or name in a block.
fn end_of(block: &[Statement]) -> usize {
    let last = |all: &[Expression]| all.last().map_or(0, |e| e.root().span.end);
    block.last().map_or(0, |statement| match statement {
        Statement::Data { place, .. } => place.end,
        Statement::Param { name, initial, .. } => initial
            .as_ref()
            .map_or(name.span.end, |value| value.root().span.end),
        Statement::Constant { name, .. } => name.span.end,
        Statement::Use { place, alias, .. } => {
            alias.as_ref().map_or(place.end, |name| name.span.end)
        }
        Statement::Backward(expression) => expression.root().span.end,
        Statement::Let { expression, .. }
        | Statement::Size { expression, .. }
        | Statement::Assign { expression, .. }
        | Statement::Save { expression, .. }
        | Statement::Assert { expression, .. } => expression.root().span.end,
        Statement::Print(all) | Statement::Results(all) => last(all),
        Statement::Def(definition) => end_of(&definition.body).max(definition.lists.end),
        Statement::Section(section) => end_of(&section.body).max(section.header.end),
        Statement::EachEpoch(lines) => end_of(&lines.body).max(lines.header.end),
        Statement::For(repetition) => end_of(&repetition.body).max(repetition.header.end),
        Statement::Op(definition) => {
            let lines = definition.lines.last();
            lines.map_or(definition.name.span.end, |line| {
                line.expression.root().span.end
            })
        }
    })
}
