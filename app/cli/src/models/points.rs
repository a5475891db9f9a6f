//! The points of `--at`: sizes for the inputs of a model.

use lozenge_gradual_solver::{Given, Point};

use crate::report::Problem;

/// Reads a point, such as `x=[1, 3, 40, 64], sr=16000`.
///
/// A name may hold any characters; its value begins behind the last `=` in front of a list or a number.
///
/// # Errors
/// When a part is not a name with a list of sizes or a number, or a name comes twice.
pub fn point(text: &str) -> Result<Point, Problem> {
    let mut point = Point::new();
    for part in parts(text) {
        let part = part.trim();
        let bad = |what: &str| {
            Problem::new(format!(
                "--at: `{part}` {what}: write such as x=[1,3,224,224] for the sizes of an input, or sr=16000 for the value of an integer"
            ))
        };
        let (name, value) = part.rsplit_once('=').ok_or_else(|| bad("has no `=`"))?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() {
            return Err(bad("names no input"));
        }
        let given = match value.strip_prefix('[') {
            Some(rest) => {
                let inside = rest.strip_suffix(']').ok_or_else(|| bad("lacks the `]`"))?;
                let sizes = inside
                    .split(',')
                    .map(str::trim)
                    .filter(|_| !inside.trim().is_empty());
                let sizes: Result<Vec<u64>, _> = sizes.map(str::parse).collect();
                Given::Sizes(sizes.map_err(|_| bad("has a size that is no number"))?)
            }
            None => Given::Number(
                value
                    .parse()
                    .map_err(|_| bad("has a value that is neither a list nor a number"))?,
            ),
        };
        if point.insert(name.to_string(), given).is_some() {
            return Err(bad("gives this input a second time"));
        }
    }
    Ok(point)
}

/// Splits a text at the commas that stand outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_shape_and_a_number_is_a_value() {
        let read = point("x=[1, 3,40 ,64], sr=16000,a.b:0=[] , n=[5]").unwrap();
        let sizes = |sizes: &[u64]| Given::Sizes(sizes.to_vec());
        let expected = [
            ("x", sizes(&[1, 3, 40, 64])),
            ("sr", Given::Number(16000)),
            ("a.b:0", sizes(&[])),
            ("n", sizes(&[5])),
        ];
        assert_eq!(
            read,
            expected
                .map(|(name, given)| (name.to_string(), given))
                .into()
        );
    }

    #[test]
    fn errors_say_what_to_write() {
        for (text, what) in [
            ("", "has no `=`"),
            ("x", "has no `=`"),
            ("=[1]", "names no input"),
            ("x=[1", "lacks the `]`"),
            ("x=[1,,2]", "no number"),
            ("x=[-1]", "no number"),
            ("x=a", "neither a list nor a number"),
            ("x=[1], x=[2]", "a second time"),
        ] {
            let message = point(text).unwrap_err().to_string();
            assert!(
                message.contains(what) && message.contains("sr=16000"),
                "{text}: {message}"
            );
        }
    }
}
