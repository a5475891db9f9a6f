//! The sizes of a pattern as conditions on the axes of inputs: each name is replaced by an axis that tells it.

use lozenge_gradual_vocabulary::{Condition, Quantity, Relation, Sum};

use crate::pattern::Size;

/// A sum divided by a number that is at least 1.
#[derive(Clone, Debug)]
struct Fraction {
    sum: Sum,
    by: i128,
}

/// The names of a pattern in terms of axes.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    /// The names of sizes.
    names: Vec<String>,
    /// The value of each name, once it is known.
    values: Vec<Option<Fraction>>,
    /// The conditions on the axes.
    pub conditions: Vec<Condition>,
}

impl Linear {
    /// Makes the conditions of a pattern. `axes` are the input and the place of each axis with the size that is
    /// written; names of `zero` are 0.
    ///
    /// # Errors
    /// Where the pattern is not linear, or a number has more than 128 bits; in words.
    pub fn new(
        names: &[String],
        axes: &[(String, usize, Size)],
        conditions: &[Condition],
        zero: &[usize],
    ) -> Result<Linear, String> {
        let mut linear = Linear {
            names: names.to_vec(),
            values: vec![None; names.len()],
            conditions: Vec::new(),
        };
        for name in zero {
            linear.values[*name] = Some(Fraction {
                sum: Sum::default(),
                by: 1,
            });
        }
        let free = linear.without_products(axes, conditions);
        let told_by = linear.solve(axes);
        for (at, (input, place, size)) in axes.iter().enumerate() {
            if told_by.contains(&Some(at)) || free.contains(&at) {
                continue;
            }
            let condition = linear.compared(axis(input, *place), Relation::Equal, size)?;
            linear.conditions.push(condition);
        }
        for condition in conditions {
            let condition = linear.replaced(condition)?;
            linear.conditions.push(condition);
        }
        Ok(linear)
    }

    /// Returns the condition that an axis has another size than is written.
    ///
    /// # Errors
    /// As [`Linear::new`].
    pub fn differs(&self, quantity: Quantity, size: &Size) -> Result<Condition, String> {
        self.compared(quantity, Relation::Differs, size)
    }

    /// Returns the axes that are a product of names which occur nowhere else: any size is one.
    fn without_products(
        &self,
        axes: &[(String, usize, Size)],
        conditions: &[Condition],
    ) -> Vec<usize> {
        let uses = |name: usize| {
            let in_axes = axes.iter().flat_map(|(_, _, size)| &size.products);
            let in_axes = in_axes.flat_map(|(names, _)| names);
            let own = in_axes.filter(|other| **other == name).count();
            let sums = conditions.iter().flat_map(|c| [&c.left, &c.right]);
            own + sums.filter(|sum| mentions(sum, &self.names[name])).count()
        };
        let is_free = |size: &Size| match (&size.products[..], size.number) {
            ([(names, 1)], 0) => names.len() > 1 && names.iter().all(|name| uses(*name) == 1),
            _ => false,
        };
        let numbered = axes.iter().enumerate();
        numbered
            .filter(|(_, (_, _, size))| is_free(size))
            .map(|(at, _)| at)
            .collect()
    }

    /// Finds an axis that tells each name: one that is the name, or else a multiple of it and a number. Returns the
    /// axes, by the names.
    fn solve(&mut self, axes: &[(String, usize, Size)]) -> Vec<Option<usize>> {
        let mut told_by = vec![None; self.names.len()];
        for alone in [true, false] {
            for (at, (input, place, size)) in axes.iter().enumerate() {
                let ([(names, factor)], true) =
                    (&size.products[..], !alone || size.name().is_some())
                else {
                    continue;
                };
                let [name] = names[..] else { continue };
                if self.values[name].is_some() || *factor < 1 {
                    continue;
                }
                let by = i128::from(*factor);
                let number = i128::from(size.number);
                let own = Sum::of(axis(input, *place));
                let Some(sum) = own.clone().plus(-1, &Sum::number(number)) else {
                    continue;
                };
                if (by, number) != (1, 0) {
                    self.tells(own, &sum, (by, number));
                }
                told_by[name] = Some(at);
                self.values[name] = Some(Fraction { sum, by });
            }
        }
        told_by
    }

