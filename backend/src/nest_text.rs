//! A loop nest as text, with the reasons for its decisions.

use std::fmt::{self, Write as _};

use lozenge_vocabulary::operation::{Combine, Function};
use lozenge_vocabulary::projections::Index;

use crate::loop_nest::{LoopNest, Slot, Write};

impl fmt::Display for LoopNest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f, None)
    }
}

/// A loop nest as text, with words for the value that it writes.
struct WithValue<'a> {
    nest: &'a LoopNest,
    value: &'a str,
}

impl fmt::Display for WithValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nest.write_text(f, Some(self.value))
    }
}

impl LoopNest {
    /// Writes the text of a loop nest that writes one value into each cell, with these words for the value: `normal()`
    /// where each run draws it.
    pub fn text_with_value(&self, value: &str) -> String {
        WithValue { nest: self, value }.to_string()
    }

    fn write_text(&self, f: &mut fmt::Formatter<'_>, value: Option<&str>) -> fmt::Result {
        let written = &self.slots()[0].tensor;
        for factor in self.factors().iter().filter(|factor| factor.reduced) {
            let name = &factor.name;
            writeln!(
                f,
                "# {name} is reduced: it does not occur in the index map of {written}"
            )?;
        }
        let long_sum = match self.is_compensated() {
            true => "; the sum is compensated",
            false => "",
        };
        if let Some(initial) = self.initial() {
            let stars = vec!["*"; self.slots()[0].sizes.len()].join(", ");
            let why = self.why_initialised(initial);
            writeln!(f, "{written}[{stars}] = {initial}  # {why}{long_sum}")?;
        }
        for (depth, factor) in self.factors().iter().enumerate() {
            let (indent, name, size) = (2 * depth, &factor.name, factor.size);
            writeln!(f, "{:indent$}for {name} in 0..{size}:", "")?;
        }
        let mut indent = 2 * self.factors().len();
        if let Some(guard) = self.guard() {
            writeln!(f, "{:indent$}if {guard}:", "")?;
            indent += 2;
        }
        let statement = match value {
            Some(value) => format!("{} = {value}", self.access(&self.slots()[0])),
            None => self.statement(),
        };
        writeln!(f, "{:indent$}{statement}", "")
    }
}

impl LoopNest {
    /// Returns the names of the reduced factors, outermost first.
    pub fn reduced(&self) -> Vec<&str> {
        self.factors()
            .iter()
            .filter(|factor| factor.reduced)
            .map(|factor| factor.name.as_str())
            .collect()
    }

