//! An equation `form = 0` over sizes, made smaller without a choice: sizes are at least 1, so a common factor of all
//! terms can be left out.

use lozenge_axon_vocabulary::{Atom, DimNode, DimVar, Linear, Pool, TooLarge};

/// The rest of `form = 0`.
pub(crate) enum Zero {
    /// Every choice of sizes satisfies it.
    Always,
    /// No choice does.
    Never,
    /// Another form that is 0 for the same sizes.
    When(Linear),
}

/// Simplifies `form = 0`.
pub(crate) fn simplified(pool: &mut Pool, form: Linear) -> Result<Zero, TooLarge> {
    let mut form = form;
    while let Some(factor) = common_factor(pool, &form) {
        form = without(pool, &form, factor)?;
    }
    if let Some(number) = form.as_number() {
        return Ok(if number == 0 {
            Zero::Always
        } else {
            Zero::Never
        });
    }
    let divisor = form.terms.iter().fold(0, |divisor, (_, coefficient)| {
        gcd(divisor, coefficient.unsigned_abs())
    });
    if let Some(divisor) = i64::try_from(divisor).ok().filter(|divisor| *divisor > 1) {
        if form.constant % divisor != 0 {
            return Ok(Zero::Never);
        }
        form.constant /= divisor;
        form.terms
            .iter_mut()
            .for_each(|(_, coefficient)| *coefficient /= divisor);
    }
    Ok(match has_one_sign(pool, &form) {
        true => Zero::Never,
        false => Zero::When(form),
    })
}

/// Tells whether a form is above 0, or below it, for all sizes, by its signs alone.
fn has_one_sign(pool: &Pool, form: &Linear) -> bool {
    let is_size = |atom: &Atom| match atom {
        Atom::Var(_) => true,
        Atom::Product(factors) => factors
            .iter()
            .all(|(factor, _)| matches!(pool.node(*factor), DimNode::Var(_))),
        Atom::Quotient(..) | Atom::Ragged(_) => false,
    };
    if !form.terms.iter().all(|(atom, _)| is_size(atom)) {
        return false;
    }
    let sum = form
        .terms
        .iter()
        .map(|(_, coefficient)| i128::from(*coefficient));
    let nearest = sum.sum::<i128>() + i128::from(form.constant);
    let is_positive = form.terms.iter().all(|(_, coefficient)| *coefficient > 0);
    let is_negative = form.terms.iter().all(|(_, coefficient)| *coefficient < 0);
    (is_positive && nearest > 0) || (is_negative && nearest < 0)
}

/// Returns a name that is a factor of every term; none if there is a constant.
fn common_factor(pool: &Pool, form: &Linear) -> Option<DimVar> {
    if form.constant != 0 {
        return None;
    }
    let (first, _) = form.terms.first()?;
    let mut factors = factors(pool, first).into_iter();
    factors.find(|name| {
        let mut others = form.terms.iter().skip(1);
        others.all(|(atom, _)| self::factors(pool, atom).contains(name))
    })
}

/// Returns the names that are factors of an atom.
fn factors(pool: &Pool, atom: &Atom) -> Vec<DimVar> {
    match atom {
        Atom::Var(name) => vec![*name],
        Atom::Product(factors) => {
            let factors = factors.iter();
            let names = factors.filter_map(|(factor, _)| match pool.node(*factor) {
                DimNode::Var(name) => Some(name),
                _ => None,
            });
            names.collect()
        }
        Atom::Quotient(..) | Atom::Ragged(_) => Vec::new(),
    }
}

/// Leaves out a factor of every term.
fn without(pool: &mut Pool, form: &Linear, name: DimVar) -> Result<Linear, TooLarge> {
    let mut sum = Linear::default();
    for (atom, coefficient) in &form.terms {
        let rest = match atom {
            Atom::Product(factors) => {
                let is_name = |pool: &Pool, factor| pool.node(factor) == DimNode::Var(name);
                let mut rest = factors.clone();
                rest.iter_mut()
                    .filter(|(factor, _)| is_name(pool, *factor))
                    .for_each(|(_, exponent)| *exponent -= 1);
                rest.retain(|(_, exponent)| *exponent > 0);
                let product = Linear {
                    terms: vec![(Atom::Product(rest), 1)],
                    constant: 0,
                };
                let product = pool.term(&product);
                (*pool.linear(product)?).clone()
            }
            _ => Linear::number(1),
        };
        sum = match sum.plus(*coefficient, &rest) {
            Some(sum) => sum,
            None => {
                let whole = pool.term(form);
                return Err(TooLarge(pool.show(whole).to_string().into()));
            }
        };
    }
    Ok(sum)
}

fn gcd(one: u64, other: u64) -> u64 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
