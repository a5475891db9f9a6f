//! The notation of operations with closed shapes:
//!
//! ```text
//! let i'1 = 3                                  # the value of a label
//! let <r'1> ~ [2, 4]                           # the value of a row variable
//! slot 0: batch [], input [], output [3]       # the shape of the tensor in a slot
//! slot 0 output ~ [i'1]                        # a requirement on rows of slots
//! i'1 = j'1                                    # a requirement on labels and row variables
//! i'1 at 2                                     # the position of a label; `@step` stands for one that is supplied from outside
//! changed                                      # one of the shapes does not follow from the values
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Kind, Requirement, Shape, Side, TensorId};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{Constraint, DimVar, Row, RowTerm, Var};

use super::closed_operation::ClosedOperation;
use crate::subject::notation::lines;

/// The line that stands for a shape that does not follow from the values.
const CHANGED: &str = "changed";

impl fmt::Display for ClosedOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, value) in &self.labels {
            writeln!(f, "let {label} = {value}")?;
        }
        for (var, value) in &self.variables {
            writeln!(f, "let {var} ~ {value}")?;
        }
        for (slot, shape) in self.shapes.iter().enumerate() {
            let [batch, input, output] = shape.rows();
            writeln!(
                f,
                "slot {slot}: batch {batch}, input {input}, output {output}"
            )?;
        }
        for requirement in self.operation.requirements.iter() {
            match requirement {
                Requirement::Equal(a, b) => writeln!(f, "{} ~ {}", side(a), side(b))?,
                Requirement::Below(a, b) => writeln!(f, "{} <= {}", side(a), side(b))?,
                Requirement::Template(constraint) => writeln!(f, "{constraint}")?,
            }
        }
        for (label, index) in &self.operation.pins {
            match index {
                Index::Symbol(name) => writeln!(f, "{label} at @{name}")?,
                index => writeln!(f, "{label} at {index}")?,
            }
        }
        match self.fits {
            true => Ok(()),
            false => writeln!(f, "{CHANGED}"),
        }
    }
}

fn side(side: &Side) -> String {
    match side {
        Side::Slot(slot, kind) => format!("slot {slot} {}", kind.word()),
        Side::Template(row) => row.to_string(),
    }
}

impl FromStr for ClosedOperation {
    type Err = String;

    fn from_str(text: &str) -> Result<ClosedOperation, String> {
        let mut operation = ClosedOperation::without_slots(Vec::new(), Vec::new());
        for (number, line) in lines(text) {
            operation
                .read_line(line)
                .map_err(|what| format!("line {number}: {what}"))?;
        }
        operation.check()?;
        Ok(operation)
    }
}

/// Returns the value in a text, or the message of its reader.
fn read<T: FromStr<Err: fmt::Display>>(text: &str) -> Result<T, String> {
    text.trim()
        .parse()
        .map_err(|error: T::Err| format!("`{}`: {error}", text.trim()))
}

impl ClosedOperation {
    fn read_line(&mut self, line: &str) -> Result<(), String> {
        if line == CHANGED {
            self.fits = false;
        } else if let Some(value) = line.strip_prefix("let ") {
            self.read_value(value)?;
        } else if let Some((label, index)) = line.split_once(" at ") {
            let label = read_label(label)?;
            let index = match index.trim().strip_prefix('@') {
                Some(name) => Index::Symbol(name.into()),
                None => Index::Fix(read(index)?),
            };
            self.operation.pins.insert(label, index);
        } else if line.starts_with("slot ") && line.contains(": ") {
            self.read_slot(line)?;
        } else {
            let requirement = read_requirement(line)?;
            Arc::make_mut(&mut self.operation.requirements).push(requirement);
        }
        Ok(())
    }

    fn read_value(&mut self, text: &str) -> Result<(), String> {
        if let Some((var, value)) = text.split_once(" ~ ") {
            match read(var)? {
                Var::Row(var) => self.variables.push((var, read(value)?)),
                Var::Dim(_) => return Err(format!("expected a row variable, found `{var}`")),
            }
            return Ok(());
        }
        let Some((var, value)) = text.split_once(" = ") else {
            return Err("expected `let NAME = SIZE` or `let <NAME> ~ ROW`".into());
        };
        self.labels.push((read_label(var)?, read(value)?));
        Ok(())
    }

