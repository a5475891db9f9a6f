//! Parameters whose shapes grow with the uses of tensors that are computed from them: a parameter without a written
//! shape has the axes that its uses ask for (Def. 6.1), and a tensor that is read in its place asks for axes as well.

use lozenge_vocabulary::operation::{Kind, Shape, TensorId};
use lozenge_vocabulary::program::{Family, Program};
use lozenge_vocabulary::{Row, Tag};

use super::result::Inference;
use super::solve::infer_shapes;
use crate::options::{MAX_REFUSALS, Options};

/// A row of a parameter or constant that has axes only because of an operation that does not read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The parameter.
    pub tensor: TensorId,
    /// The row.
    pub kind: Kind,
    /// The operation that asks for the axes, by its place in [`Program::steps`].
    pub operation: usize,
    /// The shape of the parameter before that operation is added.
    pub before: Shape<Row>,
}

/// Returns the parameters without a written shape that grew, at most [`MAX_REFUSALS`] rows of them: at the first
/// operation that reads one it has fewer axes. A parameter of a composition gets its axes from both sides, so only
/// those are told whose axes are paired, and that pair with none. There are none for an inference of other tensors, nor
/// for a program with numbers that refer to nothing.
pub fn grown(program: &Program, inference: &Inference, options: &Options) -> Vec<Grown> {
    if program.check().is_err() || inference.shapes.len() != program.tensors.len() {
        return Vec::new();
    }
    let read = first_readers(program, inference);
    let mut prefix = Prefix::of(program, options);
    let ids = (0..program.tensors.len()).map(TensorId);
    let rows = ids.flat_map(|id| Kind::ALL.map(|kind| (id, kind)));
    let alone = rows.filter_map(|(id, kind)| match read[id.0][kind as usize] {
        Read::Alone(first) => Some((id, kind, first)),
        Read::Not | Read::Beside => None,
    });
    let grown = alone
        .take(MAX_REFUSALS)
        .filter_map(|(id, kind, first)| at_first(&mut prefix, inference, (id, kind), first));
    grown.collect()
}

/// The way in which the operations read a row of a tensor.
#[derive(Clone, Copy)]
enum Read {
    /// None does, or the row has no axes, or they are given.
    Not,
    /// Each is pointwise, and nothing that it pairs with the tensor has the axes of the row. This is the first one.
    Alone(usize),
    /// One is not, or pairs it with such a tensor.
    Beside,
}

/// Returns, for each row of each tensor, the way in which it is read.
fn first_readers(program: &Program, inference: &Inference) -> Vec<[Read; 3]> {
    let rank = |id: TensorId, kind: Kind| inference.shapes[id.0].row(kind).rank();
    let is_open = |id: TensorId, kind: Kind| {
        let tensor = &program[id];
        tensor.tag != Tag::Interior && tensor.shape.row(kind).var.is_some()
    };
    let mut read = vec![[Read::Not; 3]; program.tensors.len()];
    let steps = program.steps.iter().enumerate();
    for (at, step) in steps.filter(|(_, step)| step.record.is_none()) {
        let (written, operands) = (step.operation.slots[0], &step.operation.slots[1..]);
        for id in operands.iter().filter(|id| **id != written) {
            let open = Kind::ALL.into_iter().filter(|kind| is_open(*id, *kind));
            for kind in open.filter(|kind| rank(*id, *kind) > 0) {
                let mut others = operands.iter().filter(|other| !is_open(**other, kind));
                let is_alone = step.logic == Family::Pointwise
                    && !others.any(|other| rank(*other, kind) >= rank(*id, kind));
                let known = &mut read[id.0][kind as usize];
                *known = match (*known, is_alone) {
                    (Read::Not, true) => Read::Alone(at),
                    (Read::Alone(first), true) => Read::Alone(first),
                    _ => Read::Beside,
                };
            }
        }
    }
    read
}

/// The first operations of a program, as a program. Questions about neighbouring prefixes share its tensors and most of
/// its operations, since copies would take longer than the answers.
struct Prefix<'p> {
    whole: &'p Program,
    options: &'p Options,
    program: Program,
}

impl<'p> Prefix<'p> {
    /// Makes the prefix without operations.
    fn of(whole: &'p Program, options: &'p Options) -> Prefix<'p> {
        let program = Program {
            tensors: whole.tensors.clone(),
            checks: whole.checks.clone(),
            ..Program::default()
        };
        Prefix {
            whole,
            options,
            program,
        }
    }

    /// Returns the shape of a tensor where the operation of this number is the last one; nothing where it is refused.
    fn shape(&mut self, last: usize, id: TensorId) -> Option<Shape<Row>> {
        let steps = &mut self.program.steps;
        steps.truncate(last + 1);
        steps.extend_from_slice(&self.whole.steps[steps.len()..=last]);
        let inference = infer_shapes(&self.program, self.options).ok()?;
        Some(inference.shapes[id.0].clone())
    }
}

/// Returns the operation at which a row of a parameter gets axes that it does not have at the first operation that
/// reads it, unless it reads the parameter, too. It is found over prefixes of the program: twice as many further
/// operations each time, and then by bisection.
fn at_first(
    prefix: &mut Prefix<'_>,
    inference: &Inference,
    (id, kind): (TensorId, Kind),
    first: usize,
) -> Option<Grown> {
    let program = prefix.whole;
    let before = prefix.shape(first, id)?;
    let whole = inference.shapes[id.0].row(kind).rank();
    let rank = before.row(kind).rank();
    if rank >= whole {
        return None;
    }
    let mut has_grown = |last: usize| {
        let shape = prefix.shape(last, id);
        shape.is_some_and(|shape| shape.row(kind).rank() > rank)
    };
    let last = program.steps.len() - 1;
    let (mut low, mut high) = (first + 1, (first + 1).min(last));
    while high < last && !has_grown(high) {
        low = high + 1;
        high = last.min(first + 2 * (high - first) + 1);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match has_grown(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    // Shapes of another program may have axes for which no operation of this one asks.
    let asking = program.steps.get(low)?;
    let reads = asking.operation.slots[1..].contains(&id);
    (!reads).then_some(Grown {
        tensor: id,
        kind,
        operation: low,
        before,
    })
}
