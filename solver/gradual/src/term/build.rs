//! Making of terms: each function returns the normal form.

use super::made::Operation;
use super::polynomial::{gcd, monomial_quotient};
use super::{
    Atom, AtomKind, Bounds, Formula, FormulaKind, Int, Known, Polynomial, Symbol, Term, Terms,
    TooLarge,
};
use std::sync::Arc;

impl Terms {
    /// Makes the term of a symbol.
    pub fn of(&mut self, symbol: Symbol) -> Term {
        let atom = self.atom(AtomKind::Symbol(symbol));
        self.of_atom(atom)
    }

    /// Makes `left + right`
    pub fn add(&mut self, left: Term, right: Term) -> Term {
        self.of_two(Operation::Sum, left, right, |terms| {
            let sum = terms.polynomial(left).plus(1, terms.polynomial(right))?;
            Ok(terms.intern(sum))
        })
    }

    /// Makes `left - right`
    pub fn subtract(&mut self, left: Term, right: Term) -> Term {
        self.of_two(Operation::Difference, left, right, |terms| {
            let difference = terms.polynomial(left).plus(-1, terms.polynomial(right))?;
            Ok(terms.intern(difference))
        })
    }

    /// Makes `term + value`
    pub fn shift(&mut self, term: Term, value: Int) -> Term {
        let value = self.number(value);
        self.add(term, value)
    }

    /// Makes `factor * term`
    pub fn scale(&mut self, term: Term, factor: Int) -> Term {
        let scaled = self.polynomial(term).scaled(factor);
        self.intern_or_poison(scaled)
    }

    /// Makes `left * right`
    pub fn multiply(&mut self, left: Term, right: Term) -> Term {
        self.of_two(Operation::Product, left, right, |terms| {
            let product = terms.polynomial(left).times(terms.polynomial(right))?;
            Ok(terms.intern(product))
        })
    }

    /// Makes the product of all, 1 if there are none.
    pub fn product(&mut self, terms: &[Term]) -> Term {
        let one = self.number(1);
        terms
            .iter()
            .fold(one, |product, term| self.multiply(product, *term))
    }

    /// Makes the quotient by a positive number, rounded down.
    pub fn floor_divide(&mut self, term: Term, by: Int) -> Term {
        let quotient = self.floor_of(term, by);
        self.or_poison(quotient)
    }

    /// Makes the quotient by a positive number, rounded up.
    pub fn ceil_divide(&mut self, term: Term, by: Int) -> Term {
        let shifted = self.shift(term, by - 1);
        self.floor_divide(shifted, by)
    }

    /// Makes the remainder of the division by a positive number, not negative.
    pub fn modulo(&mut self, term: Term, by: Int) -> Term {
        let quotient = self.floor_divide(term, by);
        let whole = self.scale(quotient, by);
        self.subtract(term, whole)
    }

    fn floor_of(&mut self, term: Term, by: Int) -> Result<Term, TooLarge> {
        if by < 1 {
            return Err(TooLarge);
        }
        let polynomial = self.polynomial(term).clone();
        if polynomial
            .variable_parts()
            .first()
            .is_some_and(|part| part.1 < 0)
        {
            // ⌊t/k⌋ = -⌈-t/k⌉ = -⌊(k - 1 - t)/k⌋, and the leading coefficient of -t is positive.
            let turned = Polynomial::constant(by - 1).plus(-1, &polynomial)?;
            let turned = self.intern(turned);
            let quotient = self.floor_of(turned, by)?;
            return Ok(self.scale(quotient, -1));
        }
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for (monomial, coefficient) in &polynomial.parts {
            if monomial.is_empty() {
                whole.push((monomial.clone(), coefficient.div_euclid(by)));
                rest.push((monomial.clone(), coefficient.rem_euclid(by)));
            } else if coefficient % by == 0 {
                whole.push((monomial.clone(), coefficient / by));
            } else {
                rest.push((monomial.clone(), *coefficient));
            }
        }
        whole.retain(|part| part.1 != 0);
        rest.retain(|part| part.1 != 0);
        let whole = self.intern(Polynomial { parts: whole });
        let quotient = self.reduced_floor(Polynomial { parts: rest }, by)?;
        Ok(self.add(whole, quotient))
    }

