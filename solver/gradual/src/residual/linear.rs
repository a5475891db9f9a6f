//! Linear relations between sizes: those that contradict each other, and those that others imply.
//!
//! Each product of symbols and quotients counts as a number of its own; of a quotient by a number the two ends are
//! known. Variables are eliminated one by one (Fourier and Motzkin). Coefficients of a row are divided by their common
//! divisor, and the constant is rounded, since all numbers are integers.

use crate::integers::Integers;
use crate::term::{Atom, AtomKind, Formula, FormulaKind, Int, Polynomial, Symbol, Terms, gcd};
use std::collections::BTreeMap;

/// A product of atoms with their powers.
type Product = Vec<(Atom, u32)>;

/// The relations that are looked at.
const MAX_RELATIONS: usize = 24;

/// The products that may occur.
const MAX_PRODUCTS: usize = 16;

/// The rows that may arise while variables are eliminated.
const MAX_ROWS: usize = 160;

/// A sum of multiples of variables with a constant, which is at least 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The multiples, one for each variable.
    multiples: Vec<Int>,
    constant: Int,
}

/// Rows over products of atoms.
struct System {
    products: Vec<Product>,
    rows: Vec<Row>,
}

/// Says whether some linear relations certainly have no solution together.
pub(super) fn contradict(
    terms: &Terms,
    domains: &BTreeMap<Symbol, Integers>,
    relations: &[Formula],
) -> bool {
    let linear = linear(terms, relations);
    if linear.len() < 2 {
        return false;
    }
    let system = System::new(terms, domains, linear.iter().copied());
    system.is_some_and(|system| is_contradictory(terms, system.rows))
}

/// Leaves out the linear relations that others imply.
pub(super) fn without_implied(
    terms: &mut Terms,
    domains: &BTreeMap<Symbol, Integers>,
    relations: &mut Vec<Formula>,
) {
    if linear(terms, relations).len() < 2 {
        return;
    }
    for at in (0..relations.len()).rev() {
        let kind = &**terms.formula_kind(relations[at]);
        if !matches!(kind, FormulaKind::AtLeastZero(_) | FormulaKind::NotZero(_)) {
            continue;
        }
        let mut others = relations.clone();
        let own = others.remove(at);
        let negation = terms.not(own);
        others.push(negation);
        let linear = linear(terms, &others);
        let system = System::new(terms, domains, linear.into_iter());
        if system.is_some_and(|system| is_contradictory(terms, system.rows)) {
            relations.remove(at);
        }
    }
}

/// Returns the relations that are linear in products; none where there are too many.
fn linear(terms: &Terms, relations: &[Formula]) -> Vec<Formula> {
    let is_linear = |relation: &Formula| {
        let kind = &**terms.formula_kind(*relation);
        matches!(kind, FormulaKind::Zero(_) | FormulaKind::AtLeastZero(_))
    };
    let linear: Vec<Formula> = relations.iter().copied().filter(is_linear).collect();
    match linear.len() <= MAX_RELATIONS {
        true => linear,
        false => Vec::new(),
    }
}

impl System {
    /// Writes relations as rows, with what is known of the atoms that occur. Nothing where there are too many of them.
    fn new(
        terms: &Terms,
        domains: &BTreeMap<Symbol, Integers>,
        relations: impl Iterator<Item = Formula>,
    ) -> Option<Self> {
        let mut system = Self {
            products: Vec::new(),
            rows: Vec::new(),
        };
        for relation in relations {
            match &**terms.formula_kind(relation) {
                FormulaKind::AtLeastZero(term) => system.add(terms.polynomial(*term), 1, 0)?,
                FormulaKind::Zero(term) => {
                    system.add(terms.polynomial(*term), 1, 0)?;
                    system.add(terms.polynomial(*term), -1, 0)?;
                }
                _ => {}
            }
        }
        let mut at = 0;
        while at < system.products.len() {
            if let [(atom, 1)] = *system.products[at].as_slice() {
                system.know(terms, domains, atom)?;
            }
            at += 1;
        }
        let count = system.products.len();
        for row in &mut system.rows {
            row.multiples.resize(count, 0);
        }
        Some(system)
    }

    /// Adds the rows that are known of an atom: the range of a symbol, the ends of a quotient.
    fn know(
        &mut self,
        terms: &Terms,
        domains: &BTreeMap<Symbol, Integers>,
        atom: Atom,
    ) -> Option<()> {
        let own = Polynomial::atom(atom);
        let mut bounds = terms.item_bounds(atom);
        match **terms.atom_kind(atom) {
            AtomKind::Symbol(symbol) => {
                if let Some(domain) = domains.get(&symbol) {
                    (bounds.low, bounds.high) = ends(domain);
                }
            }
            AtomKind::Floor(inner, by) => {
                let room = terms.polynomial(inner).plus(by.checked_neg()?, &own).ok()?;
                self.add(&room, 1, 0)?;
                self.add(&room, -1, by - 1)?;
            }
            _ => {}
        }
        if let Some(low) = bounds.low {
            self.add(&own, 1, low.checked_neg()?)?;
        }
        if let Some(high) = bounds.high {
            self.add(&own, -1, high)?;
        }
        Some(())
    }

