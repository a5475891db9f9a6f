//! `schedules`: one closed operation with a legal schedule that is drawn at random and not chosen by the heuristics,
//! run on OpenCL in guarded buffers.
//!
//! With exact rounding every schedule keeps the order in which values are combined, so the result has the interpreter's
//! bits. With free rounding it has the interpreter's numbers on whole numbers, where every order gives the same, and is
//! within the printed bound of the sum in `f64` on others. Guard zones, operands, and cells that no point writes have
//! to be as before.
//!
//! Half of the time an elementwise operation on the result is drawn as well. If both fit into one kernel, that has to
//! give what one after the other gives.

use lozenge_backend::opencl::{Choose, KernelSource, Profile};
use lozenge_backend::{LoopNest, Numerics};
#[cfg(feature = "opencl")]
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
#[cfg(feature = "opencl")]
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::Scheduled;
use super::drawn_nest::DrawnNest;
use crate::outcome::Comparison;
#[cfg(not(feature = "opencl"))]
use crate::outcome::Outcome;
use crate::subject::party::Parties;

/// Compares the values of an operation with a schedule.
pub fn schedules(scheduled: &Scheduled, _: &mut Parties) -> Option<Comparison> {
    compared(scheduled)
}

/// The kernels of a loop nest under the choices that a plan leaves.
pub(super) struct Kernels {
    source: KernelSource,
    /// An elementwise operation on the result, and the kernel of both.
    ended: Option<(LoopNest, KernelSource)>,
}

/// Makes the kernels of a legal plan, and perhaps an operation behind the loop nest. `choose` takes one of so many
/// options.
pub(super) fn kernels(drawn: &DrawnNest, choose: Choose<'_>) -> Kernels {
    // Kernels for a GPU run on a processor, too, but take longer to compile.
    let profile = match choose(5) {
        4 => Profile::Parallel,
        _ => Profile::Cpu,
    };
    let source = KernelSource::chosen(&drawn.nest, profile, drawn.numerics, choose);
    let ended = match choose(2) {
        1 => ended(drawn, profile, choose),
        _ => None,
    };
    Kernels { source, ended }
}

/// Makes nothing: without the feature `opencl` there are no kernels of several operations.
#[cfg(not(feature = "opencl"))]
fn ended(_: &DrawnNest, _: Profile, _: Choose<'_>) -> Option<(LoopNest, KernelSource)> {
    None
}

/// Draws an elementwise operation on the result of a loop nest and perhaps a tensor of some of its axes, and the kernel
/// of both if there is one.
#[cfg(feature = "opencl")]
fn ended(
    drawn: &DrawnNest,
    profile: Profile,
    choose: Choose<'_>,
) -> Option<(LoopNest, KernelSource)> {
    let sizes = &drawn.projections.sizes[0];
    let all: Vec<usize> = (0..sizes.len()).collect();
    let mut maps = vec![all.clone(), all.clone()];
    let function = match choose(2) {
        0 => [Function::Relu, Function::Negate, Function::Abs][choose(3)].clone(),
        _ => {
            maps.push(all.into_iter().filter(|_| choose(3) > 0).collect());
            let functions = [Function::Add, Function::Multiply, Function::Max];
            functions[choose(3)].clone()
        }
    };
    let accumulator = Accumulator {
        erase: choose(3) > 0,
        combine: [Combine::Add, Combine::Subtract, Combine::Max][choose(3)],
    };
    let projections = Projections {
        factors: sizes.clone(),
        sizes: maps
            .iter()
            .map(|map| map.iter().map(|axis| sizes[*axis]).collect())
            .collect(),
        maps: maps
            .into_iter()
            .map(|map| IndexMap(map.into_iter().map(Index::Iter).collect()))
            .collect(),
    };
    let names = &["z", "c", "e"][..projections.maps.len()];
    let operation = LoopNest::new(&projections, accumulator, function, names).ok()?;
    let both = (&operation, &[1][..]);
    let source = KernelSource::chosen_with(&drawn.nest, both, profile, drawn.numerics, choose)?;
    Some((operation, source))
}

