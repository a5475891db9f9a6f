//! Systems of linear constraints over the integers, decided: equations first ([`crate::elimination`]), then
//! inequalities ([`crate::shadow`]), with a search over dark shadows and splinters.
//!
//! The search is complete: it ends with a solution, with contradictory constraints, or at a limit. A refutation that
//! does not use the decision of a branch refutes the search node above it, so that independent parts do not multiply
//! the work.

use crate::bands::Rooted;
use crate::constraint::{Derived, Linear, Values, value};
use crate::elimination::{Equations, Stop, solved};
use crate::form::{Fresh, Variable};
use crate::limit::{Limit, Meter};
use crate::number::Int;
use crate::origin::{Leaf, Leaves, Origin, Origins};
use crate::shadow::{Bounds, Mode, Rest, System};

/// The answer to a question of satisfiability.
#[derive(Debug)]
pub(crate) enum Decided {
    /// Values that satisfy the constraints.
    Satisfied(Values),
    /// Constraints and decisions that contradict each other.
    Refuted(Leaves),
}

/// The state that a search shares with its branches.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) fresh: Fresh,
    pub(crate) origins: Origins,
    pub(crate) meter: Meter,
}

impl Context {
    /// Returns the leaves of a contradiction.
    pub(crate) fn leaves(
        &mut self,
        origins: impl IntoIterator<Item = Origin>,
    ) -> Result<Leaves, Limit> {
        let mut leaves = Leaves::new();
        let visited = self.origins.collect(origins, &mut leaves);
        self.meter.spend(visited)?;
        Ok(leaves)
    }
}

/// Decides whether some constraints have a common solution.
pub(crate) fn decide(constraints: &[Derived], context: &mut Context) -> Result<Decided, Limit> {
    let prepared = prepare(constraints, context);
    let (equations, system) = match prepared {
        Ok(prepared) => prepared,
        Err(Stop::Limit(limit)) => return Err(limit),
        Err(Stop::Contradiction(origin)) => {
            return Ok(Decided::Refuted(context.leaves([origin])?));
        }
    };
    match search(system, context)? {
        Decided::Refuted(leaves) => Ok(Decided::Refuted(leaves)),
        Decided::Satisfied(mut values) => {
            for (variable, form) in equations.rows() {
                let found = form.value(|variable| value(&values, variable))?;
                values.insert(variable, found);
            }
            Ok(Decided::Satisfied(values))
        }
    }
}

/// Solves the equations and substitutes the solution into the inequalities.
fn prepare(constraints: &[Derived], context: &mut Context) -> Result<(Equations, System), Stop> {
    let Context {
        fresh,
        origins,
        meter,
    } = context;
    let equations = solved(constraints.iter(), fresh, origins, meter)?;
    let mut reduced = Vec::new();
    for derived in constraints {
        if let Linear::NonNegative(form) = &derived.linear {
            reduced.push(equations.reduce(form, derived.origin, origins, meter)?);
        }
    }
    let mut system = System::new(*fresh);
    for (form, origin) in reduced {
        system.at_least_zero(&form, origin, origins, meter)?;
    }
    Ok((equations, system))
}

/// A variable that could not be eliminated exactly, with the branches that are still to be tried.
#[derive(Debug)]
struct Frame {
    /// The system before the elimination.
    system: System,
    variable: Variable,
    bounds: Bounds,
    /// The next splinter: a lower bound and a plane of it.
    next: (usize, Int),
    /// The decision of the branch that is being tried.
    decision: Leaf,
    /// The leaves of the refutations of the branches before it.
    refuted: Leaves,
}

impl Frame {
    /// Returns the lower bound and the plane of the next splinter.
    fn splinter(&mut self) -> Result<Option<(&Rooted, Int)>, Limit> {
        let widest = self.bounds.widest_upper(self.variable);
        while let Some((form, _)) = self.bounds.lowers.get(self.next.0) {
            let plane = self.next.1;
            if plane <= Bounds::last_splinter(form.coefficient(self.variable), widest)? {
                self.next.1 += 1;
                return Ok(Some((&self.bounds.lowers[self.next.0], plane)));
            }
            self.next = (self.next.0 + 1, 0);
        }
        Ok(None)
    }
}

