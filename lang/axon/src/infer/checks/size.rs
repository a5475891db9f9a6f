//! Conditions on the sizes of inputs, written with sums, differences and multiples of them.

use std::collections::BTreeMap;

use lozenge_axon_vocabulary::{Atom, DimId, DimNode, DimVar, Linear, Pool};
use rustc_hash::FxHashMap;

/// A sum of multiples of sizes of inputs and a constant, divided by a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Products of sizes, in order, with their factors.
    terms: BTreeMap<Vec<String>, i128>,
    constant: i128,
    divisor: i128,
}

impl Size {
    /// Returns the size of an axis.
    pub(super) fn of(axis: String) -> Size {
        Size {
            terms: BTreeMap::from([(vec![axis], 1)]),
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

    /// Multiplies by another size.
    fn times(&self, other: &Size) -> Option<Size> {
        const MOST: usize = 64;
        let mut product = Size::number(self.constant.checked_mul(other.constant)?);
        product.divisor = self.divisor.checked_mul(other.divisor)?;
        let mut add = |mut axes: Vec<String>, count: i128| {
            axes.sort_unstable();
            let term = product.terms.entry(axes).or_default();
            *term = term.checked_add(count)?;
            Some(())
        };
        for (axis, count) in &self.terms {
            for (other, factor) in &other.terms {
                let axes = [axis.as_slice(), other.as_slice()].concat();
                add(axes, count.checked_mul(*factor)?)?;
            }
        }
        for (one, constant) in [(self, other.constant), (other, self.constant)] {
            for (axis, count) in one.terms.iter().filter(|_| constant != 0) {
                add(axis.clone(), count.checked_mul(constant)?)?;
            }
        }
        product.terms.retain(|_, count| *count != 0);
        product.reduce();
        (product.terms.len() <= MOST).then_some(product)
    }

    /// Writes it as a part of a term.
    fn text(&self) -> String {
        let text = sum(&self.terms, self.constant);
        match (self.divisor, text.contains(' ')) {
            (1, false) => text,
            (1, true) => format!("({text})"),
            (divisor, false) => format!("(/ {text} {divisor})"),
            (divisor, true) => format!("(/ ({text}) {divisor})"),
        }
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
fn sum(terms: &BTreeMap<Vec<String>, i128>, constant: i128) -> String {
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
        let axis = axis.join("*");
        let part = match count.abs() {
            1 => axis,
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
    /// Returns a product of sizes of inputs; none if a factor has a name that no input gives.
    pub(super) fn product(&self, factors: &[(DimId, u32)]) -> Option<Size> {
        const LARGEST: u32 = 8;
        let mut product = Size::number(1);
        for (factor, exponent) in factors {
            if *exponent > LARGEST {
                return None;
            }
            let size = match self.pool.node(*factor) {
                DimNode::Var(name) => self.axes.get(&name)?.clone(),
                _ => Size::of(self.text(*factor)?),
            };
            for _ in 0..*exponent {
                product = product.times(&size)?;
            }
        }
        Some(product)
    }

    /// Writes a term over the sizes of inputs; none if it has a name that no input gives, or would be long.
    fn text(&self, dim: DimId) -> Option<String> {
        self.text_with(dim, &FxHashMap::default())
    }

    /// Writes a term over the sizes of inputs and names that have a text; none if it has another name, or is long.
    pub(super) fn text_with(
        &self,
        dim: DimId,
        names: &FxHashMap<DimVar, String>,
    ) -> Option<String> {
        const LONGEST: usize = 1 << 12;
        let mut texts: FxHashMap<DimId, String> = FxHashMap::default();
        for part in self.pool.with_parts([dim]) {
            let text = match self.pool.node(part) {
                DimNode::Number(number) => number.to_string(),
                DimNode::Var(name) => match self.axes.get(&name) {
                    Some(size) => size.text(),
                    None => names.get(&name)?.clone(),
                },
                DimNode::Op(op, left, right) => {
                    format!("({} {} {})", op.sign(), texts[&left], texts[&right])
                }
                DimNode::Ragged(_) => return None,
            };
            if text.len() > LONGEST {
                return None;
            }
            texts.insert(part, text);
        }
        texts.remove(&dim)
    }
}

/// Returns the value of a form over the sizes of inputs; none if it has a name without an input.
fn value(form: &Linear, homes: &Homes<'_>) -> Option<Size> {
    let mut size = Size::number(form.constant.into());
    for (atom, factor) in &form.terms {
        let part = match atom {
            Atom::Var(name) => homes.axes.get(name)?,
            Atom::Product(factors) => &homes.product(factors)?,
            Atom::Quotient(dividend, divisor) => {
                let (top, bottom) = (homes.text(*dividend)?, homes.text(*divisor)?);
                &Size::of(format!("(/ {top} {bottom})"))
            }
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

/// A multiple that may be chosen freely.
pub(super) struct Multiple {
    /// The number of which it is a multiple; negative where the multiple is subtracted.
    pub(super) factor: i128,
    /// The product of axes of which it is a multiple as well.
    pub(super) by: Option<Size>,
    /// The least number that the factor may be multiplied by, if there is one.
    pub(super) least: Option<i128>,
}

/// Returns the conditions under which the size of an axis is the sum of a form and a multiple that may be chosen; none
/// where the form has no value over the sizes of inputs. There is no condition if every size is such a sum.
pub(super) fn is_multiple(
    here: &str,
    rest: &Linear,
    multiple: &Multiple,
    homes: &Homes<'_>,
) -> Option<Vec<String>> {
    let rest = value(rest, homes)?;
    let (sign, factor) = (multiple.factor.signum(), multiple.factor.abs());
    let mut chosen = Size::number(0);
    chosen.add(sign, &Size::of(here.to_string()))?;
    chosen.add(-sign, &rest)?;
    let mut conditions = Vec::new();
    match &multiple.by {
        None => {
            let mut divided = chosen.clone();
            divided.divisor = divided.divisor.checked_mul(factor)?;
            divided.reduce();
            conditions.extend(divisible(&divided));
        }
        Some(by) => {
            let mut many = Size::number(0);
            many.add(factor, by)?;
            // A multiple of `n/3` is one whose triple is a multiple of `n`.
            let mut scaled = Size::number(0);
            scaled.add(many.divisor, &chosen)?;
            many.divisor = 1;
            let [dividend, divisor] = [&scaled, &many].map(|size| {
                let text = sum(&size.terms, size.constant);
                match text.contains([' ', '*']) {
                    true => format!("({text})"),
                    false => text,
                }
            });
            chosen.is_whole().then_some(())?;
            conditions.push(format!("{dividend} % {divisor} = 0"));
        }
    }
    // A multiple of axes that is above 0 is at least their product.
    let least = match (multiple.least, &multiple.by) {
        (Some(_), Some(_)) => 1,
        (Some(least), None) => least.checked_mul(factor)?,
        (None, _) => return Some(conditions),
    };
    let smallest = match (rest.terms.is_empty() && sign > 0, &multiple.by) {
        (true, None) => (rest.constant - 1).rem_euclid(factor) + 1 - rest.constant,
        (true, Some(_)) => 1 - rest.constant,
        (false, _) => i128::MIN,
    };
    if smallest < least {
        chosen.constant = chosen
            .constant
            .checked_sub(least.checked_sub(1)?.checked_mul(chosen.divisor)?)?;
        conditions.push(compared(chosen)?);
    }
    Some(conditions)
}

/// Returns the condition under which the size of an axis is that of another one and the difference of two forms.
pub(super) fn differ(
    here: &str,
    form: &Linear,
    (other, of): (&str, &Linear),
    homes: &Homes<'_>,
) -> Option<String> {
    let (value, less) = (value(form, homes)?, value(of, homes)?);
    let mut size = Size::of(other.to_string());
    size.add(1, &value)?;
    size.add(-1, &less)?;
    if size.is(other) {
        return Some(format!("{other} = {here}"));
    }
    let mut own = Size::number(0);
    own.add(size.divisor, &Size::of(here.to_string()))?;
    Some(format!(
        "{} = {}",
        sum(&own.terms, 0),
        sum(&size.terms, size.constant)
    ))
}

/// Returns the condition that a form is at least 1, if its part without a value is so many times that of the size of an
/// axis.
pub(super) fn at_least_one_by(
    form: &Linear,
    (here, of): (&str, &Linear),
    times: i64,
    homes: &Homes<'_>,
) -> Option<String> {
    let mut size = value(&form.plus(times.checked_neg()?, of)?, homes)?;
    size.add(times.into(), &Size::of(here.to_string()))?;
    compared(size)
}

/// Tells whether a part of a form has a value over the sizes of inputs.
pub(super) fn has_value(atom: &Atom, homes: &Homes<'_>) -> bool {
    let part = Linear {
        terms: vec![(atom.clone(), 1)],
        constant: 0,
    };
    value(&part, homes).is_some()
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
    let right: BTreeMap<Vec<String>, i128> = size
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

/// Returns the largest number that divides both.
pub(super) fn gcd(one: i128, other: i128) -> i128 {
    match other {
        0 => one,
        _ => gcd(other, one % other),
    }
}