/// Returns the loop nest and the schedule, for people.
pub(super) fn shown(scheduled: &Scheduled) -> String {
    let Kernels { source, ended } = scheduled.kernels();
    let rounding = match scheduled.drawn.numerics {
        Numerics::Exact => "exact",
        Numerics::Fast => "fast",
    };
    let lines = source.schedule.iter();
    let lines: String = lines.map(|line| format!("{rounding}: {line}\n")).collect();
    let ended = ended.map_or(String::new(), |(operation, source)| {
        format!("{operation}{}\n", source.schedule.join("\n"))
    });
    format!("{}{lines}{ended}", scheduled.drawn.nest)
}

#[cfg(feature = "opencl")]
use on_device::compared;

/// Compares nothing: without the feature `opencl` nothing runs.
#[cfg(not(feature = "opencl"))]
fn compared(_: &Scheduled) -> Option<Comparison> {
    Some(Comparison {
        outcome: Outcome::Unknown("no OpenCL device".into()),
        useful: false,
        answer: "not run",
    })
}

#[cfg(feature = "opencl")]
mod on_device {
    use std::cell::RefCell;

    use lozenge_backend::opencl::{KernelSource, OpenCl, Pins, pins_file};
    use lozenge_backend::{
        Device, Interpreter, Limits, LoopNest, Numerics, Symbols, Tensor, precise,
    };
    use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

    use super::{Kernels, Scheduled};
    use crate::outcome::{Comparison, Disagreement, Outcome};
    use crate::subjects::nests::drawn_nest::DrawnNest;

    thread_local! {
        static DEVICE: RefCell<Option<Result<OpenCl, String>>> = const { RefCell::new(None) };
    }

    pub fn compared(scheduled: &Scheduled) -> Option<Comparison> {
        let drawn = &scheduled.drawn;
        let Kernels { source, ended } = scheduled.kernels();
        DEVICE.with_borrow_mut(|device| {
            let open = || OpenCl::open(Limits::default()).map_err(|error| error.to_string());
            let outcome = match device.get_or_insert_with(open) {
                Err(_) => Outcome::Unknown("no OpenCL device".into()),
                Ok(device) => match examined(drawn, &source, device) {
                    Err(disagreement) => explained(*disagreement, drawn, &source).into(),
                    Ok(()) => match &ended {
                        None => Outcome::Agree,
                        Some((operation, source)) => {
                            match examined_with(drawn, operation, source, device) {
                                Ok(()) => Outcome::Agree,
                                Err(disagreement) => explained(*disagreement, drawn, source)
                                    .answered("the operation behind it", operation)
                                    .into(),
                            }
                        }
                    },
                },
            };
            Some(Comparison {
                outcome,
                useful: true,
                answer: match ended {
                    Some(_) => "with an epilogue",
                    None => template(&source),
                },
            })
        })
    }