    fn read_slot(&mut self, line: &str) -> Result<(), String> {
        let slot = self.shapes.len();
        let expected =
            || format!("expected `slot {slot}: batch ROW, input ROW, output ROW`, found `{line}`");
        let rows = line.strip_prefix(&format!("slot {slot}: batch "));
        let rows = rows.and_then(|rows| {
            let (batch, rows) = rows.split_once(", input ")?;
            let (input, output) = rows.split_once(", output ")?;
            Some([batch, input, output])
        });
        let [batch, input, output] = rows.ok_or_else(expected)?;
        self.operation.slots.push(TensorId(slot));
        self.shapes.push(Shape {
            batch: read::<Row>(batch)?,
            input: read(input)?,
            output: read(output)?,
        });
        Ok(())
    }

    /// Checks that each slot and each label that a requirement mentions is there.
    fn check(&self) -> Result<(), String> {
        if self.shapes.is_empty() {
            return Err("expected at least one slot".into());
        }
        let labels = self.labels.iter().map(|(label, _)| Var::Dim(label.clone()));
        let variables = self.variables.iter().map(|(var, _)| Var::Row(var.clone()));
        let known: BTreeSet<Var> = labels.chain(variables).collect();
        let side = |side: &Side| match side {
            Side::Slot(slot, _) if *slot >= self.shapes.len() => Err(format!("no slot {slot}")),
            Side::Slot(..) => Ok(Vec::new()),
            Side::Template(row) => {
                Ok(Constraint::RowEq(row.clone(), RowTerm::default()).occurrences())
            }
        };
        let mut mentioned: Vec<Var> = Vec::new();
        for requirement in self.operation.requirements.iter() {
            match requirement {
                Requirement::Equal(a, b) | Requirement::Below(a, b) => {
                    mentioned.extend(side(a)?);
                    mentioned.extend(side(b)?);
                }
                Requirement::Template(constraint) => mentioned.extend(constraint.vars()),
            }
        }
        mentioned.extend(self.operation.pins.keys().cloned().map(Var::Dim));
        match mentioned.iter().find(|var| !known.contains(var)) {
            Some(var) => Err(format!("{var} has no value: add a line `let {var} …`")),
            None => Ok(()),
        }
    }

    /// Returns every operation that is one step smaller: without a requirement, a position, or the last slot.
    #[must_use]
    pub fn smaller(&self) -> Vec<ClosedOperation> {
        let mut all = Vec::new();
        for at in 0..self.operation.requirements.len() {
            let mut other = self.clone();
            Arc::make_mut(&mut other.operation.requirements).remove(at);
            all.push(other);
        }
        for label in self.operation.pins.keys() {
            let mut other = self.clone();
            other.operation.pins.remove(label);
            all.push(other);
        }
        let mut other = self.clone();
        other.shapes.pop();
        other.operation.slots.pop();
        if other.check().is_ok() {
            all.push(other);
        }
        all.extend(self.without_values());
        all
    }

    /// Returns the operation without the values that no requirement mentions, if there are any.
    fn without_values(&self) -> Option<ClosedOperation> {
        let mut other = self.clone();
        for at in (0..self.labels.len()).rev() {
            let mut without = other.clone();
            without.labels.remove(at);
            if without.check().is_ok() {
                other = without;
            }
        }
        for at in (0..self.variables.len()).rev() {
            let mut without = other.clone();
            without.variables.remove(at);
            if without.check().is_ok() {
                other = without;
            }
        }
        (other != *self).then_some(other)
    }
}

fn read_label(text: &str) -> Result<DimVar, String> {
    match read(text)? {
        Var::Dim(label) => Ok(label),
        Var::Row(_) => Err(format!("expected a label, found `{text}`")),
    }
}

fn read_requirement(line: &str) -> Result<Requirement, String> {
    type Make = fn(Side, Side) -> Requirement;
    let signs: [(&str, Make); 2] = [(" ~ ", Requirement::Equal), (" <= ", Requirement::Below)];
    for (sign, make) in signs {
        let Some((left, right)) = line.split_once(sign) else {
            continue;
        };
        if left.starts_with("slot ") || right.trim_start().starts_with("slot ") {
            return Ok(make(read_side(left)?, read_side(right)?));
        }
    }
    let constraint: Constraint = read(line)?;
    Ok(Requirement::Template(constraint))
}

fn read_side(text: &str) -> Result<Side, String> {
    let Some(slot) = text.trim().strip_prefix("slot ") else {
        return Ok(Side::Template(read::<RowTerm>(text)?));
    };
    let (slot, word) = slot.split_once(' ').unwrap_or((slot, ""));
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word);
    match (slot.parse(), kind) {
        (Ok(slot), Some(kind)) => Ok(Side::Slot(slot, kind)),
        _ => Err(format!(
            "expected a row of a slot, such as `slot 0 output`, found `{}`",
            text.trim()
        )),
    }
}
