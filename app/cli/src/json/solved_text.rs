//! A solution as text for people, written while it is computed.

use std::fmt;
use std::io::{self, Write};

use lozenge_solver::Footing;
use lozenge_vocabulary::Var;

use super::Solved;
use super::bounds::{Bounds, Notes};

/// Returns the headings of a solution for people. `closed` says whether free variables were closed.
fn parts(closed: bool) -> [(Footing, &'static str); 4] {
    let free = match closed {
        true => "free, closed at its top",
        false => "free, shown at its top",
    };
    [
        (Footing::Forced, "forced"),
        (Footing::Placed, "forced but for the place of the marker"),
        (Footing::Free, free),
        (Footing::Chosen, "chosen by policy"),
    ]
}

impl Solved<'_> {
    /// Writes a solution for people: first the forced values, then the free variables with their bounds, then the
    /// chosen values.
    pub fn write_text(&self, out: &mut impl Write, closed: bool) -> io::Result<()> {
        writeln!(out, "sat, {}", self.note)?;
        let mut notes = Notes::of(&self.values);
        let mut is_chosen = false;
        for (footing, title) in parts(closed) {
            let written = self.write_section(out, footing, title, &mut notes)?;
            is_chosen = written && footing == Footing::Chosen;
        }
        if is_chosen {
            out.write_all(b"the choices\n")?;
            for choice in self.choices() {
                writeln!(out, "  {choice}")?;
            }
        }
        Ok(())
    }

    /// Writes the values with one footing, and returns true if there were any.
    fn write_section(
        &self,
        out: &mut impl Write,
        footing: Footing,
        title: &str,
        notes: &mut Notes,
    ) -> io::Result<bool> {
        let mut line = String::new();
        let mut is_first = true;
        let mut write = |line: &str, bounds: Option<Bounds>| {
            if std::mem::take(&mut is_first) {
                writeln!(out, "{title}")?;
            }
            match bounds {
                Some(bounds) => writeln!(out, "  {line:<20}  # {bounds}"),
                None => {
                    out.write_all(b"  ")?;
                    out.write_all(line.as_bytes())?;
                    out.write_all(b"\n")
                }
            }
        };
        for (name, dim) in self.values.dims_on(footing) {
            let bounds = notes.next_of(|var| matches!(var, Var::Dim(own) if own.name() == name));
            line.clear();
            // Writing to a string does not fail.
            let _ = fmt::Write::write_fmt(&mut line, format_args!("{name} = {dim}"));
            write(&line, bounds)?;
        }
        for name in self.values.zeros_on(footing) {
            write(&format!("{name} = 0"), None)?;
        }
        for (name, row) in self.values.rows_on(footing) {
            let bounds = notes.next_of(|var| matches!(var, Var::Row(own) if own.name() == name));
            line.clear();
            line.extend(["<", name, "> ~ ", &row]);
            write(&line, bounds)?;
        }
        Ok(!is_first)
    }
}
