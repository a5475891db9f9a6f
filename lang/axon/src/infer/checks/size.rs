//! Conditions on the sizes of inputs, written with sums, differences and multiples of them.

use std::collections::BTreeMap;

use lozenge_axon_vocabulary::{Atom, DimId, DimNode, DimVar, Linear, Pool};
use rustc_hash::FxHashMap;

/// A sum of multiples of sizes of inputs and a constant, divided by a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Size {
    terms: BTreeMap<String, i128>,
    constant: i128,
    divisor: i128,
}

impl Size {
    /// Returns the size of an axis.
    pub(super) fn of(axis: String) -> Size {
        Size {
            terms: BTreeMap::from([(axis, 1)]),
            constant: 0,
            divisor: 1,
        }
    }

    /// Tells whether it is the size of an axis.
    pub(super) fn is(&self, axis: &str) -> bool {
        *self == Size::of(axis.to_string())
    }

    /// Adds a multiple of another size.
    fn add(&mut self, factor: i128, other: &Size) -> Option<()> {
        let (own, others) = (other.divisor, factor.checked_mul(self.divisor)?);
        for value in self.terms.values_mut() {
            *value = value.checked_mul(own)?;
        }
        self.constant = self
            .constant
            .checked_mul(own)?
            .checked_add(others.checked_mul(other.constant)?)?;
        self.divisor = self.divisor.checked_mul(own)?;
        for (axis, count) in &other.terms {
            let term = self.terms.entry(axis.clone()).or_default();
            *term = term.checked_add(others.checked_mul(*count)?)?;
        }
        self.terms.retain(|_, count| *count != 0);
        self.reduce();
        Some(())
    }

    /// Divides by what all its numbers have in common.
    fn reduce(&mut self) {
        let counts = self.terms.values();
        let common = counts.fold(gcd(self.divisor, self.constant), |common, count| {
            gcd(common, *count)
        });
        let common = common.abs();
        if common > 1 {
            self.terms.values_mut().for_each(|count| *count /= common);
            self.constant /= common;
            self.divisor /= common;
        }
    }

    /// Tells whether it is a whole number for all sizes.
    pub(super) fn is_whole(&self) -> bool {
        self.divisor == 1
    }

    fn number(constant: i128) -> Size {
        Size {
            terms: BTreeMap::new(),
            constant,
            divisor: 1,
        }
    }
}

/// Writes a sum of multiples and a constant.
fn sum(terms: &BTreeMap<String, i128>, constant: i128) -> String {
    let mut text = String::new();
    let mut add = |is_negative: bool, part: String| {
        match (text.is_empty(), is_negative) {
            (true, false) => {}
            (true, true) => text.push('-'),
            (false, false) => text.push_str(" + "),
            (false, true) => text.push_str(" - "),
        }
        text.push_str(&part);
    };
    for (axis, count) in terms
        .iter()
        .filter(|term| *term.1 > 0)
        .chain(terms.iter().filter(|term| *term.1 < 0))
    {
        let part = match count.abs() {
            1 => axis.clone(),
            many => format!("{many}*{axis}"),
        };
        add(*count < 0, part);
    }
    if constant != 0 || terms.is_empty() {
        add(constant < 0, constant.abs().to_string());
    }
    text
}

/// The axes of inputs that have the sizes of names.
pub(super) struct Homes<'h> {
    pub(super) pool: &'h Pool,
    pub(super) axes: &'h FxHashMap<DimVar, Size>,
}

impl Homes<'_> {
    /// Returns a product of axes as one term; none if a factor is no axis of an input.
    fn product(&self, factors: &[(DimId, u32)]) -> Option<Size> {
        const LARGEST: u32 = 8;
        let mut axes = Vec::new();
        for (factor, exponent) in factors {
            let DimNode::Var(name) = self.pool.node(*factor) else {
                return None;
            };
            let home = self.axes.get(&name)?;
            let (axis, _) = home.terms.first_key_value()?;
            if !home.is(axis) || *exponent > LARGEST {
                return None;
            }
            axes.extend((0..*exponent).map(|_| axis.clone()));
        }
        axes.sort_unstable();
        Some(Size::of(axes.join("*")))
    }

    /// Returns a quotient, rounded down, as one term; none if a part is neither an axis of an input nor a number.
    fn quotient(&self, dividend: DimId, divisor: DimId) -> Option<Size> {
        let part = |dim| match self.pool.node(dim) {
            DimNode::Number(number) => Some(number.to_string()),
            DimNode::Var(name) => {
                let home = self.axes.get(&name)?;
                let (axis, _) = home.terms.first_key_value()?;
                home.is(axis).then(|| axis.clone())
            }
            _ => None,
        };
        Some(Size::of(format!(
            "(/ {} {})",
            part(dividend)?,
            part(divisor)?
        )))
    }
}

/// Returns the value of a form over the sizes of inputs; none if it has a quotient or a name without an input.
fn value(form: &Linear, homes: &Homes<'_>) -> Option<Size> {
    let mut size = Size::number(form.constant.into());
    for (atom, factor) in &form.terms {
        let part = match atom {
            Atom::Var(name) => homes.axes.get(name)?,
            Atom::Product(factors) => &homes.product(factors)?,
            Atom::Quotient(dividend, divisor) => &homes.quotient(*dividend, *divisor)?,
            Atom::Ragged(_) => return None,
        };
        size.add((*factor).into(), part)?;
    }
    Some(size)
}

