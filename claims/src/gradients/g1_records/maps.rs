//! The index maps of backward programs, by value: the cells that each point reads and writes, against those of the
//! record by the transcribed rules.

use lozenge_spec::elaboration::elaborate;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Record};
use lozenge_vocabulary::projections::{Index, IndexMap};

use super::drawn_programs::{Inferred, Said, on_random_programs};
use super::random_program::Sort;
use crate::machinery::{Effort, Finding};

/// The largest number of points of an operation that is enumerated.
const MOST_POINTS: u64 = 1 << 16;

/// The line that asks for gradients.
const BACKWARD: &str = "backward loss\n";

/// Decides Gradients.1.
pub fn of_the_record(effort: Effort) -> Finding {
    on_random_programs(
        Sort::Kinked,
        effort,
        "operations of backward programs",
        |inferred| against_records(inferred, |record| record.slots.clone()),
    )
}

/// Compares each operation of the backward program with its record, whose slots are taken in this order.
fn against_records(inferred: &Inferred, slots: impl Fn(&Record) -> Vec<usize>) -> Said {
    let (program, inference) = (&inferred.program, &inferred.inference);
    let mut seen = 0;
    for (step, nest) in program.steps.iter().zip(&inference.nests) {
        let Some(record) = &step.record else { continue };
        let forward = &program.steps[record.step].operation;
        let shapes = |id: TensorId| inference.shapes[id.0].clone();
        let elaborated = elaborate(forward, shapes).map_err(|error| error.to_string())?;
        let solved = elaborated.solve().map_err(|error| error.to_string())?;
        let recorded = &solved.projections;
        let order = slots(record);
        let tensors = &step.operation.slots;
        if order.len() != tensors.len() {
            return Err(format!("{nest} has other slots than its record"));
        }
        for (tensor, slot) in tensors.iter().zip(&order) {
            let of = forward.slots[*slot];
            if *tensor != of && !belongs_to(program, *tensor, of) {
                let [tensor, of] = [*tensor, of].map(|id| &program[id].name);
                return Err(format!("{tensor} has the index map of {of}"));
            }
        }
        let there = order.iter().map(|slot| &recorded.maps[*slot]);
        let there = cells(&recorded.factors, there, &recorded.maps, &recorded.sizes);
        let factors: Vec<u64> = nest.factors().iter().map(|factor| factor.size).collect();
        let maps: Vec<IndexMap> = nest
            .slots()
            .iter()
            .map(|slot| (*slot.map).clone())
            .collect();
        let sizes: Vec<Vec<u64>> = nest
            .slots()
            .iter()
            .map(|slot| slot.sizes.to_vec())
            .collect();
        let here = cells(&factors, maps.iter(), &maps, &sizes);
        if here.is_none() && there.is_none() {
            continue;
        }
        seen += 1;
        if here != there {
            return Err(format!(
                "another record than that of line {}:\n{nest}",
                line(inferred, record)
            ));
        }
    }
    Ok(seen)
}

fn line(inferred: &Inferred, record: &Record) -> usize {
    let start = inferred.program.steps[record.step].span.start;
    inferred.text[..start].lines().count().max(1)
}

/// Tells whether a tensor is the gradient of another one, or counts the ties of its cells.
fn belongs_to(program: &Program, tensor: TensorId, of: TensorId) -> bool {
    let (tensor, of) = (&program[tensor].name, &program[of].name);
    let mut ends = [".grad", ".ties"].into_iter();
    ends.any(|end| tensor.strip_suffix(end) == Some(of))
}

