//! Arithmetic on the elements of tensors that are known: sizes as values.

use super::rows;
use crate::term::{Formula, Int, Term, Terms, gcd};
use crate::value::{Content, Ratio, Shape, Tensor};
use lozenge_graph_vocabulary::ElementType;

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Min,
    Max,
    Modulo,
    /// The remainder of a division that cuts off.
    Remainder,
    Power,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Xor,
}

/// Returns the elements after a function of one argument.
pub(super) fn unary(terms: &mut Terms, name: &str, tensor: &Tensor) -> Content {
    let Content::Numbers(numbers) = &tensor.content else {
        return Content::Unknown;
    };
    let numbers: Option<Vec<Ratio>> = numbers
        .iter()
        .map(|number| {
            Some(match name {
                "Neg" | "neg" => Ratio {
                    term: terms.scale(number.term, -1),
                    over: number.over,
                },
                "Floor" | "floor" => Ratio {
                    term: terms.floor_divide(number.term, number.over),
                    over: 1,
                },
                // Half of an odd number goes to the even one.
                "Round" => rounded(terms, *number)?,
                "Sqrt" => root(terms, *number)?,
                "Ceil" | "ceil" => Ratio {
                    term: terms.ceil_divide(number.term, number.over),
                    over: 1,
                },
                "Not" => {
                    let is_zero = terms.is(number.term, 0);
                    Ratio {
                        term: terms.indicator(is_zero),
                        over: 1,
                    }
                }
                "Abs" | "abs" => {
                    let negated = terms.scale(number.term, -1);
                    Ratio {
                        term: terms.max(number.term, negated),
                        over: number.over,
                    }
                }
                "Sign" => {
                    let (above, below) = (
                        terms.at_least(number.term, 1),
                        terms.at_least(number.term, 0),
                    );
                    let (one, zero, less) = (terms.number(1), terms.number(0), terms.number(-1));
                    let otherwise = terms.select(below, zero, less);
                    Ratio {
                        term: terms.select(above, one, otherwise),
                        over: 1,
                    }
                }
                _ => return None,
            })
        })
        .collect();
    numbers.map_or(Content::Unknown, |numbers| Content::Numbers(numbers.into()))
}

/// Returns the nearest whole number, of two the even one.
fn rounded(terms: &mut Terms, number: Ratio) -> Option<Ratio> {
    let (double, twice) = (terms.scale(number.term, 2), number.over.checked_mul(2)?);
    let shifted = terms.shift(double, number.over);
    let up = terms.floor_divide(shifted, twice);
    let (is_half, is_even) = (terms.divides(twice, shifted), terms.divides(2, up));
    let stays = terms.not(is_half);
    let stays = terms.any(&[stays, is_even]);
    let below = terms.shift(up, -1);
    Some(Ratio {
        term: terms.select(stays, up, below),
        over: 1,
    })
}

/// The denominator of square roots that are no whole numbers. They are cut off there, so that only what rounds them to
/// a whole number may be asked of them: arithmetic with this denominator is refused.
const CUT_OFF: Int = (1 << 40) + 1;

/// Returns the square root of a number that is no function of symbols.
fn root(terms: &mut Terms, number: Ratio) -> Option<Ratio> {
    let value = terms.as_number(number.term).filter(|_| number.over == 1)?;
    let of = |value: Int| u128::try_from(value).ok().map(u128::isqrt);
    let whole = Int::try_from(of(value)?).ok()?;
    if whole * whole == value {
        return Some(Ratio {
            term: terms.number(whole),
            over: 1,
        });
    }
    let scaled = value.checked_mul(CUT_OFF.checked_mul(CUT_OFF)?)?;
    let term = Int::try_from(of(scaled)?).ok()?;
    Some(Ratio {
        term: terms.number(term),
        over: CUT_OFF,
    })
}