    /// Adds the row that a multiple of a polynomial and a constant are at least 0.
    fn add(&mut self, polynomial: &Polynomial, factor: Int, more: Int) -> Option<()> {
        let mut row = Row {
            multiples: vec![0; self.products.len()],
            constant: more,
        };
        for (product, coefficient) in &polynomial.parts {
            let multiple = coefficient.checked_mul(factor)?;
            if product.is_empty() {
                row.constant = row.constant.checked_add(multiple)?;
                continue;
            }
            let known = self.products.iter().position(|own| own == product);
            let at = match known {
                Some(at) => at,
                None if self.products.len() < MAX_PRODUCTS => {
                    self.products.push(product.clone());
                    self.products.len() - 1
                }
                None => return None,
            };
            row.multiples.resize(self.products.len(), 0);
            row.multiples[at] = row.multiples[at].checked_add(multiple)?;
        }
        self.rows.push(row);
        Some(())
    }
}

/// Returns the least and the greatest of some integers.
fn ends(domain: &Integers) -> (Option<Int>, Option<Int>) {
    let mut low = Some(Int::MAX);
    let mut high = Some(Int::MIN);
    for span in domain.spans() {
        low = low.zip(span.first).map(|(low, first)| low.min(first));
        high = high.zip(span.last).map(|(high, last)| high.max(last));
    }
    match low <= high || low.is_none() || high.is_none() {
        true => (low, high),
        false => (None, None),
    }
}

/// Says whether rows have no solution in integers, as far as the elimination of variables shows it.
fn is_contradictory(terms: &Terms, mut rows: Vec<Row>) -> bool {
    let Some(count) = rows.iter().map(|row| row.multiples.len()).max() else {
        return false;
    };
    let mut left: Vec<usize> = (0..count).collect();
    loop {
        terms.charge(rows.len());
        for row in &mut rows {
            tighten(row);
        }
        let is_impossible =
            |row: &Row| row.constant < 0 && row.multiples.iter().all(|multiple| *multiple == 0);
        if rows.iter().any(is_impossible) {
            return true;
        }
        let pairs = |at: usize| {
            let signs = rows.iter().map(|row| row.multiples[at].signum());
            let (up, down) = signs.fold((0, 0), |(up, down), sign| match sign {
                1 => (up + 1, down),
                -1 => (up, down + 1),
                _ => (up, down),
            });
            up * down
        };
        let Some(next) = left.iter().copied().min_by_key(|at| pairs(*at)) else {
            return false;
        };
        left.retain(|at| *at != next);
        match eliminated(&rows, next) {
            Some(fewer) if fewer.len() <= MAX_ROWS => rows = fewer,
            _ => return false,
        }
    }
}

/// Divides a row by the common divisor of its multiples.
fn tighten(row: &mut Row) {
    let divisor = row.multiples.iter().fold(0, |divisor, multiple| {
        gcd(divisor, multiple.saturating_abs())
    });
    if divisor > 1 {
        row.multiples
            .iter_mut()
            .for_each(|multiple| *multiple /= divisor);
        row.constant = row.constant.div_euclid(divisor);
    }
}

/// Returns rows without a variable that follow from others; nothing where numbers become too large.
fn eliminated(rows: &[Row], at: usize) -> Option<Vec<Row>> {
    let mut fewer: Vec<Row> = Vec::new();
    let mut keep = |row: Row| {
        let is_said = row.constant >= 0 && row.multiples.iter().all(|multiple| *multiple == 0);
        if !is_said && !fewer.contains(&row) {
            fewer.push(row);
        }
        fewer.len() <= MAX_ROWS
    };
    for row in rows.iter().filter(|row| row.multiples[at] == 0) {
        keep(row.clone());
    }
    for up in rows.iter().filter(|row| row.multiples[at] > 0) {
        for down in rows.iter().filter(|row| row.multiples[at] < 0) {
            let (one, other) = (down.multiples[at].checked_neg()?, up.multiples[at]);
            let sum =
                |up: Int, down: Int| up.checked_mul(one)?.checked_add(down.checked_mul(other)?);
            let multiples = up.multiples.iter().zip(&down.multiples);
            let row = Row {
                multiples: multiples
                    .map(|(up, down)| sum(*up, *down))
                    .collect::<Option<_>>()?,
                constant: sum(up.constant, down.constant)?,
            };
            if !keep(row) {
                return None;
            }
        }
    }
    Some(fewer)
}
