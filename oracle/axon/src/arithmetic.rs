//! Terms of dimensions as integers of Z3.
//!
//! Each operator has a constant of its own with its definition, so the depth of a term is not the depth of a formula.

use std::time::Duration;

use lozenge_axon_vocabulary::{DimId, DimNode, DimVar, Equation, Op, Pool};
use lozenge_smt::{Clock, Session, Stopped};
use rustc_hash::FxHashMap;
use z3::ast::Int;

/// A question with the terms of some equations.
pub(crate) struct Question {
    pub(crate) session: Session,
    time: Duration,
    pub(crate) names: FxHashMap<DimVar, Int>,
    terms: FxHashMap<DimId, Int>,
}

impl Question {
    /// Makes the question whether the terms of equations have values at which each axis and each side is at least 1.
    pub(crate) fn new(time: Duration, pool: &Pool, equations: &[Equation]) -> Question {
        let mut question = Question {
            session: Session::new(),
            time,
            names: FxHashMap::default(),
            terms: FxHashMap::default(),
        };
        let dims: Vec<DimId> = equations.iter().flat_map(Equation::dims).collect();
        for part in pool.with_parts(dims.iter().copied()) {
            let term = question.node(pool, part);
            question.terms.insert(part, term);
        }
        for dim in dims {
            question
                .session
                .assert(question.terms[&dim].ge(Int::from_i64(1)));
        }
        question
    }

    /// Returns the integer of a term of the equations.
    pub(crate) fn term(&self, dim: DimId) -> Int {
        self.terms[&dim].clone()
    }

    fn node(&mut self, pool: &Pool, dim: DimId) -> Int {
        match pool.node(dim) {
            DimNode::Number(number) => Int::from_i64(number),
            DimNode::Ragged(_) => Int::fresh_const("ragged"),
            DimNode::Var(name) => {
                let int = Int::new_const(format!("d{}", name.0));
                self.session.assert(int.ge(Int::from_i64(1)));
                self.names.insert(name, int.clone());
                int
            }
            DimNode::Op(op, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                let value = Int::fresh_const("value");
                let defined = match op {
                    Op::Add => value.eq(left + right),
                    Op::Subtract => value.eq(left - right),
                    Op::Multiply => value.eq(left * right),
                    Op::Divide => {
                        self.quotient(&value, &left, &right);
                        return value;
                    }
                };
                self.session.assert(defined);
                value
            }
        }
    }

    /// States `value = ⌊left / right⌋`: what is left of the dividend lies between 0 and the divisor, on its side.
    /// Division by 0 has no value.
    fn quotient(&self, value: &Int, left: &Int, right: &Int) {
        let zero = Int::from_i64(0);
        let rest = left - value * right;
        let positive = right.gt(&zero) & rest.ge(&zero) & rest.lt(right);
        let negative = right.lt(&zero) & rest.le(&zero) & rest.gt(right);
        self.session.assert(positive | negative);
    }

    /// Asks Z3.
    pub(crate) fn check(&self) -> Result<bool, Stopped> {
        self.session.check(&[], &Clock::start(self.time, None))
    }
}