    /// Writes the conditions under which a point is not skipped: those on the guarded axes, each once.
    fn guard(&self) -> Option<String> {
        let mut conditions: Vec<String> = Vec::new();
        for slot in self.slots() {
            for axis in &*slot.guarded {
                let (index, size) = (self.index(&slot.map.0[*axis]), slot.sizes[*axis]);
                let condition = format!("0 <= {index} < {size}");
                if !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
        }
        (!conditions.is_empty()).then(|| conditions.join(" and "))
    }

    fn why_initialised(&self, initial: f32) -> String {
        let erases = self.accumulator();
        let unwritten = format!("cells that no point writes hold {initial}");
        let missed = self.slots()[1..]
            .iter()
            .any(|slot| !slot.guarded.is_empty());
        match (self.is_injective(), self.is_surjective() && !missed) {
            (false, false) => {
                format!("{erases} erases; a cell is written more than once; {unwritten}")
            }
            (false, true) => format!("{erases} erases; a cell is written more than once"),
            (true, _) => format!("{erases} erases; {unwritten}"),
        }
    }

    /// Writes the statement that is executed at a point.
    fn statement(&self) -> String {
        let cell = self.access(&self.slots()[0]);
        let operands: Vec<String> = self.slots()[1..]
            .iter()
            .map(|slot| self.access(slot))
            .collect();
        let value = expression(self.function(), &operands);
        match (self.write(), self.accumulator().combine) {
            (Write::Plain, Combine::Subtract) => format!("{cell} = -({value})"),
            (Write::Plain, _) => format!("{cell} = {value}"),
            (Write::ReadModifyWrite, Combine::Replace) if self.is_injective() => {
                format!("{cell} = {value}")
            }
            (Write::ReadModifyWrite, Combine::Replace) => {
                format!("{cell} = {value}  # the last one stays")
            }
            (Write::ReadModifyWrite, Combine::Add) => format!("{cell} += {value}"),
            (Write::ReadModifyWrite, Combine::Subtract) => format!("{cell} -= {value}"),
            (Write::ReadModifyWrite, Combine::Multiply) => format!("{cell} *= {value}"),
            (Write::ReadModifyWrite, Combine::Max) => format!("{cell} = max({cell}, {value})"),
            (Write::ReadModifyWrite, Combine::Min) => format!("{cell} = min({cell}, {value})"),
        }
    }

    /// Writes an index with the names of the loops.
    fn index(&self, index: &Index) -> String {
        let name = |factor: usize| &self.factors()[factor].name;
        match index {
            Index::Iter(factor) => name(*factor).clone(),
            Index::Fix(position) => position.to_string(),
            Index::Symbol(symbol) => format!("@{symbol}"),
            Index::Affine(affine) => {
                let mut text = String::new();
                // Writing to a string does not fail.
                let _ = affine.write(&mut text, |text, factor| text.write_str(name(factor)));
                text
            }
        }
    }

    fn access(&self, slot: &Slot) -> String {
        let indices = slot.map.0.iter().map(|index| self.index(index));
        let indices: Vec<String> = indices.collect();
        format!("{}[{}]", slot.tensor, indices.join(", "))
    }
}

/// Writes the expression of a function, for people. Operands are names or expressions in brackets.
pub(crate) fn expression(function: &Function, operands: &[String]) -> String {
    let x = operands.first().map_or("", String::as_str);
    let y = operands.get(1).map_or("", String::as_str);
    match function {
        Function::Constant(value) => value.to_string(),
        Function::Identity => x.to_string(),
        Function::Negate => format!("-{x}"),
        Function::Relu => format!("max({x}, 0)"),
        Function::Exp => format!("exp({x})"),
        Function::Log => format!("log({x})"),
        Function::Sqrt => format!("sqrt({x})"),
        Function::Square => format!("{x} * {x}"),
        Function::Reciprocal => format!("1 / {x}"),
        Function::Abs => format!("abs({x})"),
        Function::Floor => format!("floor({x})"),
        Function::Sin => format!("sin({x})"),
        Function::Cos => format!("cos({x})"),
        Function::Tanh => format!("tanh({x})"),
        Function::Sigmoid => format!("sigmoid({x})"),
        Function::Add => format!("{x} + {y}"),
        Function::Subtract => format!("{x} - {y}"),
        Function::Multiply => format!("{x} * {y}"),
        Function::Divide => format!("{x} / {y}"),
        Function::Max => format!("max({x}, {y})"),
        Function::Min => format!("min({x}, {y})"),
        Function::Equal => format!("{x} == {y}"),
        Function::NotEqual => format!("{x} != {y}"),
        Function::Less => format!("{x} < {y}"),
        Function::LessEqual => format!("{x} <= {y}"),
        Function::Greater => format!("{x} > {y}"),
        Function::GreaterEqual => format!("{x} >= {y}"),
        Function::Power => format!("{x} ** {y}"),
        Function::Erf => format!("erf({x})"),
        Function::Log1p => format!("log1p({x})"),
        Function::Expm1 => format!("expm1({x})"),
        Function::Round => format!("round({x})"),
        Function::Fmod => format!("fmod({x}, {y})"),
        Function::Where => format!("where({})", operands.join(", ")),
        Function::Formula(formula) => {
            let text = formula.fold(operands, |function, values| {
                // A comma ends what stands in a call, as parentheses do.
                let text = match is_call(&expression(function, &["x", "y", "z"].map(String::from)))
                {
                    true => expression(
                        function,
                        &values.iter().map(|one| bare(one)).collect::<Vec<_>>(),
                    ),
                    false => expression(function, values),
                };
                match function {
                    Function::Constant(_) | Function::Identity => text,
                    _ if is_call(&text) => text,
                    _ => format!("({text})"),
                }
            });
            bare(&text.unwrap_or_default())
        }
    }
}

/// Tells whether an expression is the call of a function, which needs no further parentheses.
fn is_call(text: &str) -> bool {
    let name = text.find(|c: char| !c.is_alphanumeric());
    name.is_some_and(|end| end > 0 && inside(&text[end..]).is_some())
}

/// Removes the parentheses that enclose all of an expression.
fn bare(text: &str) -> String {
    inside(text).unwrap_or(text).to_string()
}

/// Returns the text within parentheses that enclose all of a text.
fn inside(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('(')?;
    let mut open = 1;
    let end = rest.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    })?;
    (end + 1 == rest.len()).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::is_call;

    #[test]
    fn only_what_one_name_encloses_is_a_call() {
        for call in ["exp(x)", "max(a + b, 0)", "where(x, (y), z)"] {
            assert!(is_call(call), "{call}");
        }
        for other in ["x", "exp(x) * exp(y)", "(x)", "-exp(x)", "", "f(x"] {
            assert!(!is_call(other), "{other}");
        }
    }
}
