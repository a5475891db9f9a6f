//! Hash-consed terms in normal form: a polynomial over atoms with integer coefficients. Two terms with the same normal
//! form are the same [`Term`].

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use rustc_hash::FxHashMap;

use crate::atom::{Atom, Range};
use crate::form::{Form, Variable, sum};
use crate::number::{Int, Overflow, floor_div, gcd, multiply};

/// A term of a [`Store`](crate::Store). Equal terms of one store have equal normal forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// The term that stands for every number that became too large.
const OVERFLOWED: Term = Term(0);

/// If a product would have more terms than this when multiplied out, its factors become atoms instead.
const TERMS: usize = 64;
/// The most factors that a monomial may have.
const FACTORS: usize = 16;

/// All terms and atoms of a store.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The normal form of each term. The first one is the overflowed term.
    forms: Vec<Form>,
    by_form: FxHashMap<Form, Term>,
    /// The atoms, in the order of their variables.
    atoms: Vec<Atom>,
    by_atom: FxHashMap<Atom, Variable>,
}

impl Terms {
    pub(crate) fn new() -> Terms {
        Terms {
            forms: vec![Form::default()],
            by_form: FxHashMap::default(),
            atoms: Vec::new(),
            by_atom: FxHashMap::default(),
        }
    }

    /// Returns the normal form of a term, or an overflow if a number in it is too large. A term of another store has no
    /// meaning here; if this store has no term with its number, it is read as overflowed.
    pub(crate) fn form(&self, term: Term) -> Result<&Form, Overflow> {
        match self.forms.get(term.0 as usize) {
            Some(form) if term != OVERFLOWED => Ok(form),
            _ => Err(Overflow),
        }
    }

    /// Returns the number of atoms.
    pub(crate) fn len(&self) -> usize {
        self.atoms.len()
    }

    pub(crate) fn atom(&self, variable: Variable) -> Option<&Atom> {
        self.atoms.get(variable.0 as usize)
    }

    /// Returns the product of all factors of a product except the first.
    pub(crate) fn tail(&self, atom: &Atom) -> Option<Variable> {
        let Atom::Product(factors) = atom else {
            return None;
        };
        match factors.as_slice() {
            [] => None,
            [_, last] => Some(*last),
            [_, several @ ..] => {
                let tail = Atom::Product(several.to_vec());
                self.by_atom.get(&tail).copied()
            }
        }
    }

    /// Returns the term of a form.
    pub(crate) fn intern(&mut self, form: Result<Form, Overflow>) -> Term {
        let Ok(form) = form else {
            return OVERFLOWED;
        };
        if let Some(term) = self.by_form.get(&form) {
            return *term;
        }
        let term = Term(self.forms.len() as u32);
        self.forms.push(form.clone());
        self.by_form.insert(form, term);
        term
    }

    fn push(&mut self, atom: Atom) -> Variable {
        let variable = Variable(self.atoms.len() as u32);
        self.atoms.push(atom);
        variable
    }

    /// Returns the number of an atom.
    fn atom_of(&mut self, atom: Atom) -> Variable {
        if let Some(variable) = self.by_atom.get(&atom) {
            return *variable;
        }
        let variable = self.push(atom.clone());
        self.by_atom.insert(atom, variable);
        variable
    }

    pub(crate) fn variable(&mut self, range: Range) -> Term {
        let variable = self.push(Atom::Variable(range));
        self.intern(Ok(Form::variable(variable)))
    }

    pub(crate) fn sum(&mut self, parts: &[(i64, Term)], constant: i64) -> Term {
        let form = self.sum_form(parts, constant);
        self.intern(form)
    }

    fn sum_form(&self, parts: &[(i64, Term)], constant: i64) -> Result<Form, Overflow> {
        let constant = Form::constant(Int::from(constant));
        let mut forms = vec![(1, &constant)];
        for (factor, term) in parts {
            forms.push((Int::from(*factor), self.form(*term)?));
        }
        sum(forms)
    }

    /// Returns the atom of a quotient, which is not in normal form.
    #[cfg(test)]
    pub(crate) fn floor(&mut self, form: Form, by: Int) -> Term {
        let atom = self.atom_of(Atom::Floor { form, by });
        self.intern(Ok(Form::variable(atom)))
    }

    pub(crate) fn floor_div(&mut self, term: Term, by: NonZeroU64) -> Term {
        let form = self.floor_form(term, Int::from(by.get()));
        self.intern(form)
    }

    pub(crate) fn ceil_div(&mut self, term: Term, by: NonZeroU64) -> Term {
        let by = Int::from(by.get());
        let raised = self.form(term).cloned();
        let raised = raised.and_then(|form| form.shifted(by - 1));
        let raised = self.intern(raised);
        let form = self.floor_form(raised, by);
        self.intern(form)
    }

