//! The notation of systems of facts, as they print:
//!
//! ```text
//! v0 >= 1                                  # a size
//! v1 >= 0                                  # a natural number
//! (1*v0 + 2*v1) = floor((1*v0 + 1*3), 2)
//! 3 divides v0 or v1 != 2
//! ```

use std::str::FromStr;

use super::{Expression, Range, Relation, System};

/// The greatest depth of expressions inside each other.
const LEVELS: usize = 6;

/// The largest number, so that no value of an expression needs more than 64 bits.
const LARGEST: i64 = 10_000;

/// The most parts of a sum.
const PARTS: usize = 64;

impl FromStr for System {
    type Err = String;

    fn from_str(text: &str) -> Result<System, String> {
        let mut system = System {
            variables: Vec::new(),
            facts: Vec::new(),
        };
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let expected = |what: String| format!("line {number}: {what}");
            match range(line, system.variables.len()) {
                Some(range) => system.variables.push(range),
                None => {
                    let fact = fact(line, system.variables.len()).map_err(expected)?;
                    system.facts.push(fact);
                }
            }
        }
        Ok(system)
    }
}

/// Returns the range of the next variable, if the line declares it.
fn range(line: &str, next: usize) -> Option<Range> {
    match line.strip_prefix(&format!("v{next} >= "))? {
        "1" => Some(Range::Size),
        "0" => Some(Range::Natural),
        _ => None,
    }
}

fn fact(line: &str, variables: usize) -> Result<Vec<Relation>, String> {
    let relations = line.split(" or ");
    relations
        .map(|relation| read_relation(relation, variables))
        .collect()
}

fn read_relation(text: &str, variables: usize) -> Result<Relation, String> {
    let term = |text: &str| whole(text, variables);
    if let Some((by, of)) = text.split_once(" divides ") {
        return Ok(Relation::Divides(divisor(by)?, term(of)?));
    }
    if let Some((by, of)) = text.split_once(" does not divide ") {
        return Ok(Relation::DoesNotDivide(divisor(by)?, term(of)?));
    }
    type Make = fn(Expression, Expression) -> Relation;
    let signs: [(&str, Make); 4] = [
        (" != ", Relation::Differ),
        (" <= ", Relation::AtMost),
        (" < ", Relation::Less),
        (" = ", Relation::Equal),
    ];
    for (sign, make) in signs {
        if let Some((left, right)) = text.split_once(sign) {
            return Ok(make(term(left)?, term(right)?));
        }
    }
    Err(format!(
        "expected the range of the next variable, such as v{variables} >= 1, or a relation with =, !=, <=, <, divides or `does not divide`"
    ))
}

fn divisor(text: &str) -> Result<u32, String> {
    let read = text.trim().parse::<u32>().ok();
    read.filter(|by| *by > 0 && i64::from(*by) <= LARGEST)
        .ok_or_else(|| {
            format!(
                "expected a divisor from 1 to {LARGEST}, found `{}`",
                text.trim()
            )
        })
}

/// Reads a text that is one expression.
fn whole(text: &str, variables: usize) -> Result<Expression, String> {
    let mut reader = Reader {
        rest: text.trim(),
        variables,
    };
    let read = reader.product(0)?;
    match reader.rest.is_empty() {
        true => Ok(read),
        false => Err(format!(
            "expected the end of a term, found `{}`",
            reader.rest
        )),
    }
}

struct Reader<'a> {
    rest: &'a str,
    variables: usize,
}

impl Reader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(format!("expected `{sign}`, found `{}`", self.rest)),
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        let is_part = |c: char| c.is_ascii_digit() || c == '-';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let read = digits.parse::<i64>().ok();
        let read = read.filter(|number| number.abs() <= LARGEST);
        self.rest = rest;
        read.ok_or_else(|| {
            format!("expected a number of at most {LARGEST}, found `{digits}{rest}`")
        })
    }

    /// Reads factors with ` * ` between them.
    fn product(&mut self, level: usize) -> Result<Expression, String> {
        let mut read = self.factor(level)?;
        let mut factors = 1;
        while self.takes(" * ") {
            factors += 1;
            if level + factors > LEVELS {
                return Err(format!("expected at most {LEVELS} terms within each other"));
            }
            read = Expression::Product(Box::new([read, self.factor(level)?]));
        }
        Ok(read)
    }

    fn factor(&mut self, level: usize) -> Result<Expression, String> {
        if level > LEVELS {
            return Err(format!("expected at most {LEVELS} terms within each other"));
        }
        if self.takes("(") {
            return self.sum(level);
        }
        for (word, make) in [
            ("floor(", Expression::Floor as fn(_, _) -> _),
            ("ceil(", Expression::Ceil),
        ] {
            if self.takes(word) {
                let of = self.product(level + 1)?;
                self.expect(", ")?;
                let by = self.number()?;
                self.expect(")")?;
                return Ok(make(Box::new(of), divisor(&by.to_string())?));
            }
        }
        for (word, make) in [
            ("min(", Expression::Min as fn(_) -> _),
            ("max(", Expression::Max),
        ] {
            if self.takes(word) {
                let left = self.product(level + 1)?;
                self.expect(", ")?;
                let right = self.product(level + 1)?;
                self.expect(")")?;
                return Ok(make(Box::new([left, right])));
            }
        }
        if self.takes("v") {
            let variable = usize::try_from(self.number()?).ok();
            return variable
                .filter(|variable| *variable < self.variables)
                .map(Expression::Variable)
                .ok_or_else(|| format!("expected a variable below v{}", self.variables));
        }
        self.number().map(Expression::Number)
    }

    /// Reads the parts of a sum behind its opening bracket.
    fn sum(&mut self, level: usize) -> Result<Expression, String> {
        let mut parts = Vec::new();
        if self.takes(")") {
            return Ok(Expression::Sum(parts));
        }
        loop {
            let factor = self.number()?;
            self.expect("*")?;
            parts.push((factor, self.product(level + 1)?));
            if self.takes(")") {
                return Ok(Expression::Sum(parts));
            }
            if parts.len() == PARTS {
                return Err(format!("expected at most {PARTS} parts of a sum"));
            }
            self.expect(" + ")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::system;
    use super::*;
    use crate::random::Random;

    #[test]
    fn what_is_printed_reads_back() {
        for index in 0..3000 {
            let system = system(&mut Random::indexed(index));
            let text = system.to_string();
            assert_eq!(text.parse::<System>().as_ref(), Ok(&system), "{text}");
        }
    }

    #[test]
    fn a_mistake_has_its_line() {
        for wrong in [
            "v0 >= 2",
            "v1 = 0",
            "v0 = ",
            "0 divides v0",
            "v0",
            "(1*v0 = 3",
            "v0 = 99999999999999999999",
            "((((((((((((((1*v0)))))))))))))) = 1",
            "v0 * v0 * v0 * v0 * v0 * v0 * v0 * v0 = 1",
        ] {
            let error = format!("v0 >= 1 # a size\n{wrong}").parse::<System>();
            let error = error.expect_err(wrong);
            assert!(error.starts_with("line 2: expected"), "{wrong}: {error}");
        }
    }
}
