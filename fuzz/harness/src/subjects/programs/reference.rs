//! The reference for the pipeline of `lozenge`: a program processed by the transcribed rules.

use lozenge::{Asserted, Reason, Refusal, Shapes};
use lozenge_backend::LoopNest;
use lozenge_solver::{Cited, Involved, PolicyStep};
use lozenge_spec::cause::{Commitment, Failure};
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::projection_solver::Solved;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::operation::Function;
use lozenge_vocabulary::program::{Foreign, Late, Program};
use lozenge_vocabulary::projection_language::AxisId;
use lozenge_vocabulary::{ConstraintSet, RowTerm, Rule, Verdict};

/// The results of the transcribed rules for a program.
pub struct Reference {
    /// The shape of each tensor.
    pub shapes: Shapes,
    /// For each operation its index maps, with the axes behind each factor.
    pub solved: Vec<Solved>,
    /// The loop nest of each operation, with loops named `i`, `j`, `k` and so on.
    pub nests: Vec<LoopNest>,
}

/// The reason why the transcribed rules have no result.
pub enum Failed {
    /// The program is refused.
    Refused(Box<Refusal>),
    /// The limit on the work of the rules was reached.
    Work,
    /// An operation has no loop nest at the inferred shapes.
    NoNest {
        /// The operation.
        operation: usize,
        /// The reason, in words.
        message: String,
    },
}

fn foreign(error: Foreign) -> Failed {
    Failed::Refused(Box::new(Refusal {
        verdict: Verdict::Unknown,
        reason: Reason::Foreign(error),
    }))
}

/// Infers shapes, closes them, and infers the loop nest of each operation, with a limit on the work of the rules.
///
/// # Errors
/// The reason why there are none.
pub fn infer(program: &Program, work: u64) -> Result<Reference, Failed> {
    let constraints = program.constraints().map_err(foreign)?;
    let options = Options {
        close: true,
        traced: false,
        work,
        ..Options::default()
    };
    let run = solve(&constraints.set, &options);
    let Some(gamma) = run.greatest() else {
        return Err(match run.failure() {
            Some(failure) => {
                let refusal = refusal(failure, &constraints.set);
                match Asserted::new(program) {
                    Ok(asserted) => Failed::Refused(Box::new(asserted.refusal(program, refusal))),
                    Err(error) => foreign(error),
                }
            }
            None => Failed::Work,
        });
    };
    let row = |term: &RowTerm| gamma.row(term).unwrap_or_default();
    let tensors = program.tensors.iter();
    let shapes: Shapes = tensors
        .map(|tensor| tensor.shape.map(|_, term| row(term)))
        .collect();
    let mut reference = Reference {
        shapes,
        solved: Vec::new(),
        nests: Vec::new(),
    };
    for operation in 0..program.steps.len() {
        let step = &program.steps[operation];
        let (solved, mut nest) =
            next_nest(program, operation, &reference.shapes, &reference.solved)
                .map_err(|message| Failed::NoNest { operation, message })?;
        if let Some(Late::Product(rows)) = step.late.as_deref() {
            let axes = rows.iter().flat_map(|rest| row(rest).flat());
            let value = axes.map(|axis| axis.size() as f64).product();
            nest = lowered(program, operation, &solved, Function::Constant(value))
                .map_err(|message| Failed::NoNest { operation, message })?;
        }
        reference.solved.push(solved);
        reference.nests.push(nest);
    }
    Ok(reference)
}

/// Returns the loop nest of the operation behind those that are solved, as [`nest`] gives it, or of a backward program.
///
/// # Errors
/// Why there is none.
pub fn next_nest(
    program: &Program,
    number: usize,
    shapes: &Shapes,
    before: &[Solved],
) -> Result<(Solved, LoopNest), String> {
    match &program.steps[number].record {
        Some(record) => recorded(program, number, &before[record.step]),
        None => nest(program, number, shapes),
    }
}

