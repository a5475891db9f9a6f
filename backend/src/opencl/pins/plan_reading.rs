//! The reader of plans from their text ([`super::plan_text`]). The plans are consistent so far that the checks of
//! [`crate::opencl::check::verify`] can be applied to them; these find out if a plan computes what it says.
//!
//! `serde` with `toml` was considered. It would give up this text, whose lines say what is computed, are the key of a
//! pin, and are edited by hand: a loop with its strides is one word here and a table there.

use std::str::FromStr;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Formula, Function, Instruction};

use super::line::{Line, Misread};
use super::plan_text::{KernelPlan, buffer as name};
use super::schedule_reading::schedule;
use super::words::Word;
use crate::loop_nest::Write;
use crate::opencl::plan::conditions::{Guard, Sum, Tie, Variable};
use crate::opencl::plan::epilogue::Epilogue;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::loops::{Loop, Loops, Offset};
use crate::opencl::plan::schedule::Schedule;
use crate::opencl::plan::steps::Plan;
use crate::precision::Precision;
use crate::rules::Numerics;

/// A plan with the line on which it begins.
pub(crate) struct Read {
    pub line: usize,
    pub plan: KernelPlan,
}

/// Reads the plans of a text.
///
/// # Errors
/// The first place that is not as [`super::plan_text`] writes it.
pub(crate) fn plans(text: &str) -> Result<Vec<Read>, Misread> {
    let mut done = Vec::new();
    let mut open: Option<Open> = None;
    for line in Line::all(text) {
        match (line.first.text, &mut open) {
            ("kernel", _) => {
                if let Some(open) = open.take() {
                    done.push(open.closed()?);
                }
                open = Some(Open::new(line.number));
            }
            ("step", Some(open)) => open.step(line.number)?,
            (_, Some(open)) => open.line(&line)?,
            (_, None) => return Err(line.unexpected(line.first, "`kernel`")),
        }
    }
    if let Some(open) = open {
        done.push(open.closed()?);
    }
    Ok(done)
}

/// A plan that is being read.
struct Open {
    line: usize,
    is_part: bool,
    job: Parts,
    elements: Vec<u64>,
    scratch: Vec<u64>,
    steps: Vec<Step>,
}

/// The order in which values are combined, the precisions in which they are computed and stored, and whether sums are
/// compensated.
#[derive(Clone, Copy)]
struct Sums {
    numerics: Numerics,
    precision: Precision,
    stored: Precision,
    compensated: bool,
}

/// A step that is being read.
struct Step {
    line: usize,
    job: Parts,
    schedule: Option<Schedule>,
}

/// The parts of a job, before they are known to fit together.
#[derive(Clone)]
struct Parts {
    symbols: Vec<Arc<str>>,
    free: Vec<Loop>,
    reduced: Vec<Loop>,
    begins: Vec<Offset>,
    ties: Vec<Tie>,
    guards: Vec<Guard>,
    buffers: Vec<Argument>,
    value: Option<Function>,
    writes: Option<(Accumulator, Write)>,
    sums: Option<Sums>,
    largest: u64,
    /// The function of an epilogue with its operands.
    then: Option<(Function, Vec<Option<usize>>)>,
    /// The accumulator of the epilogue, and the way in which it is written.
    ends: Option<(Accumulator, Write)>,
}