    /// States that an axis is a multiple of a name that is at least 1, and a number.
    fn tells(&mut self, own: Sum, less: &Sum, (by, number): (i128, i128)) {
        if by > 1 {
            self.conditions.push(Condition {
                left: Sum::of(Quantity::Remainder(less.clone(), by)),
                relation: Relation::Equal,
                right: Sum::number(0),
            });
        }
        self.conditions.push(Condition {
            left: own,
            relation: Relation::AtLeast,
            right: Sum::number(by.saturating_add(number)),
        });
    }

    /// Compares an axis with a size that is written.
    fn compared(
        &self,
        quantity: Quantity,
        relation: Relation,
        size: &Size,
    ) -> Result<Condition, String> {
        let mut right = Sum::number(i128::from(size.number));
        for (names, factor) in &size.products {
            let [name] = names[..] else {
                return Err(format!(
                    "`{}` is a product of sizes: a proof takes sums of multiples of sizes, and products of sizes that occur nowhere else",
                    size.shown(&self.names)
                ));
            };
            let named = Sum::of(Quantity::Named(self.names[name].clone()));
            right = right
                .plus(i128::from(*factor), &named)
                .ok_or_else(too_large)?;
        }
        self.replaced(&Condition {
            left: Sum::of(quantity),
            relation,
            right,
        })
    }

    /// Returns a condition with axes for names, multiplied so that nothing is divided.
    fn replaced(&self, condition: &Condition) -> Result<Condition, String> {
        let (left, right) = (self.sum(&condition.left)?, self.sum(&condition.right)?);
        Ok(Condition {
            left: scaled(&left.sum, right.by)?,
            relation: condition.relation,
            right: scaled(&right.sum, left.by)?,
        })
    }

    fn sum(&self, sum: &Sum) -> Result<Fraction, String> {
        let mut total = Fraction {
            sum: Sum::number(sum.number),
            by: 1,
        };
        for (quantity, factor) in &sum.parts {
            let part = self.quantity(quantity)?;
            let by = total.by.checked_mul(part.by).ok_or_else(too_large)?;
            let factor = factor.checked_mul(total.by).ok_or_else(too_large)?;
            let sum = scaled(&total.sum, part.by)?;
            let sum = sum.plus(factor, &part.sum).ok_or_else(too_large)?;
            total = Fraction { sum, by };
        }
        Ok(total)
    }

    fn quantity(&self, quantity: &Quantity) -> Result<Fraction, String> {
        match quantity {
            Quantity::Named(name) => {
                let at = self.names.iter().position(|known| known == name);
                match at {
                    // An integer input.
                    None => Ok(whole(quantity)),
                    Some(at) => self.values[at].clone().ok_or_else(|| {
                        format!(
                            "no axis tells `{name}`: let it be an axis of its own, or a multiple of it and a number"
                        )
                    }),
                }
            }
            // The quotient is a whole number, so the remainder of the multiples is the multiple of the remainder.
            Quantity::Remainder(sum, number) => {
                let inside = self.sum(sum)?;
                let number = number.checked_mul(inside.by).ok_or_else(too_large)?;
                Ok(Fraction {
                    sum: Sum::of(Quantity::Remainder(inside.sum, number)),
                    by: inside.by,
                })
            }
            Quantity::Axis { .. } | Quantity::Rank(_) => Ok(whole(quantity)),
        }
    }
}

fn axis(input: &str, place: usize) -> Quantity {
    Quantity::Axis {
        of: input.to_owned(),
        at: i64::try_from(place).unwrap_or(i64::MAX),
    }
}

fn whole(quantity: &Quantity) -> Fraction {
    Fraction {
        sum: Sum::of(quantity.clone()),
        by: 1,
    }
}

fn scaled(sum: &Sum, by: i128) -> Result<Sum, String> {
    Sum::default().plus(by, sum).ok_or_else(too_large)
}

fn too_large() -> String {
    "a number of the pattern has more than 128 bits".to_owned()
}

/// Tells whether a sum speaks of a name, also within remainders.
fn mentions(sum: &Sum, name: &str) -> bool {
    let mut waiting = vec![sum];
    while let Some(sum) = waiting.pop() {
        for (quantity, _) in &sum.parts {
            match quantity {
                Quantity::Named(other) if other == name => return true,
                Quantity::Remainder(inside, _) => waiting.push(inside),
                _ => {}
            }
        }
    }
    false
}
