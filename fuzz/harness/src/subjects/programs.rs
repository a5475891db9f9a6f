//! Programs of the surface language: from their text to shapes, loop nests and numbers.

pub mod checked;
mod devices;
pub mod generate;
pub mod reference;
mod targets;

use std::fmt;

use lozenge_backend::Tensor;
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{Row, RowTerm, Rule};

use self::targets::{closed_programs, determined, execution, language, projected_programs, uses};
use super::sets::Sets;
use crate::features::Features;
use crate::known_difference::KnownDifference;
use crate::minimise::shorter;
use crate::outcome::Outcome;
use crate::pipeline::read;
use crate::subject::checked::Checked;
use crate::subject::party::{Effort, Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Answer, Subject};

pub use devices::{INTERPRETER, OPENCL};

/// Programs of the surface language. A text that is no program is an instance, too: that it is refused is an answer.
pub struct Programs;

/// A question about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// The values of its tensors.
    Run,
}

/// The values of every tensor, or why there are none.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(pub Result<Vec<Tensor>, String>);

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Err(reason) => f.write_str(reason),
            Ok(tensors) => tensors
                .iter()
                .try_for_each(|tensor| writeln!(f, "{:?} {:?}", tensor.shape(), tensor.values())),
        }
    }
}

impl Answer for Values {
    fn word(&self) -> &'static str {
        match &self.0 {
            Ok(_) => "values",
            Err(_) => "refused",
        }
    }
}

impl Subject for Programs {
    const NOUN: &'static str = "a program";
    const EXTENSION: &'static str = "loz";
    const UNIT: &'static str = "lines";

    type Instance = String;
    type Question = Question;
    type Answer = Values;

    const PARTIES: &'static [Party<Programs>] = &[INTERPRETER, OPENCL];
    const TARGETS: &'static [Target<Programs>] = TARGETS;
    const DIFFERENCES: &'static [KnownDifference] = &[FREE_MARKER];

    fn rules() -> Vec<&'static str> {
        Rule::ALL.iter().map(|rule| rule.name()).collect()
    }

    fn compare(text: &String, said: &[Said<Programs>]) -> Outcome {
        let answer = |party: &Party<Programs>| {
            let said = said.iter().find(|said| said.party == party.name);
            said.map(|said| &said.answer)
        };
        match (answer(&INTERPRETER), answer(&OPENCL)) {
            (Some(reference), Some(kernels)) => execution::compared(text, reference, kernels),
            (None, _) => Outcome::Unknown("no interpreter".into()),
            (_, None) => Outcome::Unknown("no OpenCL device".into()),
        }
    }

    fn smaller(text: &String) -> Vec<String> {
        shorter(text, false)
    }

    fn size(text: &String) -> usize {
        text.lines().filter(|line| !line.trim().is_empty()).count()
    }

    /// Returns the rules of the constraints, and P1 to P6 where it closes.
    fn features(text: &String) -> Features {
        let Ok((program, constraints)) = read(text) else {
            return Features::default();
        };
        let mut features = Sets::features(&constraints.set);
        let options = Options {
            close: true,
            traced: false,
            ..Options::default()
        };
        let Some(ground) = solve(&constraints.set, &options).greatest() else {
            return features;
        };
        let row = |term: &RowTerm| -> Row { ground.row(term).unwrap_or_default() };
        for operation in program.operations() {
            let shape = |id| program[id].shape.map(|_, term| row(term));
            if let Ok(elaborated) = elaborate(operation, shape) {
                let read = elaborated.equations.iter().map(|(rule, _)| rule.name());
                features.fired.extend(read);
            }
        }
        features
    }

    /// Returns the verdicts on its constraints, and its shapes and loop nests; a text that is no program is a
    /// disagreement of nobody.
    fn checked(text: &String, effort: &Effort) -> Checked {
        match read(text) {
            Ok((program, _)) => {
                checked::checked(&program, text, effort, &lozenge::Options::default())
            }
            Err(reason) => checked::unread(reason),
        }
    }
}

/// A use that constrains nothing moves a marker for which no place is the greatest.
pub const FREE_MARKER: KnownDifference = KnownDifference {
    name: "free-marker",
    argument: "No row has other axes, and no number is another one: only markers of rows for which equations leave the place open (Lemma 5.1) \
                   stand elsewhere. Z3 finds that both places satisfy everything that is required with the use, so neither solution is above \
                   the other one and there is no greatest one.",
    target: "uses",
    witness: "data t0 : 2, 2|-> = range(4)\nlet t1 = map(t0, \"a, b, ..r..|->..v.. => b, a, ..v..|->..r..\")\n\
                  let t4 = t1 @| (_, 1)\n",
};

/// The targets.
const TARGETS: &[Target<Programs>] = &[
    Target {
        name: "projected_programs",
        about: "the operations of a whole program at the shapes that are inferred: solver, rules, naive closure",
        questions: &[],
        hunted: Hunted::Seldom,
        bytes: 512,
        generate: |u| match u.arbitrary()? {
            true => generate::language::language(u),
            false => generate::programs::program(u),
        },
        examine: |text, parties| projected_programs::projected_programs(text, parties),
    },
    Target {
        name: "kernels",
        about: "one closed operation, often with windows and concatenated axes, on the interpreter and on OpenCL",
        questions: &[Question::Run],
        hunted: Hunted::WhenAsked,
        bytes: 256,
        generate: generate::blocks::operation,
        examine: |text, parties| execution::kernels(text, parties),
    },
    Target {
        name: "program",
        about: "a program from its text to numbers: rules, solver, Z3, both engines",
        questions: &[Question::Run],
        hunted: Hunted::WhenAsked,
        bytes: 512,
        generate: generate::programs::program,
        examine: |text, parties| execution::program(text, parties),
    },
    Target {
        name: "language",
        about: "functions, loops, slices, windows, gradients, sections: rules, solver and Z3, to the loop nests",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 512,
        generate: generate::language::language,
        examine: |text, parties| language::language(text, parties),
    },
    Target {
        name: "uses",
        about: "a program with and without a line that uses a tensor and constrains nothing: the same shapes and numbers, and no refusal",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 512,
        generate: |u| match u.ratio(1, 8)? {
            true => generate::programs::program(u),
            false => generate::chains::chain(u),
        },
        examine: |text, parties| uses::uses(text, parties),
    },
    Target {
        name: "closed_programs",
        about: "the closed shapes of a program: the greatest solution of its set wherever Z3 finds that there is one",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 512,
        generate: |u| match u.int_in_range(0..=7)? {
            0 => generate::programs::program(u),
            1 => generate::language::language(u),
            _ => generate::chains::chain(u),
        },
        examine: |text, parties| closed_programs::closed_programs(text, parties),
    },
    Target {
        name: "determined",
        about: "a program whose shapes were drawn first and taken away as far as the rest determines them: they are found",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 256,
        generate: |u| Ok(generate::networks::network(u)?.to_string()),
        examine: |text, parties| determined::determined(text, parties),
    },
];