impl Open {
    fn new(line: usize) -> Open {
        Open {
            line,
            is_part: false,
            job: Parts {
                symbols: Vec::new(),
                free: Vec::new(),
                reduced: Vec::new(),
                begins: Vec::new(),
                ties: Vec::new(),
                guards: Vec::new(),
                buffers: Vec::new(),
                value: None,
                writes: None,
                sums: None,
                largest: 0,
                then: None,
                ends: None,
            },
            elements: Vec::new(),
            scratch: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Begins a step, which inherits the lines of the kernel.
    fn step(&mut self, line: usize) -> Result<(), Misread> {
        self.steps.push(Step {
            line,
            job: self.job.clone(),
            schedule: None,
        });
        Ok(())
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), Misread> {
        match (line.first.text, self.steps.last_mut()) {
            ("part", None) if line.rest.is_empty() => self.is_part = true,
            ("tensors", None) => self.elements = line.each("a number of elements", number)?,
            ("scratch", None) => self.scratch = line.each("a number of values", number)?,
            ("schedule", Some(step)) => {
                let read = schedule(&line.rest);
                let read = read.map_err(|(word, expected)| match word {
                    Some(word) => line.unexpected(word, &expected),
                    None => line.error(
                        line.first.column,
                        format!("the schedule ends where {expected} was expected"),
                    ),
                })?;
                step.schedule = Some(read);
            }
            (_, Some(step)) => step.job.line(line)?,
            (_, None) => self.job.line(line)?,
        }
        Ok(())
    }

    fn closed(self) -> Result<Read, Misread> {
        let sizes = Sizes {
            elements: &self.elements,
            scratch: &self.scratch,
        };
        let job = self.job.job(self.line, &sizes)?;
        let mut steps = Vec::new();
        for step in self.steps {
            let mut done = step.job.job(step.line, &sizes)?;
            let Some(read) = step.schedule else {
                return Err(at(step.line, "a step without a `schedule` line"));
            };
            let read = with_operands(read, &done);
            let short_chains = matches!(read, Schedule::Dot(_) | Schedule::Packed(_));
            done.compensated &= !short_chains;
            steps.push((done, read));
        }
        if steps.is_empty() {
            return Err(at(self.line, "a kernel without a `step`"));
        }
        Ok(Read {
            line: self.line,
            plan: KernelPlan {
                is_part: self.is_part,
                job,
                elements: self.elements,
                plan: Plan {
                    steps,
                    scratch: self.scratch,
                },
            },
        })
    }
}

/// Makes an error about the text that begins on a line.
fn at(line: usize, problem: impl Into<String>) -> Misread {
    Misread {
        line,
        column: 1,
        problem: problem.into(),
    }
}

/// Determines the operand of a packed schedule that moves along the rows. It follows from the loops, so the text does
/// not name it.
fn with_operands(schedule: Schedule, job: &Job) -> Schedule {
    let Schedule::Packed(mut packed) = schedule else {
        return schedule;
    };
    let row = packed
        .tile
        .rows
        .and_then(|(row, _)| job.loops.free.get(row));
    let along_rows = |slot: usize| {
        row.is_some_and(|row| row.strides.get(slot).is_some_and(|stride| *stride > 0))
    };
    (packed.row_operand, packed.vector_operand) = match along_rows(1) {
        true => (1, 2),
        false => (2, 1),
    };
    Schedule::Packed(packed)
}

/// The sizes of the buffers of a kernel.
struct Sizes<'s> {
    elements: &'s [u64],
    scratch: &'s [u64],
}

impl Parts {
    fn line(&mut self, line: &Line<'_>) -> Result<(), Misread> {
        match line.first.text {
            "symbols" => self.symbols = line.each("a name", |text| Some(text.into()))?,
            "free" => self.free = loops(line, 'i')?,
            "reduced" => self.reduced = loops(line, 'k')?,
            "begins" => self.begins = line.each("a place such as 0 or 4+@0*8", offset)?,
            "ties" => self.ties = line.each("a tie such as i0=1+2*k0", tie)?,
            "guards" => self.guards = line.each("a guard such as read:-1+1*i0+1*k0<8", guard)?,
            "buffers" => self.buffers = line.each("a buffer such as t0, s0 or l0", buffer)?,
            "value" => self.value = Some(value(line, &line.rest)?),
            "writes" => self.writes = Some(writes(line)?),
            "then" => self.then = Some(then(line)?),
            "ends" => self.ends = Some(writes(line)?),
            "sums" => self.sums = Some(sums(line)?),
            "largest" => self.largest = line.one("a number of elements", number)?,
            _ => {
                return Err(line.unexpected(
                    line.first,
                    "`kernel`, `step`, `schedule` or a line of a kernel",
                ));
            }
        }
        Ok(())
    }

