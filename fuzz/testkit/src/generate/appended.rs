//! Sets of equations of appended shapes and computed dimensions, from bytes.
//!
//! Names and sizes are few, so that equations interact, and a set has a solution of small ranks and sizes about as
//! often as not.

use arbitrary::{Result, Unstructured};
use lozenge_axon_vocabulary::Set;

/// The names of shapes.
const SHAPES: [&str; 4] = ["r", "s", "t", "u"];

/// The names of dimensions.
const DIMS: [&str; 4] = ["a", "b", "c", "d"];

/// Draws a small set: any words, words that are spelled from one list of sizes, the constraints of operators, or
/// arithmetic.
///
/// # Errors
/// Never for lack of bytes.
pub fn appended(u: &mut Unstructured<'_>) -> Result<Set> {
    let lines = match u.int_in_range(0..=9)? {
        0..=2 => many(u, 3, any)?,
        3..=5 => spelled(u)?,
        6 | 7 => operators(u)?,
        8 => many(u, 4, arithmetic)?,
        _ => quadratic(u)?,
    };
    Ok(read(&lines))
}

/// Reads lines. Names of one letter have one sort each, so every text can be read.
fn read(lines: &[String]) -> Set {
    let declared = format!("dim {}\n{}", DIMS.join(", "), lines.join("\n"));
    declared.parse().unwrap_or_default()
}

fn many(
    u: &mut Unstructured<'_>,
    most: usize,
    line: fn(&mut Unstructured<'_>) -> Result<String>,
) -> Result<Vec<String>> {
    let count = u.int_in_range(1..=most)?;
    (0..count).map(|_| line(u)).collect()
}

fn any(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 8)? {
        return arithmetic(u);
    }
    let names = u.int_in_range(1..=3)?;
    Ok(format!("{} = {}", word(u, names)?, word(u, names)?))
}

/// Draws up to four names and axes.
fn word(u: &mut Unstructured<'_>, names: usize) -> Result<String> {
    let mut pieces = Vec::new();
    for _ in 0..u.int_in_range(0..=4)? {
        pieces.push(if u.ratio(2, 5)? {
            SHAPES[u.int_in_range(0..=names - 1)?].to_string()
        } else {
            format!("[{}]", axis(u)?)
        });
    }
    Ok(joined(&pieces))
}

fn joined(pieces: &[String]) -> String {
    match pieces {
        [] => "[]".to_string(),
        _ => pieces.join("@"),
    }
}

fn axis(u: &mut Unstructured<'_>) -> Result<String> {
    Ok(match u.int_in_range(0..=6)? {
        0..=2 => u.int_in_range(1..=3)?.to_string(),
        3..=5 => u.choose(&DIMS[..3])?.to_string(),
        _ => term(u, 1)?,
    })
}

/// Draws an operator, mostly of a term and a number.
fn term(u: &mut Unstructured<'_>, depth: usize) -> Result<String> {
    let operand = |u: &mut Unstructured<'_>| -> Result<String> {
        if depth > 1 && u.ratio(1, 3)? {
            return term(u, depth - 1);
        }
        Ok(u.choose(&DIMS[..3])?.to_string())
    };
    let left = operand(u)?;
    let right = match u.int_in_range(0..=6)? {
        0 => operand(u)?,
        _ => u.int_in_range(0..=4)?.to_string(),
    };
    let op = *u.choose(&['+', '+', '-', '-', '*', '/'])?;
    Ok(match u.ratio(1, 4)? {
        true => format!("({op} {right} {left})"),
        false => format!("({op} {left} {right})"),
    })
}

fn arithmetic(u: &mut Unstructured<'_>) -> Result<String> {
    let left = term(u, 2)?;
    let right = match u.int_in_range(0..=3)? {
        0 => term(u, 2)?,
        1 => u.choose(&DIMS[..3])?.to_string(),
        _ => u.int_in_range(0..=9)?.to_string(),
    };
    Ok(format!("{left} = {right}"))
}

/// Values of all names, and equations whose sides spell one list by them. Of one set in four a number is changed.
fn spelled(u: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let mut shapes: Vec<Vec<i64>> = Vec::new();
    for _ in SHAPES {
        let rank = *u.choose(&[0, 1, 1, 2, 2, 3])?;
        let sizes = (0..rank).map(|_| u.int_in_range(1..=3));
        shapes.push(sizes.collect::<Result<_>>()?);
    }
    let dims: Vec<i64> = (0..DIMS.len())
        .map(|_| u.int_in_range(1..=4))
        .collect::<Result<_>>()?;
    let mut lines = Vec::new();
    for _ in 0..u.int_in_range(1..=4)? {
        let mut list: Vec<i64> = Vec::new();
        for _ in 0..u.int_in_range(1..=2)? {
            list.extend(u.choose(&shapes)?);
        }
        list.truncate(5);
        let left = spelling(u, &list, &shapes, &dims)?;
        if u.ratio(1, 16)? && !list.is_empty() {
            let place = u.int_in_range(0..=list.len() - 1)?;
            list[place] = list[place] % 3 + 1;
        }
        lines.push(format!("{left} = {}", spelling(u, &list, &shapes, &dims)?));
    }
    Ok(lines)
}