    /// Divides what no coefficient of is divisible: common divisors are cancelled, a quotient of a quotient becomes
    /// one.
    fn reduced_floor(&mut self, rest: Polynomial, by: Int) -> Result<Term, TooLarge> {
        let common = gcd(rest.content(), by);
        if common > 1 {
            let constant = rest.constant_part().div_euclid(common);
            let mut parts: Vec<_> = rest
                .variable_parts()
                .iter()
                .map(|part| (part.0.clone(), part.1 / common))
                .collect();
            if constant != 0 {
                parts.insert(0, (Vec::new(), constant));
            }
            let reduced = self.intern(Polynomial { parts });
            return self.floor_of(reduced, by / common);
        }
        if by == 1 || rest.as_constant().is_some() {
            let term = self.intern(rest);
            return Ok(match self.as_number(term) {
                Some(value) => self.number(value.div_euclid(by)),
                None => term,
            });
        }
        if let [(monomial, 1)] = rest.variable_parts()
            && let [(atom, 1)] = monomial.as_slice()
            && let AtomKind::Floor(inner, divisor) = **self.atom_kind(*atom)
        {
            let constant = rest.constant_part().checked_mul(divisor).ok_or(TooLarge)?;
            let inner = self.shift(inner, constant);
            return self.floor_of(inner, divisor.checked_mul(by).ok_or(TooLarge)?);
        }
        let rest = self.intern(rest);
        let bounds = self.bounds(rest);
        if let (Some(low), Some(high)) = (bounds.low, bounds.high)
            && low.div_euclid(by) == high.div_euclid(by)
        {
            return Ok(self.number(low.div_euclid(by)));
        }
        let atom = self.atom(AtomKind::Floor(rest, by));
        Ok(self.of_atom(atom))
    }

    /// Makes the quotient by another term, rounded down. Where the divisor is 0 it has no value.
    pub fn divide(&mut self, term: Term, by: Term) -> Term {
        if let Some(number) = self.as_number(by) {
            return match number {
                1.. => self.floor_divide(term, number),
                0 => self.number(0),
                _ => {
                    let negated = self.scale(term, -1);
                    self.floor_divide(negated, -number)
                }
            };
        }
        self.of_two(Operation::Quotient, term, by, |terms| {
            let exact = terms
                .polynomial(term)
                .exact_quotient(terms.polynomial(by))?;
            if let Some(quotient) = exact {
                return Ok(terms.intern(quotient));
            }
            let (term, by) = terms.cancelled(term, by);
            if terms.as_number(by).is_some() {
                return Ok(terms.divide(term, by));
            }
            let atom = terms.atom(AtomKind::Quotient(term, by));
            Ok(terms.of_atom(atom))
        })
    }

    /// Divides both terms by the atoms that are positive and divide all their monomials.
    fn cancelled(&mut self, term: Term, by: Term) -> (Term, Term) {
        let (mut upper, mut lower) = (
            self.polynomial(term).as_ref().clone(),
            self.polynomial(by).as_ref().clone(),
        );
        let candidates: Vec<Atom> = lower.parts.first().map_or_else(Vec::new, |part| {
            part.0.iter().map(|power| power.0).collect()
        });
        for atom in candidates {
            while self.atom_known(atom).bounds.low.is_some_and(|low| low > 0) {
                let factor = vec![(atom, 1)];
                let divided = |polynomial: &Polynomial| {
                    let parts = polynomial
                        .parts
                        .iter()
                        .map(|part| Some((monomial_quotient(&part.0, &factor)?, part.1)));
                    parts
                        .collect::<Option<Vec<_>>>()
                        .and_then(|parts| Polynomial::collect(parts).ok())
                };
                let (Some(divided_upper), Some(divided_lower)) = (divided(&upper), divided(&lower))
                else {
                    break;
                };
                (upper, lower) = (divided_upper, divided_lower);
            }
        }
        (self.intern(upper), self.intern(lower))
    }

    /// Makes the smaller of two.
    pub fn min(&mut self, left: Term, right: Term) -> Term {
        let condition = self.at_most(left, right);
        self.select(condition, left, right)
    }

    /// Makes the larger of two.
    pub fn max(&mut self, left: Term, right: Term) -> Term {
        let condition = self.at_most(right, left);
        self.select(condition, left, right)
    }

    /// Makes one term where the condition holds, and another one elsewhere.
    pub fn select(&mut self, condition: Formula, then: Term, otherwise: Term) -> Term {
        match self.decided(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => {
                let atom = self.atom(AtomKind::Select(condition, then, otherwise));
                self.of_atom(atom)
            }
        }
    }