    /// Returns `⌊term / by⌋` in normal form: multiples of the divisor are taken out of the quotient, common divisors
    /// are cancelled, and `⌊⌊f / a⌋ / b⌋` becomes `⌊f / ab⌋`.
    fn floor_form(&mut self, term: Term, by: Int) -> Result<Form, Overflow> {
        let (mut form, mut by) = (self.form(term)?.clone(), by);
        let mut whole = Form::default();
        loop {
            whole = whole.plus(1, &form.map(|number| floor_div(number, by)))?;
            let rest = form.map(|number| number.rem_euclid(by));
            // The constant rounds down when a common divisor of the coefficients is cancelled.
            let divisor = gcd(rest.content(), by);
            form = rest.map(|number| floor_div(number, divisor));
            by /= divisor;
            if by == 1 {
                return whole.plus(1, &form);
            }
            let inner = match form.terms() {
                [(variable, 1)] => self.atom(*variable),
                _ => None,
            };
            let Some(Atom::Floor { form: f, by: a }) = inner else {
                let atom = self.atom_of(Atom::Floor { form, by });
                return whole.plus(1, &Form::variable(atom));
            };
            let raised = f.clone().shifted(multiply(*a, form.constant)?)?;
            by = multiply(*a, by)?;
            form = raised;
        }
    }

    pub(crate) fn max(&mut self, terms: &[Term]) -> Option<Term> {
        if terms.is_empty() {
            return None;
        }
        let form = self.max_form(terms, 1);
        Some(self.intern(form))
    }

    pub(crate) fn min(&mut self, terms: &[Term]) -> Option<Term> {
        if terms.is_empty() {
            return None;
        }
        let form = self.max_form(terms, -1);
        Some(self.intern(form.and_then(|form| form.scaled(-1))))
    }

    /// Returns the largest of `sign · term`. Of terms that differ by a constant only the largest is kept; a common
    /// constant is taken out.
    fn max_form(&mut self, terms: &[Term], sign: Int) -> Result<Form, Overflow> {
        let mut constants: BTreeMap<Vec<(Variable, Int)>, Form> = BTreeMap::new();
        for term in terms {
            let form = self.form(*term)?.scaled(sign)?;
            let kept = constants
                .entry(form.terms().to_vec())
                .or_insert_with(|| form.clone());
            kept.constant = kept.constant.max(form.constant);
        }
        let common = constants
            .values()
            .map(|form| form.constant)
            .min()
            .unwrap_or(0);
        let forms: Result<Vec<Form>, Overflow> = constants
            .into_values()
            .map(|form| form.shifted(-common))
            .collect();
        let mut forms = forms?;
        match forms.len() {
            1 => forms.remove(0).shifted(common),
            _ => Form::variable(self.atom_of(Atom::Max(forms))).shifted(common),
        }
    }

    pub(crate) fn product(&mut self, left: Term, right: Term) -> Term {
        let form = self.product_form(left, right);
        self.intern(form)
    }

    fn product_form(&mut self, left: Term, right: Term) -> Result<Form, Overflow> {
        let (left, right) = (self.form(left)?.clone(), self.form(right)?.clone());
        if let Some(constant) = left.as_constant() {
            return right.scaled(constant);
        }
        if let Some(constant) = right.as_constant() {
            return left.scaled(constant);
        }
        let too_long = (left.len() + 1) * (right.len() + 1) > TERMS;
        let too_deep = self.degree(&left) + self.degree(&right) > FACTORS;
        let (left, right) = match too_long || too_deep {
            true => (self.named(left), self.named(right)),
            false => (left, right),
        };
        let mut parts = vec![
            (1, right.scaled(left.constant)?),
            (right.constant, left.direction()),
        ];
        for (a, coefficient) in left.terms() {
            for (b, other) in right.terms() {
                let monomial = self.monomial(*a, *b);
                parts.push((multiply(*coefficient, *other)?, Form::variable(monomial)));
            }
        }
        sum(parts.iter().map(|(factor, form)| (*factor, form)))
    }

    /// Returns a form that consists of one atom and equals this form.
    fn named(&mut self, form: Form) -> Form {
        match form
            .as_variable()
            .map(|variable| self.factors(variable).len())
        {
            Some(1) => form,
            _ => Form::variable(self.atom_of(Atom::Named(form))),
        }
    }

    fn factors(&self, variable: Variable) -> Vec<Variable> {
        match self.atom(variable) {
            Some(Atom::Product(factors)) => factors.clone(),
            _ => vec![variable],
        }
    }

    /// Returns the largest number of factors in a monomial.
    fn degree(&self, form: &Form) -> usize {
        let degrees = form
            .variables()
            .map(|variable| self.factors(variable).len());
        degrees.max().unwrap_or(0)
    }