/// Returns the condition under which the size of an axis is equal to a form; none where the form has no value over the
/// sizes of inputs.
pub(super) fn equal(here: &str, form: &Linear, homes: &Homes<'_>) -> Option<String> {
    let size = value(form, homes)?;
    let mut own = Size::number(0);
    own.add(size.divisor, &Size::of(here.to_string()))?;
    let (own, value) = (sum(&own.terms, 0), sum(&size.terms, size.constant));
    // Of two axes the one of the earlier input stands on the left.
    let is_axis = form.as_var().is_some() && size.divisor == 1 && size.terms.len() == 1;
    Some(match is_axis {
        true => format!("{value} = {own}"),
        false => format!("{own} = {value}"),
    })
}

/// The value that the size of an axis gives to a name.
pub(super) struct Given {
    /// The name.
    pub(super) name: DimVar,
    /// The value over the sizes of inputs.
    pub(super) value: Size,
    /// The condition under which the value is a whole number, if there is one.
    pub(super) is_whole: Option<String>,
    /// The condition under which the value is at least 1, if there is one.
    pub(super) is_size: Option<String>,
}

/// Solves for the one name of the form of an axis that has no value yet: `dim(x,0) = 2*n` gives `n`, if the size is
/// even.
pub(super) fn given(here: &str, form: &Linear, homes: &Homes<'_>) -> Option<Given> {
    let mut rest = form.clone();
    let free = form
        .terms
        .iter()
        .position(|(atom, _)| matches!(atom, Atom::Var(name) if !homes.axes.contains_key(name)))?;
    let (atom, factor) = rest.terms.remove(free);
    let Atom::Var(name) = atom else {
        return None;
    };
    let rest = value(&rest, homes)?;
    let sign = i128::from(factor.signum());
    let mut solved = Size::number(0);
    solved.add(sign, &Size::of(here.to_string()))?;
    solved.add(-sign, &rest)?;
    solved.divisor = solved.divisor.checked_mul(i128::from(factor).abs())?;
    solved.reduce();
    // A multiple of the factor that is at least 1 is at least the factor.
    let is_plain = sign > 0 && rest.terms.is_empty() && rest.constant <= 0;
    let is_size = match is_plain {
        true => None,
        false => Some(compared(solved.clone())?),
    };
    Some(Given {
        name,
        is_whole: divisible(&solved),
        is_size,
        value: solved,
    })
}

/// Returns the condition under which a size is a whole number.
fn divisible(size: &Size) -> Option<String> {
    let mut terms = size.terms.clone();
    terms.retain(|_, count| *count % size.divisor != 0);
    let constant = size.constant.rem_euclid(size.divisor);
    if terms.is_empty() && constant == 0 {
        return None;
    }
    let dividend = sum(&terms, constant);
    let dividend = match dividend.contains(' ') {
        true => format!("({dividend})"),
        false => dividend,
    };
    Some(format!("{dividend} % {} = 0", size.divisor))
}

/// The conditions on a name in a form to which the size of an axis is equal.
pub(super) struct Follows {
    /// That its value is a whole number.
    pub(super) is_whole: bool,
    /// That its value is at least 1.
    pub(super) is_size: bool,
}

/// Tells what follows for a name with a value from an axis that is equal to a form in which the name has a factor.
pub(super) fn follows(form: &Linear, name: DimVar, homes: &Homes<'_>) -> Option<Follows> {
    let mut rest = form.clone();
    let own = |(atom, _): &(Atom, i64)| *atom == Atom::Var(name);
    let (_, factor) = rest.terms.remove(form.terms.iter().position(own)?);
    let (rest, home) = (value(&rest, homes)?, homes.axes.get(&name)?);
    Some(Follows {
        // From `2*dim(y,0) = 3*dim(x,0)` follows that `dim(x,0)` is even, as 2 and 3 have no common factor.
        is_whole: rest.divisor == 1 && gcd(factor.into(), home.divisor).abs() == 1,
        is_size: factor > 0 && rest.terms.is_empty() && rest.constant <= 0,
    })
}

/// Writes the value of a form over the sizes of inputs.
pub(super) fn shown(form: &Linear, homes: &Homes<'_>) -> Option<String> {
    let size = value(form, homes)?;
    (size.divisor == 1).then(|| sum(&size.terms, size.constant))
}

/// Returns the condition that a form is at least 1.
pub(super) fn at_least_one(form: &Linear, homes: &Homes<'_>) -> Option<String> {
    compared(value(form, homes)?)
}

/// Writes that a size is at least 1: what is subtracted stands on the right.
fn compared(size: Size) -> Option<String> {
    let mut least = size.divisor.checked_sub(size.constant)?;
    let mut left = size.terms.clone();
    let right: BTreeMap<String, i128> = size
        .terms
        .iter()
        .filter(|term| *term.1 < 0)
        .map(|(axis, count)| (axis.clone(), -count))
        .collect();
    left.retain(|_, count| *count > 0);
    let all = left.values().chain(right.values());
    let common = all.fold(0, |common, count| gcd(common, *count));
    let mut right = right;
    if common > 1 {
        left.values_mut()
            .chain(right.values_mut())
            .for_each(|count| *count /= common);
        least = least.div_euclid(common) + i128::from(least.rem_euclid(common) > 0);
    }
    Some(match left.is_empty() {
        true => format!("{} <= {}", sum(&right, 0), least.checked_neg()?),
        false => format!("{} >= {}", sum(&left, 0), sum(&right, least)),
    })
}

fn gcd(one: i128, other: i128) -> i128 {
    match other {
        0 => one,
        _ => gcd(other, one % other),
    }
}
