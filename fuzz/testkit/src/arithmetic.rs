//! Random systems of facts about sizes as plain data, with their meaning: the value of an expression, and every
//! solution in a box.
//!
//! The data does not depend on a decision procedure: `lozenge-sizes`, Z3 and enumeration each read it independently.

mod notation;

use std::fmt;

/// The integers that a variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// From 1.
    Size,
    /// From 0.
    Natural,
}

impl Range {
    /// Returns the least value.
    pub fn least(self) -> i64 {
        match self {
            Range::Size => 1,
            Range::Natural => 0,
        }
    }
}

/// A term over variables, which are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// A variable.
    Variable(usize),
    /// A sum of multiples.
    Sum(Vec<(i64, Expression)>),
    /// A quotient, rounded down.
    Floor(Box<Expression>, u32),
    /// A quotient, rounded up.
    Ceil(Box<Expression>, u32),
    /// The smaller of two.
    Min(Box<[Expression; 2]>),
    /// The larger of two.
    Max(Box<[Expression; 2]>),
    /// A product.
    Product(Box<[Expression; 2]>),
}

/// A relation between two terms, or between a number and a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The terms are equal.
    Equal(Expression, Expression),
    /// The terms differ.
    Differ(Expression, Expression),
    /// The first is at most the second.
    AtMost(Expression, Expression),
    /// The first is less than the second.
    Less(Expression, Expression),
    /// The number divides the term.
    Divides(u32, Expression),
    /// The number does not divide the term.
    DoesNotDivide(u32, Expression),
}

/// Facts, each of which is a disjunction of relations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The variables.
    pub variables: Vec<Range>,
    /// The facts: of each list at least one relation holds.
    pub facts: Vec<Vec<Relation>>,
}

impl Expression {
    /// Returns the value of the expression for these values of the variables.
    pub fn value(&self, at: &[i64]) -> i64 {
        match self {
            Expression::Number(number) => *number,
            Expression::Variable(variable) => at[*variable],
            // A number beyond 64 bits stays at their end.
            Expression::Sum(parts) => parts.iter().fold(0, |sum: i64, (factor, part)| {
                sum.saturating_add(factor.saturating_mul(part.value(at)))
            }),
            Expression::Floor(of, by) => of.value(at).div_euclid(i64::from(*by)),
            Expression::Ceil(of, by) => -(-of.value(at)).div_euclid(i64::from(*by)),
            Expression::Min(of) => of[0].value(at).min(of[1].value(at)),
            Expression::Max(of) => of[0].value(at).max(of[1].value(at)),
            Expression::Product(of) => of[0].value(at).saturating_mul(of[1].value(at)),
        }
    }
}

impl Relation {
    /// Says whether the relation holds for these values of the variables.
    pub fn holds(&self, at: &[i64]) -> bool {
        match self {
            Relation::Equal(a, b) => a.value(at) == b.value(at),
            Relation::Differ(a, b) => a.value(at) != b.value(at),
            Relation::AtMost(a, b) => a.value(at) <= b.value(at),
            Relation::Less(a, b) => a.value(at) < b.value(at),
            Relation::Divides(by, of) => of.value(at) % i64::from(*by) == 0,
            Relation::DoesNotDivide(by, of) => of.value(at) % i64::from(*by) != 0,
        }
    }
}

impl System {
    /// Says whether these values are a solution of the facts.
    pub fn holds(&self, at: &[i64]) -> bool {
        let ranges = self.variables.iter().zip(at);
        let mut facts = self.facts.iter();
        ranges
            .into_iter()
            .all(|(range, value)| *value >= range.least())
            && facts.all(|fact| fact.iter().any(|relation| relation.holds(at)))
    }