/// Returns, at each point of a product space, the cells that some maps give, in order; points at which an index of
/// `all` is outside of its axis are skipped. `None` if there are too many points.
pub(super) fn cells<'m>(
    factors: &[u64],
    maps: impl Iterator<Item = &'m IndexMap>,
    all: &[IndexMap],
    sizes: &[Vec<u64>],
) -> Option<Vec<Vec<Vec<i128>>>> {
    let points = factors
        .iter()
        .try_fold(1u64, |all, size| all.checked_mul(*size))?;
    let maps: Vec<&IndexMap> = maps.collect();
    let mut found: Vec<Vec<Vec<i128>>> = Vec::new();
    for number in 0..(points <= MOST_POINTS).then_some(points)? {
        let mut rest = number;
        let point: Vec<u64> = factors
            .iter()
            .map(|size| {
                let at = rest % size;
                rest /= size;
                at
            })
            .collect();
        let exists = all.iter().zip(sizes).all(|(map, sizes)| {
            let axes = cell(map, &point).into_iter().zip(sizes);
            axes.into_iter()
                .all(|(at, size)| (0..i128::from(*size)).contains(&at))
        });
        if exists {
            found.push(maps.iter().map(|map| cell(map, &point)).collect());
        }
    }
    found.sort();
    Some(found)
}

fn cell(map: &IndexMap, point: &[u64]) -> Vec<i128> {
    let at = |index: &Index| match index {
        Index::Iter(factor) => i128::from(point[*factor]),
        Index::Fix(position) => i128::from(*position),
        Index::Affine(affine) => affine.at(point),
        // No program without a section has an index from outside.
        Index::Symbol(_) => -1,
    };
    map.0.iter().map(at).collect()
}

/// Decides Gradients.2.
pub fn nothing_is_inferred(effort: Effort) -> Finding {
    on_random_programs(Sort::Kinked, effort, "gradients", |inferred| {
        compared(inferred, &inferred.text.replace(BACKWARD, ""))
    })
}

/// Compares a program with the same one without its backward program.
fn compared(inferred: &Inferred, without: &str) -> Said {
    let (program, shapes) = (&inferred.program, &inferred.inference.shapes);
    let Some(before) = Inferred::of(without) else {
        return Err("without `backward` it is refused".into());
    };
    let stated = program.constraints().map_err(|error| error.to_string())?;
    let without = before
        .program
        .constraints()
        .map_err(|error| error.to_string())?;
    if stated.set.constraints != without.set.constraints {
        return Err("`backward` states constraints".into());
    }
    let mut gradients = 0;
    for (tensor, shape) in program.tensors.iter().zip(shapes.iter()) {
        let name = &tensor.name;
        let of = name.strip_suffix(".grad").or(name.strip_suffix(".ties"));
        let of = of.unwrap_or(name);
        let shape_of = |inferred: &Inferred, name: &str| {
            let id = inferred.program.find(name)?;
            Some(inferred.inference.shapes[id.0].clone())
        };
        if of != &*tensor.name {
            gradients += 1;
            if shape_of(inferred, of).as_ref() != Some(shape) {
                return Err(format!("{} has other rows than {of}", tensor.name));
            }
        } else if shape_of(&before, of).is_some_and(|before| before != *shape) {
            return Err(format!("`backward` changes the shape of {of}"));
        }
    }
    Ok(gradients)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// False variant of Gradients.1: the slots of a backward operation have the maps of the record in the record's
    /// order.
    #[test]
    fn maps_that_are_not_permuted_are_refuted() {
        let found = on_random_programs(Sort::Kinked, Effort::Quick, "", |inferred| {
            against_records(inferred, |record| (0..record.slots.len()).collect())
        });
        assert!(found.witness.is_some());
    }

    /// False variant of Gradients.1: a broadcast tensor and its gradient are read at the cells of the result.
    #[test]
    fn maps_of_the_result_are_refuted() {
        let found = on_random_programs(Sort::Kinked, Effort::Quick, "", |inferred| {
            against_records(inferred, |record| vec![0; record.slots.len()])
        });
        assert!(found.witness.is_some());
    }

    /// False variant of Gradients.2: a program states what another one with one more use of a tensor states.
    #[test]
    fn another_use_of_a_tensor_is_refuted() {
        let found = on_random_programs(Sort::Kinked, Effort::Quick, "", |inferred| {
            compared(
                inferred,
                &inferred.text.replace(BACKWARD, "let more = loss + 1\n"),
            )
        });
        assert!(found.witness.is_some());
    }
}
