//! The iterations of loops and of lists.

use std::rc::Rc;

use super::machine::Machine;
use super::operation::Want;
use super::scope::{Elements, Scope, Sort, Value};
use super::sizes::{self, Sizes};
use super::{Elaboration, Ended};
use crate::diagnostic::{Diagnostic, brief};
use crate::syntax::{Each, Name, NodeKind, Repetition};
use lozenge_vocabulary::program::Span;

/// The least number of counted parts that an iteration of a loop has.
const PARTS_OF_A_TURN: u64 = 2;

impl<'a> Elaboration<'a, '_> {
    /// Lists the iterations of a loop: the value and the name of each.
    pub(super) fn turns(
        &mut self,
        from: (&Value<'a>, &Span),
        to: Option<(&Value<'a>, &Span)>,
    ) -> Option<Vec<(String, Value<'a>)>> {
        let Some(to) = to else {
            return match from.0 {
                Value::List(list) => Some(
                    list.iter()
                        .enumerate()
                        .map(|(at, value)| (self.turn_name(at, value), value.clone()))
                        .collect(),
                ),
                Value::Broken => None,
                other => {
                    let message = format!(
                        "a loop runs over a list or a range, and this is {}",
                        other.word()
                    );
                    self.report(
                        Diagnostic::new(from.1.clone(), message, "no list")
                            .help("write `for i in 0..12:` where other languages have `range(12)`, or `for w in params(loss):`"),
                    );
                    None
                }
            };
        };
        let mut bounds = [0.0; 2];
        for (bound, (value, span)) in bounds.iter_mut().zip([from, to]) {
            match self.static_number(value) {
                Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => *bound = number,
                Some(number) => {
                    self.report(
                        Diagnostic::new(
                            span.clone(),
                            format!("{number} bounds no loop"),
                            "a bound",
                        )
                        .help("a bound is a whole number"),
                    );
                    return None;
                }
                None => {
                    if !matches!(value, Value::Broken) {
                        let error = self.not_early(value, span, "the bound of a loop");
                        self.report(error);
                    }
                    return None;
                }
            }
        }
        let count = bounds[1] - bounds[0];
        let most = self.program.surroundings.limits.parts / PARTS_OF_A_TURN;
        if count > most as f64 {
            self.report(
                Diagnostic::new(
                    from.1.start..to.1.end,
                    format!("a loop of {count} turns is too long to be written out"),
                    format!("at most {most} turns"),
                )
                .help("a loop is written out before inference: let a spec run over an axis in its place; --max-parts raises the limit"),
            );
            return None;
        }
        let (from, to) = (bounds[0] as i64, bounds[1] as i64);
        Some(
            (from..to)
                .map(|turn| (turn.to_string(), Value::Number(turn as f64)))
                .collect(),
        )
    }

    /// Makes the name of an iteration. One over a list of tensors is named after its tensor.
    fn turn_name(&self, at: usize, value: &Value<'a>) -> String {
        match value {
            Value::Tensor(id) => self.program[*id].name.to_string(),
            _ => at.to_string(),
        }
    }

    pub(super) fn each(&mut self, machine: &mut Machine<'a>, at: usize) -> Value<'a> {
        let expression = machine.expression;
        let node = &expression.nodes[at];
        let NodeKind::Each(each) = &node.kind else {
            return Value::Broken;
        };
        let Each {
            element,
            name,
            from,
            to,
        } = &**each;
        let bounds = machine.take(1 + usize::from(to.is_some()));
        let place = |at: usize| &expression.nodes[at].span;
        let to = to.and_then(|to| Some((bounds.get(1)?, place(to))));
        let Some(turns) = self.turns((&bounds[0], place(*from)), to) else {
            return Value::Broken;
        };
        if !self.deeper(&node.span) {
            return Value::Broken;
        }
        let mut made = Vec::new();
        for (turn, value) in turns {
            if !self.works(&node.span) {
                break;
            }
            self.enter_turn(turn, name, value);
            made.push(self.evaluate_node(expression, *element, Want::Part));
            self.leave_turn();
        }
        self.effort.levels -= 1;
        match made.iter().any(|value| matches!(value, Value::Broken)) {
            true => Value::Broken,
            false => Value::List(Rc::new(Elements(made))),
        }
    }

    pub(super) fn enter_turn(&mut self, turn: String, name: &Name<'a>, value: Value<'a>) {
        self.frame_mut().turns.push(turn);
        self.enter_scope(Sizes::default());
        self.bind(name.text, value, &name.span, false);
    }

    /// Enters a scope inside the present one, with these sizes.
    pub(super) fn enter_scope(&mut self, sizes: Sizes) {
        let parent = self.scope;
        self.scope = self.scopes.all.len();
        self.scopes.all.push(Scope {
            sort: Sort::Turn,
            parent: Some(parent),
            sees: usize::MAX,
            names: Default::default(),
            sizes,
        });
    }

    /// Goes back to the scope around the present one.
    pub(super) fn leave_scope(&mut self) {
        if let Some(scope) = self.scopes.all.pop() {
            self.scope = scope.parent.unwrap_or(0);
        }
    }

    pub(super) fn leave_turn(&mut self) {
        self.frame_mut().turns.pop();
        self.leave_scope();
    }

    pub(super) fn repetition(&mut self, repetition: &'a Repetition<'a>) {
        let from = self.evaluate(&repetition.from, Want::Part);
        let to = repetition
            .to
            .as_ref()
            .map(|to| (self.evaluate(to, Want::Part), to));
        let from_span = &repetition.from.root().span;
        let to = to.as_ref().map(|(value, to)| (value, &to.root().span));
        let Some(turns) = self.turns((&from, from_span), to) else {
            for name in &repetition.carry {
                self.bind(name.text, Value::Broken, &name.span, false);
            }
            return;
        };
        let mut carried: Vec<Value<'a>> = Vec::new();
        for name in &repetition.carry {
            if self.scopes.owner(self.scope, name.text).is_none() {
                let message = format!("`{}` is not defined before the loop", brief(name.text));
                self.report(
                    Diagnostic::new(name.span.clone(), message, "carried from turn to turn")
                        .help("the first turn needs a value: define it above the loop"),
                );
                carried.push(Value::Broken);
            } else {
                carried.push(self.name(name.text, &name.span));
            }
        }
        if !self.deeper(&repetition.header) {
            return;
        }
        for (turn, value) in turns {
            if !self.works(&repetition.header) {
                break;
            }
            self.enter_turn(turn, &repetition.name, value);
            let mut wrong = Vec::new();
            self.scopes.all[self.scope].sizes = sizes::Sizes::new(&repetition.body, &mut wrong);
            for error in wrong {
                self.report(error);
            }
            for (name, value) in repetition.carry.iter().zip(&carried) {
                self.bind(name.text, value.clone(), &name.span, true);
            }
            self.block(&repetition.body, None);
            for (name, value) in repetition.carry.iter().zip(&mut carried) {
                if let Some(binding) = self.scopes.all[self.scope].names.get(name.text) {
                    *value = binding.value.clone();
                }
            }
            self.leave_turn();
        }
        self.effort.levels -= 1;
        self.end_of_block(&repetition.body, Ended::Loop);
        for (name, value) in repetition.carry.iter().zip(carried) {
            let before = self.scopes.all[self.scope].names.get(name.text);
            let carried = before.is_some_and(|binding| binding.carried);
            self.bind(name.text, value, &name.span, carried);
        }
    }
}
