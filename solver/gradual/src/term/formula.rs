//! Making of formulas: each function returns the normal form, and decides what the bounds of terms decide.

use super::polynomial::{gcd, monomial_quotient};
use super::{Atom, Bounds, Formula, FormulaKind, Int, Known, Polynomial, Term, Terms};
use std::sync::Arc;

impl Formula {
    /// The formula that never holds.
    pub const FALSE: Self = Self(0);
    /// The formula that always holds.
    pub const TRUE: Self = Self(1);

    /// Returns the formula that is always, or never, true.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }
}

impl Terms {
    /// Returns the value of a formula that is one of the two constants.
    #[must_use]
    pub fn decided(&self, formula: Formula) -> Option<bool> {
        match formula {
            Formula::FALSE => Some(false),
            Formula::TRUE => Some(true),
            _ => None,
        }
    }

    /// Makes `left = right`
    pub fn equal(&mut self, left: Term, right: Term) -> Formula {
        let difference = self.subtract(left, right);
        self.zero(difference)
    }

    /// Makes `left ≠ right`
    pub fn differ(&mut self, left: Term, right: Term) -> Formula {
        let equal = self.equal(left, right);
        self.not(equal)
    }

    /// Makes `left ≤ right`
    pub fn at_most(&mut self, left: Term, right: Term) -> Formula {
        let difference = self.subtract(right, left);
        self.at_least_zero(difference)
    }

    /// Makes `left < right`
    pub fn less(&mut self, left: Term, right: Term) -> Formula {
        let left = self.shift(left, 1);
        self.at_most(left, right)
    }

    /// Makes `term ≥ value`
    pub fn at_least(&mut self, term: Term, value: Int) -> Formula {
        let difference = self.shift(term, -value);
        self.at_least_zero(difference)
    }

    /// Makes `term = value`
    pub fn is(&mut self, term: Term, value: Int) -> Formula {
        let value = self.number(value);
        self.equal(term, value)
    }

    /// Makes the formula that `by` divides `term`.
    pub fn divides(&mut self, by: Int, term: Term) -> Formula {
        let remainder = self.modulo(term, by);
        self.zero(remainder)
    }

    /// Sizes of one axis can be broadcast to one: those that are not 1 are equal.
    pub fn compatible(&mut self, sizes: &[Term]) -> Formula {
        let parts = self.broadcast_parts(sizes);
        if parts.len() < 2 {
            return Formula::TRUE;
        }
        if let [left, right] = parts.as_slice() {
            let possible = self.pair(*left, *right);
            if self.decided(possible).is_some() {
                return possible;
            }
        }
        if let Some(known) = parts
            .iter()
            .copied()
            .find(|size| self.as_number(*size).is_some())
        {
            let each: Vec<Formula> = parts.iter().map(|size| self.pair(known, *size)).collect();
            return self.all(&each);
        }
        self.formula(FormulaKind::Compatible(parts.into()))
    }

    /// Makes the formula that two sizes are equal, or one of them is 1.
    pub(crate) fn pair(&mut self, left: Term, right: Term) -> Formula {
        let each = [self.equal(left, right), self.is(left, 1), self.is(right, 1)];
        self.any(&each)
    }

    /// Returns the pairs of sizes whose compatibility a formula of that kind states.
    pub(crate) fn pairs(&mut self, sizes: &[Term]) -> Vec<Formula> {
        let mut pairs = Vec::new();
        for (at, left) in sizes.iter().enumerate() {
            for right in &sizes[at + 1..] {
                pairs.push(self.pair(*left, *right));
            }
        }
        pairs
    }

