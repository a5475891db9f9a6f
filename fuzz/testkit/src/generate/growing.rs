//! Constraint sets in which sizes would grow with each other: cycles of sums, with and without parts that may be 0, and
//! products of which the whole is bounded, directly or through a sum.

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::{
    Basis, Composite, Composition, Constraint, ConstraintSet, Dim, DimTerm, DimVar,
};

use super::letter;

/// Returns the variables of a cycle or of a product, and those beside them, by their numbers.
fn var(number: usize) -> DimVar {
    DimVar::new(&letter(b'a', number))
}

fn sum(whole: usize, parts: &[usize]) -> Constraint {
    composed(Composition::Concat, whole, parts)
}

fn composed(composition: Composition, whole: usize, parts: &[usize]) -> Constraint {
    Constraint::Composite(Composite {
        composition,
        whole: var(whole).into(),
        parts: parts.iter().map(|part| var(*part).into()).collect(),
    })
}

fn stated(number: usize, size: u64) -> Constraint {
    let dim = Dim::based(size, Basis::Default).unwrap_or(Dim::Unit);
    Constraint::DimEq(DimTerm::from(var(number)), dim.into())
}

/// Draws a set with a cycle of sums, or with products of a bounded whole.
///
/// # Errors
/// Never for lack of bytes.
pub fn growing(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    match u.arbitrary()? {
        true => cycle(u),
        false => product(u),
    }
}

/// Draws up to four axes, each the sum of the next one and a rest; the last one contains the first. Each rest may be
/// one that can be 0. Some sizes are stated, and sometimes a link of the cycle is left out.
fn cycle(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let length = u.int_in_range(1..=4)?;
    let mut constraints = Vec::new();
    let left_out = match u.ratio(1, 4)? {
        true => Some(u.int_in_range(0..=length - 1)?),
        false => None,
    };
    for link in (0..length).filter(|link| Some(*link) != left_out) {
        let (next, rest) = ((link + 1) % length, length + link);
        let parts = match u.ratio(1, 8)? {
            true => vec![rest, next, rest],
            false => vec![next, rest],
        };
        constraints.push(sum(link, &parts));
    }
    for _ in 0..u.int_in_range(0..=2)? {
        let number = u.int_in_range(0..=2 * length - 1)?;
        constraints.push(stated(number, u.int_in_range(1..=4)?));
    }
    // Rests that are 0 together.
    if length > 1 && u.ratio(1, 4)? {
        constraints.push(Constraint::DimEq(
            var(length).into(),
            var(length + 1).into(),
        ));
    }
    let mut set: ConstraintSet = constraints.into_iter().collect();
    for rest in 0..length {
        if u.ratio(2, 3)? {
            set.summands.insert(var(length + rest));
        }
    }
    keep_those_that_occur(&mut set);
    Ok(set)
}

/// Draws a product of two or three sizes whose whole is stated, or is one part of a stated sum; a factor may be a sum
/// itself.
fn product(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let factors: Vec<usize> = (1..=u.int_in_range(2..=3)?).collect();
    let mut constraints = vec![composed(Composition::Product, 0, &factors)];
    let bound = u.int_in_range(1..=36)?;
    match u.ratio(1, 3)? {
        true => constraints.extend([stated(4, bound), sum(4, &[0, 5])]),
        false => constraints.push(stated(0, bound)),
    }
    if u.ratio(1, 2)? {
        constraints.push(sum(1, &[6, 7]));
    }
    if u.ratio(1, 3)? {
        constraints.push(composed(Composition::Product, 8, &[1, 2]));
        constraints.push(stated(8, u.int_in_range(1..=12)?));
    }
    if u.ratio(1, 3)? {
        constraints.push(stated(u.int_in_range(1..=2)?, u.int_in_range(1..=6)?));
    }
    let mut set: ConstraintSet = constraints.into_iter().collect();
    for part in [5, 6] {
        if u.ratio(1, 4)? {
            set.summands.insert(var(part));
        }
    }
    keep_those_that_occur(&mut set);
    Ok(set)
}

/// Keeps the declarations of variables that occur, since no others may be declared.
fn keep_those_that_occur(set: &mut ConstraintSet) {
    let vars = set.vars();
    set.summands
        .retain(|summand| vars.contains(&lozenge_vocabulary::Var::Dim(summand.clone())));
}

#[cfg(test)]
mod tests {
    use super::super::bytes;
    use super::*;

    #[test]
    fn cycles_with_and_without_parts_that_may_be_zero_and_products_are_drawn() {
        let (mut summands, mut plain, mut products) = (0, 0, 0);
        for index in 0..500 {
            let bytes = bytes(3, index, 256);
            let set = growing(&mut Unstructured::new(&bytes)).unwrap();
            assert_eq!(set.to_string().parse::<ConstraintSet>().as_ref(), Ok(&set));
            let is_product = set.constraints.iter().any(|constraint| {
                matches!(constraint, Constraint::Composite(of) if of.composition == Composition::Product)
            });
            products += usize::from(is_product);
            summands += usize::from(!is_product && !set.summands.is_empty());
            plain += usize::from(!is_product && set.summands.is_empty());
        }
        assert!(
            products > 100 && summands > 100 && plain > 20,
            "{products} {summands} {plain}"
        );
    }
}
