//! Conj. 8.4(b): polynomial equations over numbers from 1 on, written with `z = x * y`, `z = x ^ y` and stated sizes.
//! The equations with a solution below a bound are known from trying, so that Z3 and complete mode can be compared with
//! it.

use crate::machinery::{Effort, Finding, Witness};
use lozenge_oracle::Oracle;
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::term::DimVar;
use lozenge_vocabulary::verdict::{Order, Verdict};

/// The largest value of a variable.
const MOST: u64 = 3;

/// `coefficient · x^(of x) · y^(of y)`
#[derive(Clone, Copy)]
struct Monomial {
    coefficient: u64,
    x: u32,
    y: u32,
}

/// A sum of monomials.
type Polynomial = Vec<Monomial>;

/// Returns the monomials of degree at most 2 with these coefficients.
fn monomials(coefficients: &[u64]) -> Vec<Monomial> {
    let powers = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)];
    let of = |coefficient: &u64| {
        powers.map(|(x, y)| Monomial {
            coefficient: *coefficient,
            x,
            y,
        })
    };
    coefficients.iter().flat_map(of).collect()
}

/// Returns the sums of one or two of these monomials.
fn polynomials(all: &[Monomial]) -> Vec<Polynomial> {
    let one = all.iter().map(|monomial| vec![*monomial]);
    let two = all
        .iter()
        .enumerate()
        .flat_map(|(at, first)| all[at..].iter().map(move |second| vec![*first, *second]));
    one.chain(two).collect()
}

fn value(polynomial: &Polynomial, x: u64, y: u64) -> u64 {
    let each = polynomial.iter();
    each.map(|m| m.coefficient * x.pow(m.x) * y.pow(m.y)).sum()
}

/// The constraints for one equation, line by line, with new names for intermediate values.
struct Encoder {
    lines: Vec<String>,
    names: usize,
}

impl Encoder {
    /// Returns the equation `left = right` over x and y up to [`MOST`].
    fn encode(left: &Polynomial, right: &Polynomial) -> String {
        let mut encoder = Encoder {
            lines: Vec::new(),
            names: 0,
        };
        for name in ["x", "y"] {
            // The rest is at least 1.
            encoder
                .lines
                .push(format!("{} = {name} ^ {name}rest", MOST + 1));
        }
        let (left, right) = (encoder.sum(left), encoder.sum(right));
        encoder.lines.push(format!("{left} = {right}"));
        encoder.lines.join("\n")
    }

    /// Returns a new name for what is on the right.
    fn named(&mut self, right: &str) -> String {
        let name = format!("z{}", self.names);
        self.names += 1;
        self.lines.push(format!("{name} = {right}"));
        name
    }

    fn sum(&mut self, polynomial: &Polynomial) -> String {
        let terms: Vec<String> = polynomial.iter().map(|m| self.product(*m)).collect();
        match terms.as_slice() {
            [one] => one.clone(),
            _ => self.named(&terms.join(" ^ ")),
        }
    }

    fn product(&mut self, m: Monomial) -> String {
        let mut factors: Vec<String> = Vec::new();
        if m.coefficient > 1 || m.x + m.y == 0 {
            // A number before a label would be a stride.
            factors.push(self.named(&m.coefficient.to_string()));
        }
        factors.extend((0..m.x).map(|_| "x".to_string()));
        factors.extend((0..m.y).map(|_| "y".to_string()));
        match factors.as_slice() {
            [one] => one.clone(),
            _ => self.named(&factors.join(" * ")),
        }
    }
}

/// Finds the mistake in the encoding of an equation, if there is one.
fn wrong(text: &str, left: &Polynomial, right: &Polynomial) -> Option<String> {
    let Ok(set) = text.parse::<ConstraintSet>() else {
        return Some("the encoding is not of the notation".into());
    };
    let mut points = (1..=MOST).flat_map(|x| (1..=MOST).map(move |y| (x, y)));
    let is_root = |x: u64, y: u64| value(left, x, y) == value(right, x, y);
    let truth = match points.any(|(x, y)| is_root(x, y)) {
        true => Verdict::Sat,
        false => Verdict::Unsat,
    };
    let oracle = Oracle::new(Order::Marked);
    let asked = oracle.sat(&set).verdict();
    if asked != truth {
        return Some(format!(
            "Z3 answers {asked}, and trying every value {truth}"
        ));
    }
    let Ok(problem) = Problem::parse(text) else {
        return Some("the solver does not read the encoding".into());
    };
    let decision = Solver::new(problem).decide();
    if decision.verdict != truth {
        return Some(format!(
            "complete mode answers {}, and trying every value {truth}",
            decision.verdict
        ));
    }
    let solution = decision.solution?;
    let size = |name: &str| {
        solution
            .dims
            .get(&DimVar::new(name))
            .map_or(0, |dim| dim.size())
    };
    let (x, y) = (size("x"), size("y"));
    (!is_root(x, y)).then(|| format!("the solution has x = {x} and y = {y}, which is no root"))
}

/// Tries equations of two polynomials with bounded variables.
pub fn search(effort: Effort) -> Finding {
    let is_quick = effort == Effort::Quick;
    let coefficients: &[u64] = if is_quick { &[1] } else { &[1, 3] };
    let all = monomials(coefficients);
    let sums = polynomials(&all);
    let (left, right) = match is_quick {
        true => (
            sums.iter().step_by(11).cloned().collect(),
            sums[..all.len()].to_vec(),
        ),
        false => (sums.clone(), sums),
    };
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().map(move |right| (left, right)));
    let (mut tried, mut roots) = (0u64, 0u64);
    let mut witness = None;
    for (left, right) in pairs {
        let text = Encoder::encode(left, right);
        tried += 1;
        let mut points = (1..=MOST).flat_map(|x| (1..=MOST).map(move |y| (x, y)));
        roots += u64::from(points.any(|(x, y)| value(left, x, y) == value(right, x, y)));
        if let Some(why) = wrong(&text, left, right) {
            witness = Some(Witness::new(text, why));
            break;
        }
    }
    let scope = format!(
        "every equation of {} of up to two monomials in x and y and {}, of degree at most 2 with coefficients {coefficients:?}, \
         written with sums and products of sizes; x and y are at most {MOST}: {roots} have a solution, and Z3 and complete mode \
         agree with trying every value. Without bounds the same encoding writes every Diophantine equation, which no algorithm \
         decides",
        if is_quick {
            "every eleventh sum"
        } else {
            "a sum"
        },
        if is_quick {
            "one monomial"
        } else {
            "another such sum"
        }
    );
    Finding::exhaustive(scope, tried, witness)
}
