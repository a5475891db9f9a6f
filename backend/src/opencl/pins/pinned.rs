//! Pins: plans that are taken in place of those that the heuristics choose. They stand in a file, so that a program
//! gives the same bits whatever the heuristics of a later version choose, and a person can change a schedule.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::line::Misread;
use super::plan_reading::{Read, plans};
use super::plan_text::{KernelPlan, key};
use crate::opencl::check::defect::{Check, Defect, defect};
use crate::opencl::check::template::legal;
use crate::opencl::check::verify::{fitting, verify};
use crate::opencl::plan::job::Job;
use crate::opencl::plan::rounding::{Rounding, rounding};
use crate::opencl::plan::schedule::Schedule;
use crate::opencl::plan::steps::Plan;

/// The first words of a file of pins.
const HEAD: &str = "# lozenge kernels, version 1";

/// A set of pinned plans. All of them have passed the checks that every plan passes before its kernels are launched.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// The plans, each by the lines that describe its computation.
    plans: Arc<BTreeMap<String, Pin>>,
}

#[derive(Debug)]
struct Pin {
    line: usize,
    plan: Arc<KernelPlan>,
    /// True if a kernel was made by the pin.
    used: AtomicBool,
}

/// A file of pins that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// Text that is no plan.
    #[error("{0}")]
    Text(Misread),
    /// A plan that does not compute what it says.
    #[error("line {line}: the kernel does not pass the check {}: {detail}", check.word())]
    Defect {
        /// The line on which the kernel begins.
        line: usize,
        /// The check that it does not pass.
        check: Check,
        /// The finding of the check.
        detail: String,
    },
    /// Two plans of one computation.
    #[error("line {line}: the kernel of line {first} computes the same; keep one of them")]
    Twice {
        /// The line on which the second begins.
        line: usize,
        /// The line on which the first begins.
        first: usize,
    },
}

impl Pins {
    /// Reads pins from text, and verifies them.
    ///
    /// # Errors
    /// The first line that is no line of a plan, or the first plan that does not pass a check.
    pub fn parse(text: &str) -> Result<Pins, PinError> {
        let mut all: BTreeMap<String, Pin> = BTreeMap::new();
        for Read { line, plan } in plans(text).map_err(PinError::Text)? {
            let checked = verified(&plan);
            checked.map_err(|defect| PinError::Defect {
                line,
                check: defect.check,
                detail: defect.detail,
            })?;
            let pin = Pin {
                line,
                used: AtomicBool::new(false),
                plan: Arc::new(plan),
            };
            if let Some(first) = all.insert(pin.plan.key(), pin) {
                let (line, first) = (line, first.line);
                return Err(PinError::Twice { line, first });
            }
        }
        Ok(Pins {
            plans: Arc::new(all),
        })
    }

    /// Lists the lines of the pins by which no kernel was made yet.
    pub fn unused(&self) -> Vec<usize> {
        let pins = self.plans.values();
        let unused = pins.filter(|pin| !pin.used.load(Ordering::Relaxed));
        let mut lines: Vec<usize> = unused.map(|pin| pin.line).collect();
        lines.sort_unstable();
        lines
    }

    /// Lists the plans, in the order of their lines.
    pub fn plans(&self) -> Vec<PlanText> {
        let mut pins: Vec<&Pin> = self.plans.values().collect();
        pins.sort_unstable_by_key(|pin| pin.line);
        let plans = pins.into_iter().map(|pin| PlanText(pin.plan.clone()));
        plans.collect()
    }

    /// Returns the number of pins.
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// Tells whether there are no pins.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// Tells whether a kernel of its own is pinned for a job.
    #[cfg(feature = "opencl")]
    pub(crate) fn has(&self, job: &Job) -> bool {
        !self.plans.is_empty() && self.plans.contains_key(&key(false, job))
    }

    /// Finds the pinned plan of a job, as a kernel or as a part of one, and notes that it was used.
    pub(crate) fn plan(&self, is_part: bool, job: &Job) -> Option<Plan> {
        if self.plans.is_empty() {
            return None;
        }
        let pin = self.plans.get(&key(is_part, job))?;
        pin.used.store(true, Ordering::Relaxed);
        Some(pin.plan.plan.clone())
    }
}

/// Verifies a plan. A part of a kernel may have operands in local memory, whose sizes only the kernel knows. It has a
/// single step, whose loops are those that are asked for.
fn verified(plan: &KernelPlan) -> Result<(), Defect> {
    if !plan.is_part {
        return verify(&plan.job, &plan.elements, &plan.plan);
    }
    match plan.plan.steps.as_slice() {
        [(_, Schedule::Packed(_))] => defect(
            Check::Points,
            "packed, in a part of a kernel; it takes two kernels",
        ),
        [(job, schedule)] if *job == plan.job => {
            fitting(schedule, job)?;
            legal(schedule, job)
        }
        _ => defect(
            Check::Points,
            "a part of a kernel has one step, which computes what is asked for",
        ),
    }
}

/// A plan as text that [`Pins::parse`] reads.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanText(pub(crate) Arc<KernelPlan>);

impl PlanText {
    /// Returns the lines that say what is computed, which are the same for two plans of one computation.
    pub fn computation(&self) -> String {
        self.0.key()
    }

    /// Tells whether the plan is one of a whole kernel, or of a few that run one after the other, and not of a part of
    /// one.
    pub fn is_whole(&self) -> bool {
        !self.0.is_part
    }

    /// Returns a bound on the rounding error of the plan's sums, if it has any.
    pub fn rounding(&self) -> Option<Rounding> {
        rounding(&self.0.job, &self.0.plan)
    }

    /// Lists the schedule of each step.
    pub fn schedules(&self) -> Vec<String> {
        let steps = self.0.plan.steps.iter();
        steps.map(|(_, schedule)| schedule.to_string()).collect()
    }
}

impl fmt::Display for PlanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Writes a file of pins: each plan once, below a comment that says for whom it is.
pub fn file<'p>(plans: impl IntoIterator<Item = (String, &'p PlanText)>) -> String {
    let mut text = format!("{HEAD}\n");
    let mut seen = std::collections::BTreeSet::new();
    for (comment, plan) in plans {
        if seen.insert(plan.computation()) {
            text += "\nkernel";
            for (number, line) in comment.lines().enumerate() {
                text += if number == 0 { "  # " } else { "\n        # " };
                text += line;
            }
            text += &format!("\n{plan}");
        }
    }
    text
}
