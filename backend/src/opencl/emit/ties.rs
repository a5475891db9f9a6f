//! The code for conditions on sums of loop variables, which decide what points are skipped and which of them write a
//! cell.
//!
//! A *guard* says that a sum lies within an axis. It is tested as soon as all of its loops are open, so that a row of a
//! window that lies outside is skipped as a whole. Sums are unsigned: a negative sum wraps around and is larger than
//! every axis.
//!
//! A *tie* says that a sum is the position of the cell. All loops of the sum except the last run between the bounds
//! that the other loops leave, and the value of the last follows by division. No cell is written by two work-items, and
//! nothing is atomic.

use super::text::{Text, scaled};
use crate::opencl::plan::conditions::{Guard, Sum, Tie, Variable};

impl Text<'_> {
    /// Ends the work-item if the guards of the written tensor skip its cell.
    pub fn leave_outside(&mut self) {
        let loops = self.loops;
        let written = loops.guards.iter().filter(|guard| guard.written);
        let tests: Vec<String> = written.map(|guard| self.test(guard)).collect();
        if !tests.is_empty() {
            let leave = if self.strips > 0 {
                "continue"
            } else {
                "return"
            };
            self.line(format!("if (!({})) {leave};", tests.join(" && ")));
        }
    }

    /// Opens the guards of operands whose last reduced loop is this one; for `None`, those that read no reduced loop.
    pub(super) fn open_guards(&mut self, last: Option<usize>) {
        let loops = self.loops;
        let due = loops.guards.iter();
        let due = due.filter(|guard| !guard.written && guard.sum.last() == last);
        let tests: Vec<String> = due.map(|guard| self.test(guard)).collect();
        if !tests.is_empty() {
            self.open(format!("if ({}) {{", tests.join(" && ")));
        }
    }

    fn test(&self, guard: &Guard) -> String {
        let suffix = self.suffix();
        format!("{} < {}{suffix}", self.sum(&guard.sum), guard.size)
    }

    /// Writes the sum as an unsigned expression.
    fn sum(&self, sum: &Sum) -> String {
        let terms = sum
            .terms
            .iter()
            .map(|(coefficient, variable)| scaled(&variable.name(), *coefficient));
        let terms: Vec<String> = terms.collect();
        let text = match terms.is_empty() {
            true => format!("({})0", self.index),
            false => terms.join(" + "),
        };
        match sum.offset {
            0 => text,
            offset @ 1.. => format!("{text} + {offset}"),
            offset => format!("{text} - {}", offset.unsigned_abs()),
        }
    }

    /// Opens a reduced loop: it runs over its extent, or over the part that its ties allow.
    pub(super) fn open_loop(&mut self, number: usize) {
        let loops = self.loops;
        let (index, extent) = (self.index, loops.reduced[number].extent);
        let name = format!("k{number}");
        let ties = loops.ties.iter().enumerate();
        let ties: Vec<(usize, &Tie)> = ties
            .filter(|(_, tie)| tie.sum.coefficient(number) > 0)
            .collect();
        if ties.is_empty() {
            self.open(format!(
                "for ({index} {name} = 0; {name} < {extent}; ++{name}) {{"
            ));
            return;
        }
        let signed = self.signed();
        for (at, tie) in &ties {
            let left = self.left_over(tie, number);
            self.line(format!("const {signed} left{at}_{number} = {left};"));
        }
        let solving = |(_, tie): &&(usize, &Tie)| tie.sum.last() == Some(number);
        match ties.iter().find(solving) {
            Some((at, tie)) => {
                let left = format!("left{at}_{number}");
                let c = tie.sum.coefficient(number);
                let whole = match c {
                    1 => String::new(),
                    _ => format!(" && {left} % {c} == 0"),
                };
                let value = match c {
                    1 => left.clone(),
                    _ => format!("{left} / {c}"),
                };
                let mut tests = format!("{left} >= 0{whole} && {value} < {extent}");
                let others = ties.iter().filter(|other| solving(other) && other.0 != *at);
                for (other, tie) in others {
                    let c = tie.sum.coefficient(number);
                    tests += &format!(
                        " && left{other}_{number} == {}",
                        scaled(&format!("({value})"), c)
                    );
                }
                self.open(format!("if ({tests}) {{"));
                self.constant(&name, format!("({index})({value})"));
            }
            None => {
                let mut first = "0".to_string();
                let mut last = format!("{}", extent - 1);
                for (at, tie) in &ties {
                    let left = format!("left{at}_{number}");
                    let c = tie.sum.coefficient(number);
                    let reach = self.reach_after(tie, number);
                    let quotient = |value: String, c: u64| match c {
                        1 => value,
                        _ => format!("({value}) / {c}"),
                    };
                    let least = quotient(format!("{left} - {reach} + {}", c - 1), c);
                    first = format!(
                        "max(({signed})({first}), ({signed})({left} > {reach} ? {least} : 0))"
                    );
                    let most = quotient(left.clone(), c);
                    last = format!("min(({signed})({last}), ({signed})({left} < 0 ? -1 : {most}))");
                }
                self.line(format!("const {signed} first{number} = {first};"));
                self.line(format!("const {signed} last{number} = {last};"));
                self.open(format!(
                    "for ({signed} s{number} = first{number}; s{number} <= last{number}; ++s{number}) {{"
                ));
                self.constant(&name, format!("({index})s{number}"));
            }
        }
    }

    /// Writes the part of a tie's position that this loop and those inside it have to make up, given the loops that are
    /// open.
    fn left_over(&self, tie: &Tie, number: usize) -> String {
        let signed = self.signed();
        let mut text = format!("({signed}){}", tie.cell.name());
        match tie.sum.offset {
            0 => {}
            offset @ 1.. => text += &format!(" - {offset}"),
            offset => text += &format!(" + {}", offset.unsigned_abs()),
        }
        for (coefficient, variable) in &tie.sum.terms {
            let open = match variable {
                Variable::Free(_) => true,
                Variable::Reduced(other) => *other < number,
            };
            if open {
                let value = format!("({signed}){}", variable.name());
                text += &format!(" - {}", scaled(&value, *coefficient));
            }
        }
        text
    }

    /// Returns the largest contribution to a tie by the loops inside a loop.
    fn reach_after(&self, tie: &Tie, number: usize) -> u64 {
        let terms = tie.sum.terms.iter();
        let inside = terms.filter_map(|(coefficient, variable)| match variable {
            Variable::Reduced(other) if *other > number => {
                Some(coefficient * (self.loops.reduced[*other].extent - 1))
            }
            _ => None,
        });
        inside.sum()
    }

    /// Names the signed type as wide as indices are.
    fn signed(&self) -> &'static str {
        if self.index == "uint" { "int" } else { "long" }
    }

    /// Returns the suffix that makes a literal unsigned and as wide as indices.
    fn suffix(&self) -> &'static str {
        if self.index == "uint" { "u" } else { "UL" }
    }
}
