//! Programs of blocks: a statement with windows that read or write, concatenated axes and products of axes, and what is
//! made of its result.

use std::fmt::Write;

use arbitrary::{Result, Unstructured};

use super::programs;
use crate::subjects::statements::written_operation::{self, WrittenOperation};

/// Functions with exact results, and one with an error bound.
const UNARY: [&str; 5] = ["relu", "neg", "square", "abs", "exp"];

/// Draws one operation on data whose shapes are all written: two of three times a block.
///
/// # Errors
/// Never for lack of bytes.
pub fn operation(u: &mut Unstructured<'_>) -> Result<String> {
    match u.ratio(2, 3)? {
        true => blocks(u),
        false => programs::operation(u),
    }
}

/// Draws a statement with windows and concatenated axes, and up to two more lines that read its result or write it once
/// more.
///
/// # Errors
/// Never for lack of bytes.
pub fn blocks(u: &mut Unstructured<'_>) -> Result<String> {
    let statement = written_operation::draw(u)?;
    let mut text = statement.program();
    let result = WrittenOperation::name(0);
    for line in 0..u.int_in_range(0..=2)? {
        let _ = match u.int_in_range(0..=2)? {
            0 => writeln!(text, "{result} =+ {result} *. {result}"),
            1 => writeln!(text, "let y{line} = {result} - 0.5 *. {result}"),
            _ => writeln!(text, "let y{line} = {}({result})", u.choose(&UNARY)?),
        };
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the features for which kernels are made: each is drawn often enough, on both sides of `=>`.
    #[test]
    fn many_programs_have_windows_and_parts() {
        let mut seen = [0; 4];
        for index in 0..300 {
            let bytes = lozenge_testkit::generate::bytes(5, index, 256);
            let text = operation(&mut Unstructured::new(&bytes))
                .unwrap()
                .to_string();
            let specs = text.split('"').skip(1).step_by(2);
            let sides: Vec<(&str, &str)> = specs.filter_map(|spec| spec.split_once("=>")).collect();
            for (operands, result) in sides {
                let of = [
                    (operands, " + "),
                    (result, " + "),
                    (operands, "^"),
                    (result, "^"),
                ];
                for (seen, (side, sign)) in seen.iter_mut().zip(of) {
                    *seen += usize::from(side.contains(sign));
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen >= 15), "{seen:?}");
    }
}