/// Searches for a solution of inequalities.
fn search(mut system: System, context: &mut Context) -> Result<Decided, Limit> {
    let mut frames: Vec<Frame> = Vec::new();
    loop {
        let outcome = step(&mut system, context);
        let refuted = match outcome {
            Ok(Step::Finished) => {
                let mut values = Values::default();
                system.solution(&mut values)?;
                return Ok(Decided::Satisfied(values));
            }
            Ok(Step::Branch(frame, dark)) => {
                frames.push(*frame);
                system = *dark;
                continue;
            }
            Ok(Step::Refuted(leaves)) => leaves,
            Err(Stop::Limit(limit)) => return Err(limit),
            Err(Stop::Contradiction(origin)) => context.leaves([origin])?,
        };
        match backtrack(&mut frames, refuted, context)? {
            Ok(next) => system = next,
            Err(leaves) => return Ok(Decided::Refuted(leaves)),
        }
    }
}

/// The result of a sequence of exact eliminations.
#[derive(Debug)]
enum Step {
    Finished,
    /// The dark shadow is to be tried first.
    Branch(Box<Frame>, Box<System>),
    /// The real shadow has no solution.
    Refuted(Leaves),
}

fn step(system: &mut System, context: &mut Context) -> Result<Step, Stop> {
    let rest = system.eliminate(Mode::Exact, &mut context.origins, &mut context.meter)?;
    let Rest::Inexact(variable) = rest else {
        return Ok(Step::Finished);
    };
    context.meter.spend(system.bands.len())?;
    if let Some(leaves) = relaxed(system, context)? {
        return Ok(Step::Refuted(leaves));
    }
    let (decision, origin) = context.origins.decision();
    let frame = Frame {
        bounds: system.bounds(variable)?,
        system: system.clone(),
        variable,
        next: (0, 0),
        decision,
        refuted: Leaves::new(),
    };
    let mut dark = system.clone();
    let projected = dark.project(
        variable,
        Some(origin),
        &mut context.origins,
        &mut context.meter,
    );
    match projected {
        Err(Stop::Limit(limit)) => return Err(limit.into()),
        // The branch fails at once. An impossible equation takes its place, so that the search goes on with the
        // splinters.
        Err(Stop::Contradiction(origin)) => {
            dark.zero(crate::form::Form::constant(1), origin);
        }
        Ok(()) => {}
    }
    Ok(Step::Branch(Box::new(frame), Box::new(dark)))
}

/// Returns a contradiction of the real shadows, if one is found with an eighth of the remaining work.
fn relaxed(system: &System, context: &mut Context) -> Result<Option<Leaves>, Limit> {
    let mut part = context.meter.part(8);
    let mut shadows = system.clone();
    let outcome = shadows.eliminate(Mode::Relaxed, &mut context.origins, &mut part.meter);
    context.meter.settle(part)?;
    match outcome {
        Err(Stop::Contradiction(origin)) => Ok(Some(context.leaves([origin])?)),
        Err(Stop::Limit(_)) | Ok(_) => Ok(None),
    }
}

/// Returns the next branch after a refutation, or the refutation of the whole search.
fn backtrack(
    frames: &mut Vec<Frame>,
    mut refuted: Leaves,
    context: &mut Context,
) -> Result<Result<System, Leaves>, Limit> {
    while let Some(frame) = frames.last_mut() {
        if !refuted.remove(&frame.decision) {
            // The refutation does not use the decision of the branch, so it refutes the whole frame.
            frames.pop();
            continue;
        }
        frame.refuted.append(&mut refuted);
        let (decision, decided) = context.origins.decision();
        if let Some(((form, origin), plane)) = frame.splinter()? {
            let equation = form.clone().shifted(-plane)?;
            let origin = context.origins.join(*origin, Some(decided));
            context.meter.spend(frame.system.bands.len())?;
            let mut system = frame.system.clone();
            system.zero(equation, origin);
            frame.decision = decision;
            return Ok(Ok(system));
        }
        // The branches are exhaustive because of all bounds of the variable, so these are part of the refutation.
        let bounds = frame.bounds.lowers.iter().chain(&frame.bounds.uppers);
        let bounds: Vec<_> = bounds.map(|(_, origin)| *origin).collect();
        refuted = std::mem::take(&mut frame.refuted);
        refuted.append(&mut context.leaves(bounds)?);
        frames.pop();
    }
    Ok(Err(refuted))
}