    /// Returns the product of two atoms, and the products of its last factors, by which it is defined.
    fn monomial(&mut self, a: Variable, b: Variable) -> Variable {
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        factors.sort_unstable();
        let mut monomial = a;
        for start in (0..factors.len() - 1).rev() {
            monomial = self.atom_of(Atom::Product(factors[start..].to_vec()));
        }
        monomial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(terms: &mut Terms, count: usize) -> Vec<Term> {
        (0..count)
            .map(|_| terms.variable(Range::Positive))
            .collect()
    }

    fn total(terms: &mut Terms, parts: &[Term]) -> Term {
        let parts: Vec<(i64, Term)> = parts.iter().map(|part| (1, *part)).collect();
        terms.sum(&parts, 0)
    }

    fn form(terms: &Terms, term: Term) -> &Form {
        terms.form(term).expect("a small number")
    }

    /// Returns the factors of a term that is a single product.
    fn factors(terms: &Terms, term: Term) -> Vec<Variable> {
        let atom = form(terms, term).as_variable().expect("one atom");
        match terms.atom(atom) {
            Some(Atom::Product(factors)) => factors.clone(),
            other => panic!("{other:?} is no product"),
        }
    }

    #[test]
    fn sums_are_multiplied_out_until_the_product_is_too_long() {
        let mut terms = Terms::new();
        let all = sizes(&mut terms, 15);
        let seven = total(&mut terms, &all[..7]);
        let others = total(&mut terms, &all[7..14]);
        let eight = total(&mut terms, &all[7..]);
        let product = terms.product(seven, others);
        assert_eq!(form(&terms, product).len(), 49);
        // One more term, on either side, makes each sum a factor of its own.
        for (left, right) in [(seven, eight), (eight, seven)] {
            let product = terms.product(left, right);
            let named: Vec<Form> = factors(&terms, product)
                .into_iter()
                .map(|factor| match terms.atom(factor) {
                    Some(Atom::Named(form)) => form.clone(),
                    other => panic!("{other:?} has no name"),
                })
                .collect();
            assert_eq!(named.len(), 2);
            assert!(named.contains(form(&terms, seven)));
            assert!(named.contains(form(&terms, eight)));
        }
    }

    #[test]
    fn a_variable_needs_no_name_to_be_a_factor() {
        let mut terms = Terms::new();
        let all = sizes(&mut terms, 33);
        let long = total(&mut terms, &all[1..]);
        let product = terms.product(all[0], long);
        assert_eq!(factors(&terms, product)[0], Variable(0));
        // The sizes, the name of the sum, and the product.
        assert_eq!(terms.len(), 33 + 2);
    }

    #[test]
    fn a_power_is_one_product_up_to_sixteen_factors() {
        let mut terms = Terms::new();
        let one = terms.variable(Range::Positive);
        let mut powers = vec![one];
        for _ in 0..16 {
            let last = powers[powers.len() - 1];
            powers.push(terms.product(last, one));
        }
        // The power with a number of factors is at that number minus one.
        assert_eq!(factors(&terms, powers[15]), [Variable(0); 16]);
        let halves = terms.product(powers[7], powers[7]);
        assert_eq!(halves, powers[15]);
        for (left, right) in [(15, 0), (8, 7)] {
            let product = terms.product(powers[left], powers[right]);
            assert_eq!(factors(&terms, product).len(), 2, "{left} {right}");
        }
    }

    #[test]
    fn a_product_is_defined_by_those_of_its_last_factors() {
        let mut terms = Terms::new();
        let all = sizes(&mut terms, 4);
        let [a, b, c, d] = [0, 1, 2, 3].map(Variable);
        let left = terms.product(all[0], all[1]);
        let right = terms.product(all[2], all[3]);
        // The products of two, and nothing else, are new atoms.
        assert_eq!(terms.len(), 6);
        let whole = terms.product(left, right);
        assert_eq!(factors(&terms, whole), [a, b, c, d]);
        // The products of the last three and of all four variables are new atoms; the product of the last two is there
        // already.
        assert_eq!(terms.len(), 8);
        let of = |factors: &[Variable]| Atom::Product(factors.to_vec());
        let number = |terms: &Terms, factors: &[Variable]| terms.by_atom[&of(factors)];
        assert_eq!(terms.tail(&of(&[c, d])), Some(d));
        assert_eq!(terms.tail(&of(&[b, c, d])), Some(number(&terms, &[c, d])));
        assert_eq!(
            terms.tail(&of(&[a, b, c, d])),
            Some(number(&terms, &[b, c, d]))
        );
        assert_eq!(terms.tail(&Atom::Variable(Range::Positive)), None);
    }
}
