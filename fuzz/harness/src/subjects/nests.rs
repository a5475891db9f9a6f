//! Loop nests with a legal schedule, for kernels on OpenCL.

mod drawn_nest;
mod schedules;

use std::fmt;
use std::str::FromStr;

use arbitrary::{Result as Drawing, Unstructured};
use lozenge_backend::{Numerics, Symbols};
use lozenge_vocabulary::operation::{Accumulator, Function};
use lozenge_vocabulary::projections::Projections;
use serde::{Deserialize, Serialize};

use self::drawn_nest::{DrawnNest, draw};
use self::schedules::{Kernels, kernels};
use crate::data;
use crate::minimise::without_a_stretch;
use crate::outcome::Outcome;
use crate::subject::party::{Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Nothing, Subject};

/// Loop nests with schedules.
pub struct Nests;

/// A loop nest with a legal schedule.
#[derive(Clone, Debug)]
pub struct Scheduled {
    drawn: DrawnNest,
    /// The choices that make the schedule, in the order in which they are asked for; all others are the first option.
    choices: Vec<usize>,
}

/// The data of [`Scheduled`].
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    /// True if the order of values is kept.
    exact: bool,
    /// The seed of the values of tensors. TOML has no number of 64 bits without a sign.
    seed: String,
    choices: Vec<usize>,
    accumulator: Accumulator,
    function: Function,
    symbols: Symbols,
    projections: Projections,
}

impl Scheduled {
    /// Draws a loop nest, and the choices of a schedule.
    fn draw(u: &mut Unstructured<'_>) -> Drawing<Scheduled> {
        let drawn = draw(u)?;
        let mut choices = Vec::new();
        kernels(&drawn, &mut |options: usize| {
            let choice = u.int_in_range(0..=options.saturating_sub(1));
            choices.push(choice.unwrap_or(0));
            choice.unwrap_or(0)
        });
        let chosen = choices.iter().rposition(|choice| *choice > 0);
        choices.truncate(chosen.map_or(0, |last| last + 1));
        Ok(Scheduled { drawn, choices })
    }

    fn kernels(&self) -> Kernels {
        let mut choices = self.choices.iter();
        kernels(&self.drawn, &mut |options: usize| {
            let choice = choices.next().copied().unwrap_or(0);
            choice.min(options.saturating_sub(1))
        })
    }

    fn data(&self) -> Data {
        let drawn = &self.drawn;
        Data {
            exact: drawn.numerics == Numerics::Exact,
            seed: drawn.seed.to_string(),
            choices: self.choices.clone(),
            accumulator: drawn.accumulator,
            function: drawn.function.clone(),
            symbols: drawn.symbols.clone(),
            projections: drawn.projections.clone(),
        }
    }
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Scheduled) -> bool {
        self.data() == other.data()
    }
}

/// The data below the loop nest and its schedule.
impl fmt::Display for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        data::print(f, &schedules::shown(self), &self.data())
    }
}

/// The most cells of a tensor, and points of a loop nest that is read.
const MOST: u64 = 1 << 20;

impl FromStr for Scheduled {
    type Err = String;

    fn from_str(text: &str) -> Result<Scheduled, String> {
        Data::scheduled(data::read(text)?)
    }
}

impl Data {
    fn scheduled(self) -> Result<Scheduled, String> {
        let numerics = match self.exact {
            true => Numerics::Exact,
            false => Numerics::Fast,
        };
        let seed = self.seed.parse();
        let seed = seed.map_err(|error| format!("`seed`: {error}"))?;
        let product = |sizes: &Vec<u64>| {
            sizes
                .iter()
                .try_fold(1u64, |all, one| all.checked_mul(*one))
        };
        let all = self
            .projections
            .sizes
            .iter()
            .chain([&self.projections.factors]);
        if !all
            .into_iter()
            .all(|sizes| product(sizes).is_some_and(|product| product <= MOST))
        {
            return Err(format!(
                "expected at most {MOST} points of loops, and cells of each tensor"
            ));
        }
        if self.function.arity() + 1 != self.projections.maps.len() {
            let takes = self.function.arity();
            return Err(format!(
                "the function takes {takes} operands: expected {} maps in `projections`",
                takes + 1
            ));
        }
        let combined = (self.accumulator, self.function);
        let drawn = DrawnNest::new(self.projections, combined, numerics, self.symbols, seed)?;
        Ok(Scheduled {
            drawn,
            choices: self.choices,
        })
    }
}

impl Subject for Nests {
    const NOUN: &'static str = "a loop nest with a schedule";
    const EXTENSION: &'static str = "nest";
    const UNIT: &'static str = "loops";

    type Instance = Scheduled;
    type Question = Nothing;
    type Answer = Nothing;

    const PARTIES: &'static [Party<Nests>] = &[];
    const TARGETS: &'static [Target<Nests>] = TARGETS;

    fn compare(_: &Scheduled, _: &[Said<Nests>]) -> Outcome {
        Outcome::Agree
    }

    /// Leaves choices out, and makes a loop shorter with the axes that it alone iterates.
    fn smaller(scheduled: &Scheduled) -> Vec<Scheduled> {
        let choices = without_a_stretch(&scheduled.choices).into_iter();
        let with = |choices| Scheduled {
            choices,
            ..scheduled.clone()
        };
        let mut all: Vec<Scheduled> = choices.map(with).collect();
        for at in (0..scheduled.choices.len()).filter(|at| scheduled.choices[*at] > 0) {
            let mut other = scheduled.clone();
            other.choices[at] = 0;
            all.push(other);
        }
        for (factor, size) in scheduled.drawn.projections.factors.iter().enumerate() {
            let shorter = [1, 2, size / 2, size - 1].into_iter();
            let shorter = shorter.filter(|shorter| *shorter > 0 && shorter < size);
            all.extend(shorter.filter_map(|shorter| with_factor(scheduled, factor, shorter)));
        }
        all
    }

    fn size(scheduled: &Scheduled) -> usize {
        scheduled.drawn.projections.factors.len()
    }

    fn shown(scheduled: &Scheduled) -> String {
        schedules::shown(scheduled)
    }
}

/// Returns the same with a loop of another extent, if that is a loop nest.
fn with_factor(scheduled: &Scheduled, factor: usize, extent: u64) -> Option<Scheduled> {
    let mut data = scheduled.data();
    let projections = &mut data.projections;
    projections.factors[factor] = extent;
    for (map, sizes) in projections.maps.iter().zip(&mut projections.sizes) {
        let axes = map.0.iter().zip(sizes);
        axes.filter(|(index, _)| **index == lozenge_vocabulary::projections::Index::Iter(factor))
            .for_each(|(_, size)| *size = extent);
    }
    data.scheduled().ok()
}

/// The targets.
const TARGETS: &[Target<Nests>] = &[Target {
    name: "schedules",
    about: "one closed operation with a legal schedule that is drawn at random, in guarded buffers on OpenCL: the interpreter, and f64",
    questions: &[],
    hunted: Hunted::WhenAsked,
    bytes: 256,
    generate: Scheduled::draw,
    examine: schedules::schedules,
}];
