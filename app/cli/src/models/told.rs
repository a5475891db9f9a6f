//! Text about a point: whether it is admitted, why not, and which admitted sizes are near.

use std::fmt::{self, Write};

use lozenge_gradual_solver as gradual;
use lozenge_gradual_solver::{Change, Nearest, Origin, Point, PointAnswer, Refusal, written};
use lozenge_vocabulary::Verdict;

use super::answer::{Held, PointBody};
use crate::report::Status;

/// An answer about a point.
pub struct Told<'p> {
    pub point: &'p Point,
    pub found: PointAnswer,
    changes: Vec<Change>,
    nearest: Vec<Nearest>,
}

impl<'p> Told<'p> {
    /// Asks about a point.
    pub fn about(answer: &mut gradual::Answer, point: &'p Point) -> Told<'p> {
        let found = answer.at(point);
        let (changes, nearest) = match found.admitted {
            Some(true) => (Vec::new(), Vec::new()),
            _ => (answer.changes(point), answer.nearest(point)),
        };
        Told {
            point,
            found,
            changes,
            nearest,
        }
    }

    /// Gives the answer as data.
    pub fn body(&self) -> PointBody {
        let is_admitted = self.found.admitted == Some(true);
        let core = Refusal::nodes(&self.found.refusals);
        let near = self.nearest.iter();
        PointBody {
            at: self.point.clone(),
            held: Held {
                admitted: self.found.admitted,
                outputs: is_admitted.then(|| self.found.outputs.iter().cloned().collect()),
                core: (!is_admitted).then_some(core),
            },
            why: self.found.refusals.clone(),
            also: self.found.also.clone(),
            unless: self.found.unless.clone(),
            nearest: near
                .map(|near| (near.axis.clone(), [near.below, near.above]))
                .collect(),
        }
    }

    /// Writes the answer. Behind each reason stands what `more` writes of it.
    pub fn text(&self, more: impl Fn(&mut String, &Refusal) -> fmt::Result) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = self.write(&mut text, more);
        text
    }

    fn write(
        &self,
        text: &mut String,
        more: impl Fn(&mut String, &Refusal) -> fmt::Result,
    ) -> fmt::Result {
        let word = match self.found.admitted {
            Some(true) => "admitted",
            Some(false) => "refused",
            None if self.found.limits.is_empty() && self.found.unknown.is_empty() => {
                "not specified"
            }
            None => "unknown",
        };
        write!(text, "{} : {word}", written(self.point))?;
        let outputs = self.found.outputs.iter().filter_map(|(name, sizes)| {
            let sizes: Vec<String> = sizes.as_ref()?.iter().map(ToString::to_string).collect();
            Some(format!("{name} [{}]", sizes.join(", ")))
        });
        let outputs: Vec<String> = outputs.collect();
        match self.found.admitted == Some(true) && !outputs.is_empty() {
            true => writeln!(text, ", {}", outputs.join(", "))?,
            false => writeln!(text)?,
        }
        for refusal in &self.found.refusals {
            writeln!(text, "  {}", refusal)?;
            if !refusal.from.is_empty() {
                writeln!(text, "    from {}", origins(&refusal.from))?;
            }
            more(text, refusal)?;
        }
        for refusal in &self.found.also {
            writeln!(text, "  also {refusal}")?;
        }
        for refusal in &self.found.unless {
            writeln!(text, "  refused where data decide otherwise: {refusal}")?;
        }
        for (operator, node) in &self.found.unknown {
            writeln!(text, "  not followed: {operator} (`{node}`)")?;
        }
        for limit in &self.found.limits {
            writeln!(text, "  {limit}")?;
        }
        for change in &self.changes {
            writeln!(text, "  admitted with {}", changed(change))?;
        }
        Ok(())
    }
}

/// Gives the verdict and the status of answers about points.
pub fn verdict_of(admitted: &[Option<bool>]) -> (Verdict, Status) {
    match () {
        () if admitted.contains(&Some(false)) => (Verdict::Unsat, Status::Refused),
        () if admitted.contains(&None) => (Verdict::Unknown, Status::Unknown),
        () => (Verdict::Sat, Status::Good),
    }
}

/// Writes sizes of inputs with their places.
pub fn origins(from: &[Origin]) -> String {
    let each = from.iter().map(|origin| {
        let size = match origin.given {
            Some(given) => format!("{} = {given}", origin.axis),
            None => origin.axis.clone(),
        };
        match origin.at {
            Some(at) => format!("{size} (axis {at} of `{}`)", origin.input),
            None if origin.axis == origin.input => format!("{size} (the value of that input)"),
            None => format!("{size} (of `{}`)", origin.input),
        }
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Writes which sizes of which axes are admitted instead.
fn changed(change: &Change) -> String {
    if !change.together.is_empty() {
        let points = change.together.iter().map(|point| {
            let sizes = point.iter().map(|(axis, size)| format!("{axis} = {size}"));
            sizes.collect::<Vec<_>>().join(" and ")
        });
        return points.collect::<Vec<_>>().join(", or ");
    }
    let axes = change.axes.iter().map(|near| {
        let sides = [near.below, near.above].into_iter().flatten();
        let sides: Vec<String> = sides.map(|size| size.to_string()).collect();
        format!("{} = {}", near.axis, sides.join(" or "))
    });
    axes.collect::<Vec<_>>().join(" and ")
}