    /// Lists all solutions with values up to a number, in ascending order.
    pub fn solutions(&self, up_to: i64) -> impl Iterator<Item = Vec<i64>> + '_ {
        let least: Vec<i64> = self.variables.iter().map(|range| range.least()).collect();
        let first = least
            .iter()
            .all(|least| *least <= up_to)
            .then(|| least.clone());
        let points = std::iter::successors(first, move |point| {
            let mut next = point.clone();
            for position in (0..next.len()).rev() {
                if next[position] < up_to {
                    next[position] += 1;
                    return Some(next);
                }
                next[position] = least[position];
            }
            None
        });
        points.filter(|point| self.holds(point))
    }

    /// Returns the same system with every variable bounded by a number; the bounds are facts after the others.
    pub fn boxed(&self, up_to: i64) -> System {
        let mut boxed = self.clone();
        for variable in 0..self.variables.len() {
            let bound = Relation::AtMost(Expression::Variable(variable), Expression::Number(up_to));
            boxed.facts.push(vec![bound]);
        }
        boxed
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(number) => number.fmt(f),
            Expression::Variable(variable) => write!(f, "v{variable}"),
            Expression::Sum(parts) => {
                f.write_str("(")?;
                for (position, (factor, part)) in parts.iter().enumerate() {
                    let plus = if position > 0 { " + " } else { "" };
                    write!(f, "{plus}{factor}*{part}")?;
                }
                f.write_str(")")
            }
            Expression::Floor(of, by) => write!(f, "floor({of}, {by})"),
            Expression::Ceil(of, by) => write!(f, "ceil({of}, {by})"),
            Expression::Min(of) => write!(f, "min({}, {})", of[0], of[1]),
            Expression::Max(of) => write!(f, "max({}, {})", of[0], of[1]),
            Expression::Product(of) => write!(f, "{} * {}", of[0], of[1]),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relation::Equal(a, b) => write!(f, "{a} = {b}"),
            Relation::Differ(a, b) => write!(f, "{a} != {b}"),
            Relation::AtMost(a, b) => write!(f, "{a} <= {b}"),
            Relation::Less(a, b) => write!(f, "{a} < {b}"),
            Relation::Divides(by, of) => write!(f, "{by} divides {of}"),
            Relation::DoesNotDivide(by, of) => write!(f, "{by} does not divide {of}"),
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (variable, range) in self.variables.iter().enumerate() {
            writeln!(f, "v{variable} >= {}", range.least())?;
        }
        for fact in &self.facts {
            let relations: Vec<String> = fact.iter().map(ToString::to_string).collect();
            writeln!(f, "{}", relations.join(" or "))?;
        }
        Ok(())
    }
}

/// A source of random numbers below a bound.
pub trait Below {
    /// Returns a number below the bound, which is not 0.
    fn below(&mut self, bound: usize) -> usize;