/// Returns the elements after an operator that broadcasts.
pub(super) fn together(
    terms: &mut Terms,
    name: &str,
    tensors: &[Tensor],
    shape: &Shape,
) -> Content {
    let range = shifted_range(terms, name, tensors);
    if let Some(range) = range.or_else(|| crossed_ranges(terms, name, tensors)) {
        return range;
    }
    let Some(sizes) = rows::sizes(terms, shape) else {
        return Content::Unknown;
    };
    if tensors
        .iter()
        .any(|tensor| !matches!(tensor.content, Content::Numbers(_)))
    {
        return Content::Unknown;
    }
    let is_integer = tensors
        .iter()
        .all(|tensor| tensor.element.is_none_or(ElementType::is_integer));
    let mut results = Vec::new();
    for index in rows::indices(&sizes) {
        let Some(each) = tensors
            .iter()
            .map(|tensor| aligned(terms, tensor, &index))
            .collect::<Option<Vec<Ratio>>>()
        else {
            return Content::Unknown;
        };
        let result = match (name, each.as_slice()) {
            ("Where", [condition, then, otherwise]) if then.over == otherwise.over => {
                let is_zero = terms.is(condition.term, 0);
                Some(Ratio {
                    term: terms.select(is_zero, otherwise.term, then.term),
                    over: then.over,
                })
            }
            (name, [first, rest @ ..]) => super::pointwise::binary(name).and_then(|operation| {
                rest.iter().try_fold(*first, |left, right| {
                    apply(terms, operation, left, *right, is_integer)
                })
            }),
            _ => None,
        };
        match result {
            Some(result) => results.push(result),
            None => return Content::Unknown,
        }
    }
    Content::Numbers(results.into())
}

/// Returns the elements of a tensor that is broadcast to a shape.
pub(super) fn stretched(terms: &Terms, tensor: &Tensor, shape: &Shape) -> Content {
    let Some(sizes) = rows::sizes(terms, shape) else {
        return Content::Unknown;
    };
    let numbers: Option<Vec<Ratio>> = rows::indices(&sizes)
        .map(|index| aligned(terms, tensor, &index))
        .collect();
    numbers.map_or(Content::Unknown, |numbers| Content::Numbers(numbers.into()))
}

/// Returns the element of a tensor that is broadcast, at an index of the result.
fn aligned(terms: &Terms, tensor: &Tensor, index: &[usize]) -> Option<Ratio> {
    let sizes = rows::sizes(terms, tensor.shape.as_ref()?)?;
    let own = index[index.len().checked_sub(sizes.len())?..]
        .iter()
        .zip(&sizes)
        .map(|(at, size)| if *size == 1 { 0 } else { *at });
    rows::element(terms, tensor, &own.collect::<Vec<_>>())
}

/// Returns a range to which one number is added.
fn shifted_range(terms: &mut Terms, name: &str, tensors: &[Tensor]) -> Option<Content> {
    let [left, right] = tensors else { return None };
    let (range, number) = match (&left.content, &right.content, name) {
        (Content::Range(low, high), Content::Numbers(numbers), "Add" | "Sub") => {
            ((*low, *high), numbers)
        }
        (Content::Numbers(numbers), Content::Range(low, high), "Add") => ((*low, *high), numbers),
        _ => return None,
    };
    let [Ratio { term, over: 1 }] = **number else {
        return None;
    };
    let term = if name == "Sub" {
        terms.scale(term, -1)
    } else {
        term
    };
    Some(Content::Range(
        terms.add(range.0, term),
        terms.add(range.1, term),
    ))
}

