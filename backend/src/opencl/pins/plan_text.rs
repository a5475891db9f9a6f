//! The text of plans. A plan is the form of a kernel between index maps and OpenCL C: loops with the strides of all
//! addresses, conditions, the function, how values are combined, and the schedule of each step. The text is complete,
//! so that [`super::plan_reading`] reads an equal plan from it.
//!
//! ```text
//! kernel  # scores from w, words
//!   tensors 18 12 24
//!   free i0:6(3,0,4) i1:3(1,1,0)
//!   reduced k0:4(0,3,1)
//!   begins 0 0 0
//!   buffers t0 t1 t2
//!   value multiply
//!   writes =:+ combined
//!   sums fast f32 f32
//!   largest 24
//!   step
//!     schedule cell
//! ```
//!
//! A loop has its extent and, in parentheses, the stride of the address in each buffer, the written one first. A part
//! without a line is empty. A step has the lines of the kernel, except where it has a line of its own. With an epilogue
//! there are two lines more, `then` with its function and, behind `of`, its operands, each the total or the buffer of
//! one of the last slots, and `ends` with how it is written:
//!
//! ```text
//!   then add of total t3
//!   ends =: stored
//! ```
//! The line `part` says that a group of operations has the kernel together, and
//! that this is one of them.

use std::fmt::{self, Write as _};

use super::function_text::function_text;
use crate::loop_nest::Write;
use crate::opencl::plan::conditions::{Guard, Sum, Tie};
use crate::opencl::plan::epilogue::Epilogue;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::loops::{Loop, Offset};
use crate::opencl::plan::steps::Plan;
use crate::rules::Numerics;

/// A job with its plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KernelPlan {
    /// True if the plan is one of a part of a kernel of several operations, and not of a kernel of its own.
    pub is_part: bool,
    /// The computation.
    pub job: Job,
    /// The number of elements of the tensor in each slot.
    pub elements: Vec<u64>,
    /// The plan by which the job is computed.
    pub plan: Plan,
}

impl KernelPlan {
    /// Returns the lines that describe the computation. Two plans with the same lines are plans of one job.
    pub fn key(&self) -> String {
        key(self.is_part, &self.job)
    }
}

/// Returns the lines that describe the computation of a job, as a kernel or as a part of one.
pub(crate) fn key(is_part: bool, job: &Job) -> String {
    let mut text = String::new();
    if is_part {
        line(&mut text, "  ", "part", "");
    }
    for (word, rest) in lines(job).iter().filter(|(_, rest)| !rest.is_empty()) {
        line(&mut text, "  ", word, rest);
    }
    text
}

impl fmt::Display for KernelPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        line(&mut text, "  ", "tensors", &spaced(&self.elements));
        let asked = lines(&self.job);
        text += &self.key();
        if !self.plan.scratch.is_empty() {
            line(&mut text, "  ", "scratch", &spaced(&self.plan.scratch));
        }
        for (job, schedule) in &self.plan.steps {
            text += "  step\n";
            for (word, rest) in lines(job) {
                let inherited = asked.iter().find(|(other, _)| *other == word);
                if inherited.is_none_or(|(_, other)| *other != rest) {
                    line(&mut text, "    ", word, &rest);
                }
            }
            line(&mut text, "    ", "schedule", &schedule.to_string());
        }
        f.write_str(&text)
    }
}

fn line(text: &mut String, indent: &str, word: &str, rest: &str) {
    let space = if rest.is_empty() { "" } else { " " };
    // Writing to a string does not fail.
    let _ = writeln!(text, "{indent}{word}{space}{rest}");
}

/// Writes the lines of a job, each as its word and the text behind it. A job always has the same lines, so that a step
/// that lacks a line has that of its kernel.
fn lines(job: &Job) -> Vec<(&'static str, String)> {
    let loops = &job.loops;
    let mut sums = match job.numerics {
        Numerics::Exact => "exact".to_string(),
        Numerics::Fast => "fast".to_string(),
    };
    let _ = write!(sums, " {} {}", job.precision, job.stored);
    if job.compensated {
        sums += " compensated";
    }
    vec![
        ("symbols", spaced(&loops.symbols)),
        ("free", spaced(numbered('i', &loops.free))),
        ("reduced", spaced(numbered('k', &loops.reduced))),
        ("begins", spaced(loops.offsets.iter().map(begin))),
        ("ties", spaced(loops.ties.iter().map(tie))),
        ("guards", spaced(loops.guards.iter().map(guard))),
        ("buffers", spaced(job.buffers.iter().map(buffer))),
        ("value", function_text(&job.function)),
        ("writes", format!("{} {}", job.accumulator, way(job.write))),
        ("then", spaced(job.epilogue.iter().map(then))),
        ("ends", spaced(job.epilogue.iter().map(ends))),
        ("sums", sums),
        ("largest", job.largest.to_string()),
    ]
}

fn way(write: Write) -> &'static str {
    match write {
        Write::Plain => "stored",
        Write::ReadModifyWrite => "combined",
    }
}

fn then(epilogue: &Epilogue) -> String {
    let mut text = format!("{} of", function_text(&epilogue.function));
    for operand in &epilogue.operands {
        let _ = match operand {
            Some(slot) => write!(text, " t{slot}"),
            None => text.write_str(" total"),
        };
    }
    text
}

fn ends(epilogue: &Epilogue) -> String {
    format!("{} {}", epilogue.accumulator, way(epilogue.write))
}

fn spaced<T: fmt::Display>(all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = all.into_iter().map(|one| one.to_string()).collect();
    all.join(" ")
}

/// Writes loops. A loop is one word: its strides are divided by commas.
fn numbered(letter: char, loops: &[Loop]) -> impl Iterator<Item = String> {
    loops.iter().enumerate().map(move |(number, one)| {
        let strides: Vec<String> = one.strides.iter().map(u64::to_string).collect();
        format!("{letter}{number}:{}({})", one.extent, strides.join(","))
    })
}

fn begin(offset: &Offset) -> String {
    let mut text = offset.fixed.to_string();
    for (symbol, stride) in &offset.symbols {
        let _ = write!(text, "+@{symbol}*{stride}");
    }
    text
}

fn sum(sum: &Sum) -> String {
    let mut text = sum.offset.to_string();
    for (coefficient, variable) in &sum.terms {
        let _ = write!(text, "+{coefficient}*{}", variable.name());
    }
    text
}

fn tie(tie: &Tie) -> String {
    format!("{}={}", tie.cell.name(), sum(&tie.sum))
}

fn guard(guard: &Guard) -> String {
    let side = if guard.written { "written" } else { "read" };
    format!("{side}:{}<{}", sum(&guard.sum), guard.size)
}

/// Returns the name of a buffer.
pub(crate) fn buffer(argument: &Argument) -> String {
    match argument {
        Argument::Slot(number) => format!("t{number}"),
        Argument::Scratch(number) => format!("s{number}"),
        Argument::Local(number) => format!("l{number}"),
    }
}
