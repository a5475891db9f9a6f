//! Z3, given only the meaning of the expressions. A quotient is encoded as an integer between two bounds, because the
//! rounding of Z3's own division depends on the sign of the divisor.

use std::time::Duration;

use lozenge_testkit::arithmetic::{Expression, Relation, System};
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, Solver};

/// Asks Z3 for a solution of a system; `None` if Z3 does not know within the time.
pub fn satisfiable(system: &System, time: Duration) -> Option<bool> {
    let solver = Solver::new();
    let mut params = Params::new();
    let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
    params.set_u32("timeout", milliseconds);
    solver.set_params(&params);
    let mut question = Question {
        solver,
        variables: Vec::new(),
    };
    for (number, range) in system.variables.iter().enumerate() {
        let variable = Int::new_const(format!("v{number}"));
        question
            .solver
            .assert(variable.ge(Int::from_i64(range.least())));
        question.variables.push(variable);
    }
    for fact in &system.facts {
        let relations: Vec<Bool> = fact
            .iter()
            .map(|relation| question.relation(relation))
            .collect();
        question.solver.assert(Bool::or(&relations));
    }
    match question.solver.check() {
        SatResult::Sat => Some(true),
        SatResult::Unsat => Some(false),
        SatResult::Unknown => None,
    }
}

struct Question {
    solver: Solver,
    variables: Vec<Int>,
}

impl Question {
    fn relation(&self, relation: &Relation) -> Bool {
        match relation {
            Relation::Equal(a, b) => self.term(a).eq(self.term(b)),
            Relation::Differ(a, b) => self.term(a).ne(self.term(b)),
            Relation::AtMost(a, b) => self.term(a).le(self.term(b)),
            Relation::Less(a, b) => self.term(a).lt(self.term(b)),
            Relation::Divides(by, of) => self.remainder(of, *by).eq(Int::from_i64(0)),
            Relation::DoesNotDivide(by, of) => self.remainder(of, *by).ne(Int::from_i64(0)),
        }
    }

    fn remainder(&self, of: &Expression, by: u32) -> Int {
        let of = self.term(of);
        let quotient = self.quotient(&of, by);
        of - quotient * Int::from_i64(i64::from(by))
    }

    /// Makes `⌊of / by⌋`.
    fn quotient(&self, of: &Int, by: u32) -> Int {
        let quotient = Int::fresh_const("quotient");
        let by = Int::from_i64(i64::from(by));
        let below = &quotient * &by;
        self.solver.assert(below.le(of.clone()));
        self.solver.assert(of.lt(&below + by));
        quotient
    }

    fn term(&self, expression: &Expression) -> Int {
        match expression {
            Expression::Number(number) => Int::from_i64(*number),
            Expression::Variable(variable) => self.variables[*variable].clone(),
            Expression::Sum(parts) => {
                let parts = parts
                    .iter()
                    .map(|(factor, part)| Int::from_i64(*factor) * self.term(part));
                Int::add(&parts.collect::<Vec<Int>>())
            }
            Expression::Floor(of, by) => self.quotient(&self.term(of), *by),
            Expression::Ceil(of, by) => {
                let negated = Int::from_i64(0) - self.term(of);
                Int::from_i64(0) - self.quotient(&negated, *by)
            }
            Expression::Min(of) => {
                let [a, b] = of.each_ref().map(|part| self.term(part));
                a.le(&b).ite(&a, &b)
            }
            Expression::Max(of) => {
                let [a, b] = of.each_ref().map(|part| self.term(part));
                a.le(&b).ite(&b, &a)
            }
            Expression::Product(of) => {
                let [a, b] = of.each_ref().map(|part| self.term(part));
                a * b
            }
        }
    }
}