/// Computes a sum or a difference of ranges that lie along different axes, so that every entry of one meets every entry
/// of the other.
fn crossed_ranges(terms: &mut Terms, name: &str, tensors: &[Tensor]) -> Option<Content> {
    let [left, right] = tensors else { return None };
    let (Content::Range(low, high), Content::Range(least, most)) = (&left.content, &right.content)
    else {
        return None;
    };
    let (own, other) = (left.shape.as_ref()?, right.shape.as_ref()?);
    let is_one = |size: &Term| terms.as_number(*size) == Some(1);
    let mut pairs = own.axes.iter().rev().zip(other.axes.iter().rev());
    let is_crossed = pairs.all(|(left, right)| is_one(left) || is_one(right));
    if !is_crossed || own.block.is_some() || other.block.is_some() {
        return None;
    }
    match name {
        "Add" => Some(Content::Range(
            terms.add(*low, *least),
            terms.add(*high, *most),
        )),
        "Sub" => Some(Content::Range(
            terms.subtract(*low, *most),
            terms.subtract(*high, *least),
        )),
        _ => None,
    }
}

/// Applies one operation. An integer division cuts off.
pub(super) fn apply(
    terms: &mut Terms,
    operation: Binary,
    left: Ratio,
    right: Ratio,
    is_integer: bool,
) -> Option<Ratio> {
    if left.over == CUT_OFF || right.over == CUT_OFF {
        return None;
    }
    let truth = |terms: &mut Terms, formula: Formula| {
        Some(Ratio {
            term: terms.indicator(formula),
            over: 1,
        })
    };
    if let Binary::Multiply = operation {
        let over = left.over.checked_mul(right.over)?;
        let term = terms.multiply(left.term, right.term);
        return Some(reduced(terms, term, over));
    }
    if let Binary::Divide = operation {
        if is_integer {
            return quotient(terms, left.term, right.term).map(|term| Ratio { term, over: 1 });
        }
        let divisor = terms
            .as_number(right.term)
            .filter(|divisor| *divisor != 0)?;
        let term = terms.scale(left.term, right.over.checked_mul(divisor.signum())?);
        let over = left.over.checked_mul(divisor.checked_abs()?)?;
        return Some(reduced(terms, term, over));
    }
    // The others are taken over a common divisor.
    let over = crate::term::lcm(left.over, right.over)?;
    let (one, two) = (
        terms.scale(left.term, over / left.over),
        terms.scale(right.term, over / right.over),
    );
    match operation {
        Binary::Add => Some(Ratio {
            term: terms.add(one, two),
            over,
        }),
        Binary::Subtract => Some(Ratio {
            term: terms.subtract(one, two),
            over,
        }),
        Binary::Min => Some(Ratio {
            term: terms.min(one, two),
            over,
        }),
        Binary::Max => Some(Ratio {
            term: terms.max(one, two),
            over,
        }),
        Binary::Equal => {
            let formula = terms.equal(one, two);
            truth(terms, formula)
        }
        Binary::NotEqual => {
            let formula = terms.differ(one, two);
            truth(terms, formula)
        }
        Binary::Less => {
            let formula = terms.less(one, two);
            truth(terms, formula)
        }
        Binary::LessOrEqual => {
            let formula = terms.at_most(one, two);
            truth(terms, formula)
        }
        Binary::Greater => {
            let formula = terms.less(two, one);
            truth(terms, formula)
        }
        Binary::GreaterOrEqual => {
            let formula = terms.at_most(two, one);
            truth(terms, formula)
        }
        Binary::And | Binary::Or | Binary::Xor => {
            let each = [one, two].map(|term| {
                let is_zero = terms.is(term, 0);
                terms.not(is_zero)
            });
            let formula = match operation {
                Binary::And => terms.all(&each),
                Binary::Or => terms.any(&each),
                _ => {
                    let other = terms.all(&each);
                    let (one, neither) = (terms.any(&each), terms.not(other));
                    terms.all(&[one, neither])
                }
            };
            truth(terms, formula)
        }
        Binary::FloorDivide if over == 1 => Some(Ratio {
            term: floor_quotient(terms, one, two)?,
            over: 1,
        }),
        Binary::Modulo if over == 1 => {
            let quotient = floor_quotient(terms, one, two)?;
            let whole = terms.multiply(quotient, two);
            Some(Ratio {
                term: terms.subtract(one, whole),
                over: 1,
            })
        }
        Binary::Remainder if over == 1 => {
            let quotient = quotient(terms, one, two)?;
            let whole = terms.multiply(quotient, two);
            Some(Ratio {
                term: terms.subtract(one, whole),
                over: 1,
            })
        }
        Binary::Power if over == 1 => {
            let exponent = terms
                .as_number(two)
                .and_then(|exponent| u32::try_from(exponent).ok())
                .filter(|exponent| *exponent <= 8)?;
            let factors = vec![one; usize::try_from(exponent).ok()?];
            Some(Ratio {
                term: terms.product(&factors),
                over: 1,
            })
        }
        _ => None,
    }
}