    /// Makes the formula that all of them hold.
    pub fn all(&mut self, formulas: &[Formula]) -> Formula {
        let mut parts = Vec::with_capacity(formulas.len());
        for formula in formulas {
            match &**self.formula_kind(*formula) {
                FormulaKind::Constant(true) => {}
                FormulaKind::Constant(false) => return Formula::FALSE,
                FormulaKind::All(inner) => parts.extend_from_slice(inner),
                _ => parts.push(*formula),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => Formula::TRUE,
            [one] => *one,
            _ => self.formula(FormulaKind::All(parts.into())),
        }
    }

    /// Makes the formula that some of them holds.
    pub fn any(&mut self, formulas: &[Formula]) -> Formula {
        let mut parts = Vec::with_capacity(formulas.len());
        for formula in formulas {
            match &**self.formula_kind(*formula) {
                FormulaKind::Constant(false) => {}
                FormulaKind::Constant(true) => return Formula::TRUE,
                FormulaKind::Any(inner) => parts.extend_from_slice(inner),
                _ => parts.push(*formula),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => Formula::FALSE,
            [one] => *one,
            _ => self.formula(FormulaKind::Any(parts.into())),
        }
    }

    /// Makes the formula that holds exactly where this one does not.
    pub fn not(&mut self, formula: Formula) -> Formula {
        // Formulas are built of smaller ones, so the negations of the parts are made first.
        let mut negated: rustc_hash::FxHashMap<Formula, Formula> = rustc_hash::FxHashMap::default();
        let mut pending = vec![formula];
        while let Some(next) = pending.last().copied() {
            let kind = self.formula_kind(next).clone();
            let parts: Vec<Formula> = match &*kind {
                FormulaKind::All(parts) | FormulaKind::Any(parts) => parts.to_vec(),
                FormulaKind::Compatible(sizes) => self.pairs(sizes),
                _ => Vec::new(),
            };
            let missing: Vec<Formula> = parts
                .iter()
                .copied()
                .filter(|part| !negated.contains_key(part))
                .collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            pending.pop();
            let parts: Vec<Formula> = parts.iter().map(|part| negated[part]).collect();
            let result = match &*kind {
                FormulaKind::Constant(value) => Formula::constant(!value),
                FormulaKind::Zero(term) => self.decided_or(FormulaKind::NotZero(*term)),
                FormulaKind::NotZero(term) => self.decided_or(FormulaKind::Zero(*term)),
                FormulaKind::AtLeastZero(term) => {
                    let turned = self.scale(*term, -1);
                    self.at_least(turned, 1)
                }
                FormulaKind::Any(_) => self.all(&parts),
                FormulaKind::All(_) | FormulaKind::Compatible(_) => self.any(&parts),
            };
            negated.insert(next, result);
        }
        negated[&formula]
    }

    /// Makes `term = 0`
    pub(crate) fn zero(&mut self, term: Term) -> Formula {
        if let Some(known) = self.made.zero.get(&term) {
            return *known;
        }
        let formula = self.new_zero(term);
        self.made.zero.insert(term, formula);
        formula
    }

    fn new_zero(&mut self, term: Term) -> Formula {
        let polynomial = self.polynomial(term).clone();
        if let Some(value) = polynomial.as_constant() {
            return Formula::constant(value == 0);
        }
        let Bounds { low, high } = self.bounds(term);
        if low.is_some_and(|low| low > 0) || high.is_some_and(|high| high < 0) {
            return Formula::FALSE;
        }
        let content = polynomial.content();
        if polynomial.constant_part() % content != 0 {
            return Formula::FALSE;
        }
        let sign = if polynomial.variable_parts()[0].1 < 0 {
            -1
        } else {
            1
        };
        let divided = self.divided(&polynomial, content * sign, 0);
        let divided = self.without_positive_factors(divided);
        if self.as_number(divided).is_some() {
            return Formula::FALSE;
        }
        // The rest may have a common divisor again.
        let polynomial = self.polynomial(divided).clone();
        let content = polynomial.content();
        if polynomial.constant_part() % content != 0 {
            return Formula::FALSE;
        }
        let divided = match content {
            1 => divided,
            content => self.divided(&polynomial, content, 0),
        };
        self.formula(FormulaKind::Zero(divided))
    }

    /// Makes `term ≥ 0`
    pub(crate) fn at_least_zero(&mut self, term: Term) -> Formula {
        if let Some(known) = self.made.at_least_zero.get(&term) {
            return *known;
        }
        let formula = self.new_at_least_zero(term);
        self.made.at_least_zero.insert(term, formula);
        formula
    }

    fn new_at_least_zero(&mut self, term: Term) -> Formula {
        let Bounds { low, high } = self.bounds(term);
        if low.is_some_and(|low| low >= 0) {
            return Formula::TRUE;
        }
        if high.is_some_and(|high| high < 0) {
            return Formula::FALSE;
        }
        let polynomial = self.polynomial(term).clone();
        let content = polynomial.content().max(1);
        let constant = polynomial.constant_part();
        // c·p + d ≥ 0 holds where p + ⌊d/c⌋ ≥ 0 does.
        let divided = self.divided(&polynomial, content, constant.rem_euclid(content));
        let divided = self.without_positive_factors(divided);
        match self.as_number(divided) {
            Some(value) => Formula::constant(value >= 0),
            None => self.formula(FormulaKind::AtLeastZero(divided)),
        }
    }

    fn divided(&mut self, polynomial: &Polynomial, by: Int, remainder: Int) -> Term {
        let parts = polynomial.parts.iter().map(|part| {
            (
                part.0.clone(),
                if part.0.is_empty() {
                    (part.1 - remainder) / by
                } else {
                    part.1 / by
                },
            )
        });
        let parts = parts.filter(|part| part.1 != 0).collect();
        self.intern(Polynomial { parts })
    }

    /// Divides by the atoms that are at least 1 and divide every monomial: neither the sign nor whether it is 0
    /// changes.
    fn without_positive_factors(&mut self, term: Term) -> Term {
        let mut polynomial = self.polynomial(term).as_ref().clone();
        let candidates: Vec<(Atom, u32)> = polynomial
            .parts
            .first()
            .map_or_else(Vec::new, |part| part.0.clone());
        let mut has_changed = false;
        for (atom, _) in candidates {
            if self.atom_known(atom).bounds.low.is_none_or(|low| low < 1) {
                continue;
            }
            let factor = vec![(atom, 1)];
            while let Some(parts) = polynomial
                .parts
                .iter()
                .map(|part| Some((monomial_quotient(&part.0, &factor)?, part.1)))
                .collect::<Option<Vec<_>>>()
            {
                let Ok(divided) = Polynomial::collect(parts) else {
                    return self.poison();
                };
                polynomial = divided;
                has_changed = true;
            }
        }
        if has_changed {
            self.intern(polynomial)
        } else {
            term
        }
    }

    fn decided_or(&mut self, kind: FormulaKind) -> Formula {
        match kind {
            FormulaKind::Zero(term) => self.zero(term),
            kind => self.formula(kind),
        }
    }

    pub(super) fn formula(&mut self, kind: FormulaKind) -> Formula {
        if let Some(formula) = self.formula_of.get(&kind) {
            return *formula;
        }
        let symbols = match &kind {
            FormulaKind::Constant(_) => self.none.clone(),
            FormulaKind::Zero(term)
            | FormulaKind::NotZero(term)
            | FormulaKind::AtLeastZero(term) => self.terms[term.0 as usize].symbols.clone(),
            FormulaKind::All(parts) | FormulaKind::Any(parts) => self.union(
                parts
                    .iter()
                    .map(|part| &self.formulas[part.0 as usize].symbols),
            ),
            FormulaKind::Compatible(sizes) => self.union(
                sizes
                    .iter()
                    .map(|size| &self.terms[size.0 as usize].symbols),
            ),
        };
        let formula = Formula(u32::try_from(self.formulas.len()).unwrap_or(u32::MAX));
        let kind = Arc::new(kind);
        self.formulas.push(Known {
            value: kind.clone(),
            bounds: Bounds::default(),
            symbols,
        });
        self.formula_of.insert(kind, formula);
        formula
    }
}

/// Returns the least common multiple, if it is in range.
pub(crate) fn lcm(left: Int, right: Int) -> Option<Int> {
    (left / gcd(left, right).max(1)).checked_mul(right)
}