    /// Returns the template of the kernels, or that there are several steps.
    fn template(source: &KernelSource) -> &'static str {
        let words = [
            "cell", "tile", "packed", "dot", "sweep", "staged", "grid", "team", "spread", "turned",
        ];
        match source.schedule.as_slice() {
            [line] => {
                let mut words = words.into_iter();
                words.find(|word| line.starts_with(word)).unwrap_or("none")
            }
            _ => "in parts",
        }
    }

    fn explained(
        disagreement: Disagreement,
        drawn: &DrawnNest,
        source: &KernelSource,
    ) -> Disagreement {
        let defect = source.defect.as_ref().map(ToString::to_string);
        disagreement
            .answered("the operation", &drawn.nest)
            .answered("the rounding", format!("{:?}", drawn.numerics))
            .answered("the schedule", source.schedule.join("\n"))
            .answered("the verifier", defect.unwrap_or("no defect".into()))
    }

    type Examined = Result<(), Box<Disagreement>>;

    fn wrong(check: &str, party: &str, answer: impl std::fmt::Display) -> Box<Disagreement> {
        Box::new(Disagreement::new(check).answered(party, answer))
    }

    fn examined(drawn: &DrawnNest, source: &KernelSource, device: &mut OpenCl) -> Examined {
        reads_back(source)?;
        let whole = drawn.whole();
        let expected = interpreted(drawn, &whole)?;
        let found = tried(drawn, source, &whole, device)?;
        same(drawn, &expected, &found)?;
        let digits = drawn.digits();
        let found = tried(drawn, source, &digits, device)?;
        match drawn.numerics {
            Numerics::Exact => same(drawn, &interpreted(drawn, &digits)?, &found),
            Numerics::Fast => within_bound(drawn, &digits, &found),
        }
    }

    /// Checks that an operation and one behind it as one kernel give what they give one after the other.
    fn examined_with(
        drawn: &DrawnNest,
        operation: &LoopNest,
        source: &KernelSource,
        device: &mut OpenCl,
    ) -> Examined {
        reads_back(source)?;
        let mut data = vec![drawn.whole()];
        if drawn.numerics == Numerics::Exact {
            data.push(drawn.digits());
        }
        for tensors in data {
            // The tensor that the second operation writes, and one that it reads, have values of the first ones.
            let more = operation.slots().iter().enumerate().map(|(slot, one)| {
                let count = one.sizes.iter().product::<u64>() as usize;
                let values = tensors[slot.min(1)].values().iter().cycle().copied();
                Tensor::new(one.sizes.to_vec(), values.take(count).collect())
            });
            let more: Result<Vec<Tensor>, _> = more.collect();
            let mut more = more.map_err(|error| wrong("the values of a tensor", "they", error))?;
            let mut slots = vec![more[0].clone()];
            slots.extend_from_slice(&tensors[1..]);
            slots.extend_from_slice(&more[2..]);
            more[1] = interpreted(drawn, &tensors)?;
            let expected = interpreted_nest(operation, &more, &drawn.symbols)?;
            let trial = device
                .trial_of_both([&drawn.nest, operation], source, &slots, &drawn.symbols)
                .map_err(|error| wrong("a legal schedule does not run", "opencl", error))?;
            if !trial.damage.is_empty() {
                let check = "a kernel writes outside of its tensor";
                return Err(wrong(check, "the guard zones", trial.damage.join("\n")));
            }
            same(drawn, &expected, &trial.written)?;
        }
        Ok(())
    }

    /// Checks that the plan as text is that plan again.
    fn reads_back(source: &KernelSource) -> Examined {
        let text = pins_file(source.plans.iter().map(|plan| (String::new(), plan)));
        match Pins::parse(&text) {
            Ok(pins) if pins.plans() == source.plans => Ok(()),
            Ok(pins) => {
                let plans = pins.plans();
                let read: Vec<String> = plans.iter().map(ToString::to_string).collect();
                Err(wrong(
                    "the text of a plan",
                    "what was read",
                    read.join("\n"),
                ))
            }
            // A plan with a defect is reported where its kernels are run.
            Err(_) if source.defect.is_some() => Ok(()),
            Err(error) => Err(wrong("the text of a plan", "the reader", error)),
        }
    }

    /// Returns the values of the written tensor by the interpreter.
    fn interpreted(drawn: &DrawnNest, tensors: &[Tensor]) -> Result<Tensor, Box<Disagreement>> {
        interpreted_nest(&drawn.nest, tensors, &drawn.symbols)
    }

    fn interpreted_nest(
        nest: &LoopNest,
        tensors: &[Tensor],
        symbols: &Symbols,
    ) -> Result<Tensor, Box<Disagreement>> {
        let run = || {
            let mut interpreter = Interpreter::new(Limits::default());
            let buffers: Result<Vec<_>, _> = tensors
                .iter()
                .map(|tensor| interpreter.upload(tensor))
                .collect();
            let buffers = buffers?;
            interpreter.run(nest, &buffers, symbols)?;
            interpreter.download(buffers[0])
        };
        run().map_err(|error| wrong("the interpreter refuses a loop nest", "it", error))
    }

    /// Returns the values of the written tensor by the kernels, which have changed nothing else.
    fn tried(
        drawn: &DrawnNest,
        source: &KernelSource,
        tensors: &[Tensor],
        device: &mut OpenCl,
    ) -> Result<Tensor, Box<Disagreement>> {
        let trial = device
            .trial(&drawn.nest, source, tensors, &drawn.symbols)
            .map_err(|error| wrong("a legal schedule does not run", "opencl", error))?;
        match trial.damage.as_slice() {
            [] => Ok(trial.written),
            damage => {
                let check = "a kernel writes outside of its tensor";
                Err(wrong(check, "the guard zones", damage.join("\n")))
            }
        }
    }

    /// Checks that both have the same bits where the order of values is kept, else the same numbers. All NaN count as
    /// equal.
    fn same(drawn: &DrawnNest, expected: &Tensor, found: &Tensor) -> Examined {
        let exact = drawn.numerics == Numerics::Exact;
        let equal = |x: f32, y: f32| match exact {
            _ if x.is_nan() || y.is_nan() => x.is_nan() && y.is_nan(),
            true => x.to_bits() == y.to_bits(),
            false => x == y,
        };
        let mut pairs = expected.values().iter().zip(found.values()).enumerate();
        match pairs.find(|(_, (x, y))| !equal(**x, **y)) {
            None => Ok(()),
            Some((at, (x, y))) => Err(Box::new(
                Disagreement::new("a kernel computes other values")
                    .answered("the interpreter", format!("cell {at} is {x:?}"))
                    .answered("opencl", format!("cell {at} is {y:?}")),
            )),
        }
    }

    /// Checks that each cell is the result in `f64`, up to the roundings that `docs/backend.md` states.
    fn within_bound(drawn: &DrawnNest, tensors: &[Tensor], found: &Tensor) -> Examined {
        let nest = &drawn.nest;
        let adds = matches!(nest.accumulator().combine, Combine::Add | Combine::Subtract);
        if !adds {
            return same(drawn, &interpreted(drawn, tensors)?, found);
        }
        let wide = |tensor: &Tensor| -> Vec<f64> {
            let values = tensor.values().iter();
            values.map(|value| f64::from(*value)).collect()
        };
        let all: Vec<Vec<f64>> = tensors.iter().map(wide).collect();
        let exact = in_f64(nest, drawn, all.clone())?;
        let sizes = all.into_iter().map(|values| {
            let sizes = values.into_iter().map(f64::abs);
            sizes.collect::<Vec<f64>>()
        });
        let magnitudes = in_f64(&magnitudes(drawn)?, drawn, sizes.collect())?;
        let roundings = (values_a_cell(nest).min(2000) + 2) as f64;
        let cells = found.values().iter().zip(exact.iter().zip(&magnitudes));
        for (at, (found, (exact, size))) in cells.enumerate() {
            let allowed = roundings * (size + 1.0) * f64::from(f32::EPSILON) / 2.0;
            let error = (f64::from(*found) - exact).abs();
            if error.is_nan() || error > allowed {
                return Err(Box::new(
                    Disagreement::new("a kernel exceeds the rounding bound")
                        .answered("f64", format!("cell {at} is {exact}"))
                        .answered("opencl", format!("cell {at} is {found}"))
                        .answered("the bound", format!("{error} is more than {allowed}")),
                ));
            }
        }
        Ok(())
    }

    /// Bounds the number of values that are combined in a cell.
    fn values_a_cell(nest: &LoopNest) -> u64 {
        let factors = nest.factors().iter();
        let combined = factors.filter(|factor| factor.reduced || nest.overlaps());
        combined.map(|factor| factor.size).product()
    }

    /// Returns the loop nest that sums bounds of the magnitudes of all values: a difference or a comparison is at most
    /// the sum of its operands' magnitudes, plus 1.
    fn magnitudes(drawn: &DrawnNest) -> Result<LoopNest, Box<Disagreement>> {
        let nest = &drawn.nest;
        let function = match nest.function() {
            Function::Constant(value) => Function::Constant(value.abs()),
            same @ (Function::Multiply | Function::Square) => same.clone(),
            other if other.arity() == 1 => Function::Identity,
            _ => Function::Add,
        };
        let accumulator = Accumulator {
            erase: nest.accumulator().erase,
            combine: Combine::Add,
        };
        let names: Vec<&str> = nest.slots().iter().map(|slot| &*slot.tensor).collect();
        LoopNest::new(&drawn.projections, accumulator, function, &names)
            .map_err(|error| wrong("the magnitudes of a loop nest", "they", error))
    }

    fn in_f64(
        nest: &LoopNest,
        drawn: &DrawnNest,
        mut values: Vec<Vec<f64>>,
    ) -> Result<Vec<f64>, Box<Disagreement>> {
        let operands = values.split_off(1);
        let operands: Vec<&[f64]> = operands.iter().map(Vec::as_slice).collect();
        let mut written = values.pop().unwrap_or_default();
        precise::run(nest, &mut written, &operands, &drawn.symbols)
            .map_err(|error| wrong("the interpreter refuses a loop nest", "f64", error))?;
        Ok(written)
    }
}