    /// Makes the job, if its parts fit together.
    fn job(self, line: usize, sizes: &Sizes<'_>) -> Result<Job, Misread> {
        let missing = |word: &str| at(line, format!("the line `{word}` is missing"));
        let function = self.value.ok_or_else(|| missing("value"))?;
        let (accumulator, write) = self.writes.ok_or_else(|| missing("writes"))?;
        let sums = self.sums.ok_or_else(|| missing("sums"))?;
        let slots = self.buffers.len();
        let epilogue = match (self.then, self.ends) {
            (Some((function, operands)), Some((accumulator, write))) => Some(Epilogue {
                function,
                operands,
                accumulator,
                write,
            }),
            (None, None) => None,
            (Some(_), None) => return Err(missing("ends")),
            (None, Some(_)) => return Err(missing("then")),
        };
        let more = epilogue.iter().flat_map(Epilogue::slots).count();
        let wanted = function.arity() + 1 + more;
        if slots != wanted {
            return Err(at(
                line,
                format!("{slots} buffers, and the value needs {wanted}"),
            ));
        }
        let mut loops = Loops {
            free: self.free,
            reduced: self.reduced,
            offsets: self.begins,
            symbols: self.symbols,
            ties: self.ties,
            guards: self.guards,
        };
        check_loops(&mut loops, slots).map_err(|problem| at(line, problem))?;
        let job = Job {
            loops,
            function,
            accumulator,
            write,
            compensated: sums.compensated,
            largest: self.largest,
            buffers: self.buffers,
            numerics: sums.numerics,
            precision: sums.precision,
            stored: sums.stored,
            epilogue,
        };
        check_buffers(&job, sizes).map_err(|problem| at(line, problem))?;
        Ok(job)
    }
}

/// Checks that loops, places and conditions speak of the same slots and loops, and that no address leaves 62 bits.
/// Marks the loops that conditions read.
fn check_loops(loops: &mut Loops, slots: usize) -> Result<(), String> {
    if loops.offsets.len() != slots {
        return Err(format!(
            "`begins` has {} places for {slots} buffers",
            loops.offsets.len()
        ));
    }
    let symbols = loops.symbols.len();
    let known = loops.offsets.iter().flat_map(|offset| &offset.symbols);
    if known.clone().any(|(symbol, _)| *symbol >= symbols) {
        return Err("a place with a symbol that `symbols` does not have".to_string());
    }
    let (mut points, mut reach) = (1u64, 0u64);
    for one in loops.free.iter().chain(&loops.reduced) {
        if one.strides.len() != slots {
            return Err(format!(
                "a loop with {} strides for {slots} buffers",
                one.strides.len()
            ));
        }
        let largest = one.strides.iter().max().copied().unwrap_or(0);
        points = points.saturating_mul(one.extent);
        reach = reach.saturating_add(one.extent.saturating_mul(largest));
    }
    if points.max(reach) >> 62 != 0 {
        return Err("the loops reach beyond 62 bits".to_string());
    }
    let (free, reduced) = (loops.free.len(), loops.reduced.len());
    let read: Vec<Variable> = loops
        .ties
        .iter()
        .flat_map(|tie| tie.sum.terms.iter().map(|term| term.1).chain([tie.cell]))
        .chain(
            loops
                .guards
                .iter()
                .flat_map(|guard| guard.sum.terms.iter().map(|term| term.1)),
        )
        .collect();
    for variable in read {
        match variable {
            Variable::Free(number) if number < free => loops.free[number].tied = true,
            Variable::Reduced(number) if number < reduced => loops.reduced[number].tied = true,
            other => {
                return Err(format!(
                    "a condition reads {}, which is no loop",
                    other.name()
                ));
            }
        }
    }
    Ok(())
}

/// Checks that each buffer of a job has a size, and that `largest`, by which kernels choose the width of their
/// addresses, is not below any tensor or any place of a scratch buffer.
fn check_buffers(job: &Job, sizes: &Sizes<'_>) -> Result<(), String> {
    let mut largest = 1;
    for (slot, buffer) in job.buffers.iter().enumerate() {
        let missing = || {
            format!(
                "the buffer {} has no size in `tensors` or `scratch`",
                name(buffer)
            )
        };
        largest = largest.max(match buffer {
            Argument::Slot(number) => *sizes.elements.get(*number).ok_or_else(missing)?,
            Argument::Scratch(number) => {
                sizes.scratch.get(*number).ok_or_else(missing)?;
                last_address(job, slot).saturating_add(1)
            }
            Argument::Local(_) => 1,
        });
    }
    match job.largest < largest {
        true => Err(format!(
            "`largest` is {}, and a buffer has {largest} elements",
            job.largest
        )),
        false => Ok(()),
    }
}

/// Returns the largest address of a slot without symbols, which has at most 63 bits.
fn last_address(job: &Job, slot: usize) -> u64 {
    let loops = job.loops.free.iter().chain(&job.loops.reduced);
    let reach: u64 = loops.map(|one| (one.extent - 1) * one.strides[slot]).sum();
    reach.saturating_add_signed(job.loops.offsets[slot].fixed)
}

fn number<N: FromStr>(text: &str) -> Option<N> {
    // Signs and leading zeros are not written.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Reads loops such as `i0:6(3,0,4)`, numbered in their order.
fn loops(line: &Line<'_>, letter: char) -> Result<Vec<Loop>, Misread> {
    let expected = format!("a loop such as {letter}0:6(3,0,4), of an extent of at least 2");
    let all = line.each(&expected, |text| {
        let (name, rest) = text.strip_prefix(letter)?.split_once(':')?;
        let (extent, strides) = rest.strip_suffix(')')?.split_once('(')?;
        let extent: u64 = number(extent).filter(|extent| *extent >= 2)?;
        let strides: Option<Vec<u64>> = strides.split(',').map(number).collect();
        let one = Loop {
            extent,
            strides: strides?,
            tied: false,
        };
        Some((number::<usize>(name)?, one))
    })?;
    for (at, (number, _)) in all.iter().enumerate() {
        if at != *number {
            return Err(line.unexpected(line.rest[at], &format!("{letter}{at}")));
        }
    }
    Ok(all.into_iter().map(|(_, one)| one).collect())
}

fn signed(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    number::<u64>(digits)?;
    text.parse().ok()
}

fn offset(text: &str) -> Option<Offset> {
    let mut parts = text.split('+');
    let fixed = signed(parts.next()?).filter(|fixed| fixed.unsigned_abs() >> 62 == 0)?;
    let symbol = |part: &str| {
        let (symbol, stride) = part.strip_prefix('@')?.split_once('*')?;
        Some((number(symbol)?, number(stride)?))
    };
    Some(Offset {
        fixed,
        symbols: parts.map(symbol).collect::<Option<_>>()?,
    })
}

fn variable(text: &str) -> Option<Variable> {
    match text.split_at_checked(1)? {
        ("i", rest) => Some(Variable::Free(number(rest)?)),
        ("k", rest) => Some(Variable::Reduced(number(rest)?)),
        _ => None,
    }
}

fn sum(text: &str) -> Option<Sum> {
    let mut parts = text.split('+');
    let offset = signed(parts.next()?)?;
    let term = |part: &str| {
        let (coefficient, name) = part.split_once('*')?;
        let coefficient = number(coefficient).filter(|coefficient| *coefficient >= 1)?;
        Some((coefficient, variable(name)?))
    };
    Some(Sum {
        terms: parts.map(term).collect::<Option<_>>()?,
        offset,
    })
}

fn tie(text: &str) -> Option<Tie> {
    let (cell, rest) = text.split_once('=')?;
    Some(Tie {
        sum: sum(rest)?,
        cell: variable(cell)?,
    })
}

fn guard(text: &str) -> Option<Guard> {
    let (side, rest) = text.split_once(':')?;
    let (index, size) = rest.split_once('<')?;
    let written = match side {
        "written" => true,
        "read" => false,
        _ => return None,
    };
    Some(Guard {
        sum: sum(index)?,
        size: number(size)?,
        written,
    })
}

fn buffer(text: &str) -> Option<Argument> {
    match text.split_at_checked(1)? {
        ("t", rest) => Some(Argument::Slot(number(rest)?)),
        ("s", rest) => Some(Argument::Scratch(number(rest)?)),
        ("l", rest) => Some(Argument::Local(number(rest)?)),
        _ => None,
    }
}

/// Reads the function of a word: a constant begins with `=`, and all others are called as the vocabulary calls them.
fn function(text: &str) -> Option<Function> {
    match text.strip_prefix('=') {
        Some(constant) => Some(Function::Constant(constant.parse().ok()?)),
        None => serde_json::from_value(serde_json::Value::String(text.to_string())).ok(),
    }
}

/// Reads the function of an epilogue and, behind `of`, its operands: the total, or slots by the names of their buffers.
fn then(line: &Line<'_>) -> Result<(Function, Vec<Option<usize>>), Misread> {
    let of = line.rest.iter().position(|word| word.text == "of");
    let Some(of) = of else {
        let needs = "`then` needs a function and its operands, as in `add of total t3`";
        return Err(line.error(line.first.column, needs));
    };
    let operand = |word: &Word| match word.text {
        "total" => Ok(None),
        text => {
            let slot = text.strip_prefix('t').and_then(number);
            let slot = slot.ok_or_else(|| line.unexpected(*word, "`total` or a slot such as t3"));
            slot.map(Some)
        }
    };
    let operands = line.rest[of + 1..].iter().map(operand);
    let operands: Vec<Option<usize>> = operands.collect::<Result<_, _>>()?;
    let function = value(line, &line.rest[..of])?;
    Ok((function, operands))
}

/// Reads the function that some words of a line say.
fn value(line: &Line<'_>, words: &[Word<'_>]) -> Result<Function, Misread> {
    let expected = "a function such as multiply, or `formula`";
    let needs = || {
        line.error(
            line.first.column,
            format!("`{}` needs {expected}", line.first.text),
        )
    };
    let [first, rest @ ..] = words else {
        return Err(needs());
    };
    if first.text != "formula" {
        let function = function(first.text).ok_or_else(|| line.unexpected(*first, expected))?;
        return match rest.is_empty() {
            true => Ok(function),
            false => Err(needs()),
        };
    }
    let [arity, code @ ..] = rest else {
        return Err(line.error(first.column, "`formula` needs the number of its operands"));
    };
    let operands =
        number(arity.text).ok_or_else(|| line.unexpected(*arity, "a number of operands"))?;
    let instruction = |word: &Word| {
        let read = match word.text.strip_prefix('$') {
            Some(operand) => number(operand).map(Instruction::Read),
            None => function(word.text).map(Instruction::Apply),
        };
        read.ok_or_else(|| line.unexpected(*word, "an operand such as $0, or a function"))
    };
    let code = code.iter().map(instruction).collect::<Result<_, _>>()?;
    let formula = Formula::new(operands, code);
    let formula = formula.ok_or_else(|| {
        line.error(
            first.column,
            "a formula that does not leave one value of its operands",
        )
    })?;
    Ok(Function::Formula(Box::new(formula)))
}

fn writes(line: &Line<'_>) -> Result<(Accumulator, Write), Misread> {
    let expected = "an operator and a way, as in `=:+ combined` or `=: stored`";
    let [operator, way] = line.rest.as_slice() else {
        return Err(line.error(line.first.column, format!("`writes` needs {expected}")));
    };
    let erase = [false, true].into_iter();
    let combines = [
        Combine::Replace,
        Combine::Add,
        Combine::Subtract,
        Combine::Multiply,
        Combine::Max,
        Combine::Min,
    ];
    let mut all = erase.flat_map(|erase| combines.map(|combine| Accumulator { erase, combine }));
    let accumulator = all
        .find(|one| one.to_string() == operator.text)
        .ok_or_else(|| line.unexpected(*operator, expected))?;
    match way.text {
        "stored" => Ok((accumulator, Write::Plain)),
        "combined" => Ok((accumulator, Write::ReadModifyWrite)),
        _ => Err(line.unexpected(*way, "`stored` or `combined`")),
    }
}

fn sums(line: &Line<'_>) -> Result<Sums, Misread> {
    let expected =
        "an order and two precisions, as in `fast f32 f32`, and `compensated` may follow";
    let words: Vec<&str> = line.rest.iter().map(|word| word.text).collect();
    let (order, precisions, compensated) = match words.as_slice() {
        [order, computed, stored] => (*order, [*computed, *stored], false),
        [order, computed, stored, "compensated"] => (*order, [*computed, *stored], true),
        _ => return Err(line.error(line.first.column, format!("`sums` needs {expected}"))),
    };
    let numerics = match order {
        "exact" => Numerics::Exact,
        "fast" => Numerics::Fast,
        _ => return Err(line.unexpected(line.rest[0], "`exact` or `fast`")),
    };
    let precision = |at: usize| {
        let mut all = Precision::ALL.into_iter();
        let found = all.find(|one| one.word() == precisions[at]);
        found.ok_or_else(|| line.unexpected(line.rest[at + 1], "`f32` or `f64`"))
    };
    Ok(Sums {
        numerics,
        precision: precision(0)?,
        stored: precision(1)?,
        compensated,
    })
}