fn floor_quotient(terms: &mut Terms, left: Term, right: Term) -> Option<Term> {
    if terms.as_number(right) == Some(0) {
        return None;
    }
    Some(terms.divide(left, right))
}

/// Returns the quotient that cuts off. By 0 there is none.
fn quotient(terms: &mut Terms, left: Term, right: Term) -> Option<Term> {
    let (above, below) = (terms.bounds(left), terms.bounds(right));
    if above.low.is_some_and(|low| low >= 0) && below.low.is_some_and(|low| low >= 1) {
        return Some(terms.divide(left, right));
    }
    let Some(divisor) = terms.as_number(right) else {
        return Some(signed_quotient(terms, left, right));
    };
    if divisor == 0 {
        return None;
    }
    let left = terms.scale(left, divisor.signum());
    let is_negative = terms.at_least(left, 0);
    let down = terms.floor_divide(left, divisor.abs());
    let up = terms.ceil_divide(left, divisor.abs());
    Some(terms.select(is_negative, down, up))
}

/// Returns the quotient that cuts off, of sizes with their signs apart.
fn signed_quotient(terms: &mut Terms, left: Term, right: Term) -> Term {
    let mut whole = [left, right];
    for term in &mut whole {
        let negated = terms.scale(*term, -1);
        *term = terms.max(*term, negated);
    }
    let quotient = terms.divide(whole[0], whole[1]);
    let negated = terms.scale(quotient, -1);
    let signs = [left, right].map(|term| terms.at_least(term, 0));
    let others = signs.map(|sign| terms.not(sign));
    let (both, neither) = (terms.all(&signs), terms.all(&others));
    let is_alike = terms.any(&[both, neither]);
    terms.select(is_alike, quotient, negated)
}

/// Returns a ratio in lowest terms, as far as the coefficients show.
fn reduced(terms: &mut Terms, term: Term, over: Int) -> Ratio {
    let polynomial = terms.polynomial(term).clone();
    let common = polynomial
        .parts
        .iter()
        .fold(over, |divisor, part| gcd(divisor, part.1));
    if common <= 1 {
        return Ratio { term, over };
    }
    Ratio {
        term: terms.floor_divide(term, common),
        over: over / common,
    }
}

/// Returns the elements after a change of type.
pub(super) fn cast(terms: &mut Terms, content: &Content, to: Option<ElementType>) -> Content {
    let Some(to) = to else {
        return Content::Unknown;
    };
    match content {
        Content::Numbers(numbers) => {
            let numbers = numbers.iter().map(|number| {
                if to == ElementType::Bool {
                    let is_zero = terms.is(number.term, 0);
                    let truth = terms.not(is_zero);
                    return Ratio {
                        term: terms.indicator(truth),
                        over: 1,
                    };
                }
                if to.is_integer() && number.over != 1 {
                    // A real number is cut off.
                    let is_positive = terms.at_least(number.term, 0);
                    let (down, up) = (
                        terms.floor_divide(number.term, number.over),
                        terms.ceil_divide(number.term, number.over),
                    );
                    return Ratio {
                        term: terms.select(is_positive, down, up),
                        over: 1,
                    };
                }
                *number
            });
            Content::Numbers(numbers.collect())
        }
        Content::Range(low, high) if to.is_integer() || to.is_float() => {
            Content::Range(*low, *high)
        }
        _ => Content::Unknown,
    }
}