    /// Returns one of several values.
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

impl Below for crate::random::Random {
    fn below(&mut self, bound: usize) -> usize {
        crate::random::Random::below(self, bound)
    }
}

/// Factors, many of which have common divisors.
const FACTORS: [i64; 10] = [1, 1, 1, 2, 2, 3, 4, 6, -1, -2];

/// Returns a random system of up to 4 variables and 6 facts. Most facts are true of one hidden assignment, or nearly
/// so, because independent facts would rarely interact.
pub fn system(numbers: &mut impl Below) -> System {
    let count = 1 + numbers.below(4);
    let ranges: Vec<Range> = (0..count)
        .map(|_| numbers.pick(&[Range::Size, Range::Size, Range::Natural]))
        .collect();
    let hidden: Vec<i64> = ranges
        .iter()
        .map(|range| range.least() + numbers.below(6) as i64)
        .collect();
    let facts = (0..1 + numbers.below(6))
        .map(|_| fact(numbers, &hidden))
        .collect();
    System {
        variables: ranges,
        facts,
    }
}

fn fact(numbers: &mut impl Below, hidden: &[i64]) -> Vec<Relation> {
    let relations = numbers.pick(&[1, 1, 1, 1, 1, 1, 2, 3]);
    (0..relations).map(|_| relation(numbers, hidden)).collect()
}

/// Returns a relation that is true at the hidden values three times out of four.
fn relation(numbers: &mut impl Below, hidden: &[i64]) -> Relation {
    let left = expression(numbers, hidden.len(), true);
    let by = numbers.pick(&[2, 2, 3, 4, 5, 6]);
    if numbers.below(8) == 0 {
        let rest = left.value(hidden).rem_euclid(i64::from(by)) - i64::from(numbers.below(4) == 0);
        let moved = Expression::Sum(vec![(1, left), (1, Expression::Number(-rest))]);
        return match numbers.below(4) {
            0 => Relation::DoesNotDivide(by, moved),
            _ => Relation::Divides(by, moved),
        };
    }
    let right = expression(numbers, hidden.len(), false);
    let difference = left.value(hidden) - right.value(hidden);
    let kind = numbers.below(8);
    let off = match numbers.below(4) {
        0 => 1,
        _ => 0,
    };
    let moved =
        |constant| Expression::Sum(vec![(1, right.clone()), (1, Expression::Number(constant))]);
    match kind {
        0..=3 => Relation::Equal(left, moved(difference + off)),
        4 => Relation::AtMost(left, moved(difference - off)),
        5 => Relation::AtMost(moved(difference + off), left),
        6 => Relation::Less(moved(difference - 1 + off), left),
        _ => Relation::Differ(left, moved(difference + 1 - off)),
    }
}

fn expression(numbers: &mut impl Below, variables: usize, is_rich: bool) -> Expression {
    let kind = match is_rich {
        true => numbers.below(16),
        false => numbers.below(10),
    };
    let by = numbers.pick(&[2, 2, 3, 4, 7]);
    match kind {
        0..=6 => linear(numbers, variables),
        7 | 8 => Expression::Variable(numbers.below(variables)),
        9 => Expression::Number(numbers.below(5) as i64),
        10 => Expression::Floor(Box::new(linear(numbers, variables)), by),
        11 => Expression::Ceil(Box::new(linear(numbers, variables)), by),
        12 => {
            let inner = Expression::Floor(Box::new(linear(numbers, variables)), by);
            let outer = Expression::Sum(vec![(1, inner), (1, linear(numbers, variables))]);
            Expression::Floor(Box::new(outer), numbers.pick(&[2, 3]))
        }
        13 => Expression::Min(Box::new([
            linear(numbers, variables),
            linear(numbers, variables),
        ])),
        14 => Expression::Max(Box::new([
            linear(numbers, variables),
            linear(numbers, variables),
        ])),
        _ => Expression::Product(Box::new([
            linear(numbers, variables),
            Expression::Variable(numbers.below(variables)),
        ])),
    }
}

fn linear(numbers: &mut impl Below, variables: usize) -> Expression {
    let mut parts = Vec::new();
    for _ in 0..1 + numbers.below(3) {
        let variable = Expression::Variable(numbers.below(variables));
        parts.push((numbers.pick(&FACTORS), variable));
    }
    if numbers.below(3) == 0 {
        let constant = numbers.below(5) as i64 - 2;
        parts.push((1, Expression::Number(constant)));
    }
    Expression::Sum(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn about_as_many_systems_have_solutions_as_have_none() {
        let mut satisfiable = 0;
        for index in 0..2000 {
            let system = system(&mut Random::indexed(index));
            satisfiable += usize::from(system.solutions(6).next().is_some());
        }
        assert!((500..1500).contains(&satisfiable), "{satisfiable}");
    }

    #[test]
    fn a_box_has_all_its_points() {
        let free = System {
            variables: vec![Range::Size, Range::Natural],
            facts: Vec::new(),
        };
        assert_eq!(free.solutions(3).count(), 3 * 4);
        assert_eq!(free.solutions(0).count(), 0);
    }
}