    /// Makes the term that is 1 where the condition holds, and 0 elsewhere.
    pub fn indicator(&mut self, condition: Formula) -> Term {
        let (one, zero) = (self.number(1), self.number(0));
        self.select(condition, one, zero)
    }

    /// Makes the size of the axis to which axes of these sizes are broadcast. They have to be compatible.
    pub fn broadcast(&mut self, sizes: &[Term]) -> Term {
        let sizes = self.broadcast_parts(sizes);
        // One that is certainly not 1 is the size, because the others are 1 or equal to it.
        let decisive = sizes
            .iter()
            .copied()
            .find(|size| self.as_number(*size).is_some());
        let decisive = decisive.or_else(|| {
            sizes
                .iter()
                .copied()
                .find(|size| self.bounds(*size).low.is_some_and(|low| low > 1))
        });
        match (decisive, sizes.as_slice()) {
            (Some(size), _) => size,
            (None, [size]) => *size,
            (None, []) => self.number(1),
            (None, _) => {
                let atom = self.atom(AtomKind::Broadcast(sizes.into()));
                self.of_atom(atom)
            }
        }
    }

    /// Returns the sizes that decide about a broadcast, sorted: without 1, and without a broadcast inside.
    pub(super) fn broadcast_parts(&mut self, sizes: &[Term]) -> Vec<Term> {
        let mut parts = Vec::with_capacity(sizes.len());
        for size in sizes {
            match self
                .polynomial(*size)
                .as_atom()
                .map(|atom| self.atom_kind(atom).clone())
                .as_deref()
            {
                Some(AtomKind::Broadcast(inner)) => parts.extend_from_slice(inner),
                _ if self.as_number(*size) == Some(1) => {}
                _ => parts.push(*size),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    pub(crate) fn atom(&mut self, kind: AtomKind) -> Atom {
        if let Some(atom) = self.atom_of.get(&kind) {
            return *atom;
        }
        let (bounds, symbols) = self.describe_atom(&kind);
        let atom = Atom(u32::try_from(self.atoms.len()).unwrap_or(u32::MAX));
        let kind = Arc::new(kind);
        self.atoms.push(Known {
            value: kind.clone(),
            bounds,
            symbols,
        });
        self.atom_of.insert(kind, atom);
        atom
    }

    pub(crate) fn intern(&mut self, polynomial: Polynomial) -> Term {
        if let Some(term) = self.term_of.get(&polynomial) {
            return *term;
        }
        self.charge(polynomial.parts.len());
        let bounds = self.polynomial_bounds(&polynomial);
        let atoms = polynomial
            .parts
            .iter()
            .flat_map(|part| part.0.iter().map(|power| power.0));
        let symbols = self.union(atoms.map(|atom| &self.atom_known(atom).symbols));
        let term = Term(u32::try_from(self.terms.len()).unwrap_or(u32::MAX));
        let polynomial = Arc::new(polynomial);
        self.terms.push(Known {
            value: polynomial.clone(),
            bounds,
            symbols,
        });
        self.term_of.insert(polynomial, term);
        term
    }

    fn intern_or_poison(&mut self, polynomial: Result<Polynomial, TooLarge>) -> Term {
        match polynomial {
            Ok(polynomial) => self.intern(polynomial),
            Err(TooLarge) => self.poison(),
        }
    }

    fn or_poison(&mut self, term: Result<Term, TooLarge>) -> Term {
        term.unwrap_or_else(|TooLarge| self.poison())
    }

    pub(super) fn poison(&mut self) -> Term {
        self.too_large = true;
        self.number(0)
    }

    fn describe_atom(&mut self, kind: &AtomKind) -> (Bounds, super::Symbols) {
        match kind {
            AtomKind::Symbol(symbol) => (self.symbol_bounds(*symbol), Arc::from([*symbol])),
            AtomKind::Floor(term, by) => {
                let Bounds { low, high } = self.bounds(*term);
                let bounds = Bounds {
                    low: low.map(|low| low.div_euclid(*by)),
                    high: high.map(|high| high.div_euclid(*by)),
                };
                (bounds, self.terms[term.0 as usize].symbols.clone())
            }
            AtomKind::Quotient(term, by) => {
                let (upper, lower) = (self.bounds(*term), self.bounds(*by));
                let is_plain =
                    upper.low.is_some_and(|low| low >= 0) && lower.low.is_some_and(|low| low >= 1);
                let bounds = if is_plain {
                    Bounds {
                        low: Some(0),
                        high: upper.high,
                    }
                } else {
                    Bounds::default()
                };
                (
                    bounds,
                    self.union(
                        [
                            &self.terms[term.0 as usize].symbols,
                            &self.terms[by.0 as usize].symbols,
                        ]
                        .into_iter(),
                    ),
                )
            }
            AtomKind::Select(condition, then, otherwise) => {
                let parts = [
                    &self.formulas[condition.0 as usize].symbols,
                    &self.terms[then.0 as usize].symbols,
                ];
                let symbols = self.union(
                    parts
                        .into_iter()
                        .chain([&self.terms[otherwise.0 as usize].symbols]),
                );
                (self.select_bounds(*condition, *then, *otherwise), symbols)
            }
            AtomKind::Broadcast(sizes) => {
                let bounds = sizes
                    .iter()
                    .map(|size| self.bounds(*size))
                    .reduce(hull)
                    .unwrap_or_default();
                let bounds = hull(bounds, Bounds::exactly(1));
                let low = sizes
                    .iter()
                    .filter_map(|size| self.bounds(*size).low)
                    .filter(|low| *low > 1)
                    .max();
                let low = low.or(bounds.low);
                (
                    Bounds { low, ..bounds },
                    self.union(
                        sizes
                            .iter()
                            .map(|size| &self.terms[size.0 as usize].symbols),
                    ),
                )
            }
        }
    }

    fn select_bounds(&mut self, condition: Formula, then: Term, otherwise: Term) -> Bounds {
        let (left, right) = (self.bounds(then), self.bounds(otherwise));
        let mut bounds = hull(left, right);
        if let FormulaKind::AtLeastZero(difference) = **self.formula_kind(condition) {
            if difference == self.subtract(otherwise, then) {
                bounds.high = [left.high, right.high].into_iter().flatten().min();
            } else if difference == self.subtract(then, otherwise) {
                bounds.low = [left.low, right.low].into_iter().flatten().max();
            }
        }
        bounds
    }

    fn polynomial_bounds(&self, polynomial: &Polynomial) -> Bounds {
        let mut sum = Bounds::exactly(0);
        for (monomial, coefficient) in &polynomial.parts {
            let mut product = Bounds::exactly(*coefficient);
            for (atom, power) in monomial {
                for _ in 0..*power {
                    product = product_bounds(product, self.atom_known(*atom).bounds);
                }
            }
            let plus = |left: Option<Int>, right: Option<Int>| left?.checked_add(right?);
            sum = Bounds {
                low: plus(sum.low, product.low),
                high: plus(sum.high, product.high),
            };
        }
        sum
    }
}

fn hull(left: Bounds, right: Bounds) -> Bounds {
    let both = |left: Option<Int>, right: Option<Int>, pick: fn(Int, Int) -> Int| {
        Some(pick(left?, right?))
    };
    Bounds {
        low: both(left.low, right.low, Int::min),
        high: both(left.high, right.high, Int::max),
    }
}

fn product_bounds(left: Bounds, right: Bounds) -> Bounds {
    if left == Bounds::exactly(0) || right == Bounds::exactly(0) {
        return Bounds::exactly(0);
    }
    let turned = |bounds: Bounds| Bounds {
        low: bounds.high.and_then(Int::checked_neg),
        high: bounds.low.and_then(Int::checked_neg),
    };
    let is_negative = |bounds: Bounds| bounds.high.is_some_and(|high| high <= 0);
    if is_negative(left) {
        return turned(product_bounds_of(turned(left), right));
    }
    product_bounds_of(left, right)
}

fn product_bounds_of(left: Bounds, right: Bounds) -> Bounds {
    let times = |left: Option<Int>, right: Option<Int>| left?.checked_mul(right?);
    match (left.low, right.low) {
        (Some(0..), Some(0..)) => Bounds {
            low: times(left.low, right.low),
            high: times(left.high, right.high),
        },
        _ => {
            let corners = [
                (left.low, right.low),
                (left.low, right.high),
                (left.high, right.low),
                (left.high, right.high),
            ];
            let corners: Option<Vec<Int>> = corners
                .into_iter()
                .map(|(one, other)| times(one, other))
                .collect();
            corners.map_or_else(Bounds::default, |corners| Bounds {
                low: corners.iter().copied().min(),
                high: corners.iter().copied().max(),
            })
        }
    }
}