fn spelling(
    u: &mut Unstructured<'_>,
    list: &[i64],
    shapes: &[Vec<i64>],
    dims: &[i64],
) -> Result<String> {
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        let fitting: Vec<usize> = (0..shapes.len())
            .filter(|name| list[at..].starts_with(&shapes[*name]))
            .collect();
        if !fitting.is_empty() && pieces.len() < 6 && u.ratio(2, 5)? {
            let name = *u.choose(&fitting)?;
            pieces.push(SHAPES[name].to_string());
            at += shapes[name].len();
        } else if at < list.len() {
            pieces.push(format!("[{}]", spelled_axis(u, list[at], dims)?));
            at += 1;
        } else {
            return Ok(joined(&pieces));
        }
    }
}

fn spelled_axis(u: &mut Unstructured<'_>, size: i64, dims: &[i64]) -> Result<String> {
    let name = u.int_in_range(0..=dims.len() - 1)?;
    let (written, value) = (DIMS[name], dims[name]);
    Ok(match u.int_in_range(0..=4)? {
        0 | 1 if value == size => written.to_string(),
        2 if value < size => format!("(+ {written} {})", size - value),
        2 if value > size => format!("(- {written} {})", value - size),
        3 if size % value == 0 => format!("(* {written} {})", size / value),
        3 if value / 2 == size => format!("(/ {written} 2)"),
        _ => size.to_string(),
    })
}

/// Draws the demands of operators on their arguments, some of which have known shapes.
fn operators(u: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        let (left, right, result) = (argument(u)?, argument(u)?, argument(u)?);
        let demands: &[[&str; 2]] = u.choose(&[
            &[["s@[a,b]", "L"], ["s@[b,c]", "R"], ["s@[a,c]", "Z"]][..],
            &[["[a]@s", "L"], ["[b]@s", "R"], ["[(+ a b)]@s", "Z"]],
            &[["t@[a]", "L"], ["t", "R"], ["[b]@t", "Z"]],
            &[["t@s", "L"], ["s", "R"], ["t@s", "Z"]],
            &[["t@[a,b]", "L"], ["t@[b,a]", "R"], ["r@t", "Z"]],
            &[
                ["[a,b]", "L"],
                ["[c,2]", "R"],
                ["[(+ (- a c) 1),(/ b 2)]", "Z"],
            ],
        ])?;
        for [demanded, given] in demands {
            let given = match *given {
                "L" => &left,
                "R" => &right,
                _ => &result,
            };
            lines.push(format!("{demanded} = {given}"));
        }
    }
    Ok(lines)
}

fn argument(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 4)? {
        return Ok(u.choose(&["u", "r", "u@[d]"])?.to_string());
    }
    let sizes: Vec<String> = (0..*u.choose(&[1, 2, 2, 3])?)
        .map(|_| Ok(u.int_in_range(1..=4)?.to_string()))
        .collect::<Result<_>>()?;
    Ok(format!("[{}]", sizes.join(",")))
}

/// Draws one or two equations in which no name stands more than twice.
fn quadratic(u: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let mut left: Vec<&str> = SHAPES[..3].iter().flat_map(|name| [*name; 2]).collect();
    let mut lines = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        let mut sides = Vec::new();
        for _ in 0..2 {
            let mut pieces = Vec::new();
            for _ in 0..u.int_in_range(1..=4)? {
                if !left.is_empty() && u.ratio(1, 2)? {
                    let name = u.int_in_range(0..=left.len() - 1)?;
                    pieces.push(left.remove(name).to_string());
                } else {
                    pieces.push(format!("[{}]", axis(u)?));
                }
            }
            sides.push(joined(&pieces));
        }
        lines.push(sides.join(" = "));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::bytes;

    #[test]
    fn every_text_can_be_read_and_most_sets_have_names_of_both_sorts() {
        let (mut empty, mut both) = (0, 0);
        for index in 0..400 {
            let data = bytes(1, index, 128);
            let set = appended(&mut Unstructured::new(&data)).unwrap();
            empty += usize::from(set.equations.is_empty());
            both += usize::from(set.pool.shape_count() > 0 && set.pool.dim_count() > 0);
        }
        assert_eq!(empty, 0);
        assert!(both > 250, "{both}");
    }
}
