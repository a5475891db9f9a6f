//! Axon programs from bytes: one function of a few parameters, some with written types, whose body is a few operators.

use std::fmt::Write;

use arbitrary::{Result, Unstructured};

use super::Text;

/// The names of parameters.
const PARAMETERS: [&str; 3] = ["x", "y", "z"];

/// Draws a program.
///
/// # Errors
/// Never for lack of bytes.
pub(super) fn drawn(u: &mut Unstructured<'_>) -> Result<Text> {
    let count = match u.int_in_range(0..=9)? {
        0..=3 => 1,
        4..=8 => 2,
        _ => 3,
    };
    let mut writer = Writer::default();
    let mut parameters = Vec::new();
    for name in &PARAMETERS[..count] {
        let annotation = match u.ratio(1, 2)? {
            true => format!(" : f32{}", writer.shape(u)?),
            false => String::new(),
        };
        parameters.push(format!("{name}{annotation}"));
        writer.values.push((*name).to_string());
    }
    let result = match u.ratio(1, 10)? {
        true => format!(" : f32{}", writer.shape(u)?),
        false => String::new(),
    };
    let mut body = String::new();
    for _ in 0..u.int_in_range(0..=4)? {
        writer.statement(u, &mut body)?;
    }
    // The result that is computed last is shown, and with it everything that its type depends on.
    let last = writer.values.last().cloned().unwrap_or_default();
    let shown = match result.is_empty() && u.ratio(1, 5)? {
        true => format!("{last}, {}", writer.value(u)?),
        false => last,
    };
    let parameters = parameters.join(", ");
    let text = format!("f = fn({parameters}){result} {{\n{body}  {shown}\n}}\n");
    Ok(Text(text))
}

#[derive(Default)]
struct Writer {
    /// The values that may be used, in the order in which they were bound.
    values: Vec<String>,
    /// The names of dimensions that stand alone at an axis: most terms are of them.
    plain: Vec<&'static str>,
    bound: usize,
}

impl Writer {
    fn value(&self, u: &mut Unstructured<'_>) -> Result<String> {
        // Later ones more often.
        let count = self.values.len();
        let place = match u.ratio(1, 2)? {
            true => count - 1,
            false => u.int_in_range(0..=count - 1)?,
        };
        Ok(self.values[place].clone())
    }

    fn fresh(&mut self) -> String {
        self.bound += 1;
        format!("v{}", self.bound)
    }

    /// Writes a shape behind an element type.
    fn shape(&mut self, u: &mut Unstructured<'_>) -> Result<String> {
        let axes = u.int_in_range(0..=3)?;
        let mut written = Vec::new();
        for _ in 0..axes {
            written.push(self.axis(u)?);
        }
        let list = match written.is_empty() {
            true => String::new(),
            false => format!("[{}]", written.join(",")),
        };
        let name = *u.choose(&["s", "r"])?;
        Ok(match u.int_in_range(0..=3)? {
            0 if list.is_empty() => format!(" {name}"),
            0 => format!(" {list}@{name}"),
            1 if !list.is_empty() => format!(" {name}@{list}"),
            _ if list.is_empty() => String::new(),
            _ => format!(" {list}"),
        })
    }

    fn axis(&mut self, u: &mut Unstructured<'_>) -> Result<String> {
        let choice = u.int_in_range(0..=9)?;
        Ok(match (choice, self.plain.is_empty()) {
            (0..=2, _) => u.int_in_range(1..=3)?.to_string(),
            (3, _) => "_".to_string(),
            (4 | 5, is_first) => {
                let name = match is_first || u.ratio(1, 4)? {
                    true => *u.choose(&["n", "m"])?,
                    false => *u.choose(&self.plain)?,
                };
                let sign = *u.choose(&["+", "-", "*", "/"])?;
                match u.ratio(1, 5)? {
                    true => format!("({sign} {name} {})", u.choose(&["n", "m"])?),
                    false => format!("({sign} {name} {})", u.int_in_range(1..=3)?),
                }
            }
            _ => {
                let name = *u.choose(&["n", "m"])?;
                self.plain.push(name);
                name.to_string()
            }
        })
    }

    fn statement(&mut self, u: &mut Unstructured<'_>, body: &mut String) -> Result<()> {
        let name = self.fresh();
        match u.int_in_range(0..=11)? {
            0 => {
                // A function that is bound is used at two types.
                let function = self.fresh();
                let inside = self.expression(u, "a")?;
                let (one, other) = (self.value(u)?, self.value(u)?);
                let second = self.fresh();
                let _ = writeln!(body, "  {function} = fn(a) {{ {inside} }};");
                let _ = writeln!(body, "  {second} = {function}({one});");
                let _ = writeln!(body, "  {name} = {function}({other});");
                self.values.push(second);
            }
            1 => {
                let (state, over) = (self.value(u)?, self.value(u)?);
                let operator = *u.choose(&["state + e", "state - e", "e * state", "exp(state)"])?;
                let last = self.fresh();
                let _ = writeln!(
                    body,
                    "  {last}, {name} = loop({state}, fn(state, e) {{ n = {operator}; n, n }}, {over});"
                );
                self.values.push(last);
            }
            _ => {
                let value = self.value(u)?;
                let expression = self.expression(u, &value)?;
                let _ = writeln!(body, "  {name} = {expression};");
            }
        }
        self.values.push(name);
        Ok(())
    }

    /// Writes an expression in which a value occurs.
    fn expression(&mut self, u: &mut Unstructured<'_>, value: &str) -> Result<String> {
        let other = match u.ratio(1, 4)? {
            true => value.to_string(),
            false => self.value(u)?,
        };
        Ok(match u.int_in_range(0..=15)? {
            0 | 1 => format!("{value} + {other}"),
            2 => format!("{value} - {other}"),
            3 => format!("max({other}, {value})"),
            4 => format!("exp({value})"),
            5 | 6 => format!("matmul({value}, {other})"),
            7 => format!("transpose({value})"),
            8 => format!("reverse({value})"),
            9 => format!("concat({value}, {other})"),
            10 | 11 => {
                let operator = *u.choose(&["+", "max", "fn(a, b) { a * b + a }"])?;
                format!("reduce({operator}, 0f, {value})")
            }
            12 | 13 => {
                let operator = *u.choose(&[
                    "exp",
                    "transpose",
                    "fn(e) { reduce(+, 0f, e) }",
                    "fn(e) { concat(e, e) }",
                ])?;
                format!("map({operator}, {value})")
            }
            14 => format!("map(fn(e) {{ e - {other} }}, {value})"),
            _ => format!("{value} / 2f"),
        })
    }
}