/// Returns the loop nest of an operation by the transcribed rules, with the axes behind each of its loops.
///
/// # Errors
/// The reason why there is none.
pub fn nest(
    program: &Program,
    number: usize,
    shapes: &Shapes,
) -> Result<(Solved, LoopNest), String> {
    let mut operation = program.steps[number].operation.clone();
    if program.steps[number].late.is_some() {
        // A count has requirements on a tensor that it does not read. They were needed to decide sizes; its one cell
        // has no loop.
        operation.requirements = Default::default();
    }
    let operation = &operation;
    let solved = elaborate(operation, |id| shapes[id.0].clone())
        .and_then(|elaborated| Ok(elaborated.solve()?))
        .map_err(|error| error.to_string())?;
    let nest = lowered(program, number, &solved, operation.function.clone())?;
    Ok((solved, nest))
}

/// Returns the loop nest of an operation of a backward program: the index maps of its forward operation, in other
/// slots.
fn recorded(
    program: &Program,
    number: usize,
    forward: &Solved,
) -> Result<(Solved, LoopNest), String> {
    let step = &program.steps[number];
    let slots = step.record.as_ref().map_or(&[][..], |record| &record.slots);
    let moved = |class: &Vec<AxisId>| {
        let places = slots.iter().enumerate();
        let axes = places.flat_map(|(slot, old)| {
            let of_old = class.iter().filter(move |id| id.slot == *old);
            of_old.map(move |id| AxisId {
                slot,
                axis: id.axis,
            })
        });
        axes.collect()
    };
    let solved = Solved {
        projections: forward
            .projections
            .permuted(slots)
            .ok_or("a slot of the record does not exist")?,
        classes: forward.classes.iter().map(moved).collect(),
    };
    let nest = lowered(program, number, &solved, step.operation.function.clone())?;
    Ok((solved, nest))
}

fn lowered(
    program: &Program,
    number: usize,
    solved: &Solved,
    function: Function,
) -> Result<LoopNest, String> {
    let operation = &program.steps[number].operation;
    let slots = operation.slots.iter();
    let names: Vec<&str> = slots.map(|id| &*program[*id].name).collect();
    LoopNest::new(&solved.projections, operation.accumulator, function, &names)
        .and_then(|nest| match operation.region().completed {
            true => nest.beside_others(),
            false => Ok(nest),
        })
        .map_err(|error| error.to_string())
}

/// Says whether two loop nests are the same up to the names of their loops.
pub fn same_up_to_names(left: &LoopNest, right: &LoopNest) -> bool {
    let factors = right.factors().iter();
    let names: Vec<&str> = factors.map(|factor| factor.name.as_str()).collect();
    left.clone()
        .with_factor_names(&names)
        .is_ok_and(|left| left == *right)
}

/// Returns a failure of the transcribed rules, converted to the common type of refusals.
pub fn refusal(failure: &Failure, set: &ConstraintSet) -> lozenge_solver::Refusal {
    let cite = |index: &usize| {
        Some(Cited {
            index: *index,
            text: set.constraints.get(*index)?.to_string(),
            line: None,
            span: None,
            label: None,
        })
    };
    let involved = failure.constraint.vars().into_iter().map(|var| Involved {
        purpose: set
            .tags
            .get(&var)
            .copied()
            .unwrap_or_default()
            .word()
            .into(),
        var,
    });
    let step = |commitment: &Commitment| PolicyStep {
        rule: commitment.rule,
        text: format!("{} ~ {}", commitment.var, commitment.value),
        because: commitment.inputs.iter().filter_map(cite).collect(),
    };
    let closing = failure.commitments.iter();
    let closing = closing.filter(|commitment| commitment.rule == Rule::CloseLeaf);
    lozenge_solver::Refusal {
        verdict: failure.verdict(),
        rule: failure.rule,
        message: failure.reason.clone(),
        chain: failure.inputs.iter().filter_map(cite).collect(),
        minimal: false,
        policy: failure.commitments.first().map(step),
        commitments: closing.map(step).collect(),
        variables: involved.collect(),
        proposed: Vec::new(),
    }
}
