//! The targets: generators of inputs, each with its comparison. `cargo fuzz`, campaigns and tests run the same targets.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::{Result, Unstructured};

use lozenge_testkit::generate::{bytes, growing, large, sets, systems, windows};

use crate::generate;
use crate::input::{Input, Kind, READABLE};
use crate::outcome::{Comparison, Disagreement};
use crate::parties::Parties;
use crate::party::Question;
use crate::targets::{
    arithmetic, certificates, closed_programs, closing, determined, entailment, evidence,
    execution, gradients, greatest, incremental, language, operations, order, projected_programs,
    projection, regions, schedules, sizes, texts, uses, verdicts, window_sizes,
};
use crate::written_operation;

/// A comparison with a generator of its inputs.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// What the target compares, in one line.
    pub about: &'static str,
    /// The sort of its inputs.
    pub kind: Kind,
    /// The questions whose derivations explain a disagreement.
    pub questions: &'static [Question],
    /// How many bytes an input is generated from.
    pub bytes: usize,
    pub(crate) generate: fn(&mut Unstructured<'_>) -> Result<Input>,
    pub(crate) examine: fn(&Input, &mut Parties) -> Option<Comparison>,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "spec_solver",
        about: "the transcribed rules and the production solver: verdict and solved form",
        kind: Kind::Set,
        questions: &[Question::Solve],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: verdicts::spec_solver,
    },
    Target {
        name: "solver_oracle",
        about: "the production solver in policy mode and Z3",
        kind: Kind::Set,
        questions: &[Question::Solve, Question::Decide],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: verdicts::solver_oracle,
    },
    Target {
        name: "complete_oracle",
        about: "the production solver in complete mode, Z3, and trying everything",
        kind: Kind::Set,
        questions: &[Question::Decide],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: verdicts::complete_oracle,
    },
    Target {
        name: "entailment",
        about: "what holds in every solution: complete mode with certificates, and Z3",
        kind: Kind::Set,
        questions: &[Question::Decide],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: entailment::entailment,
    },
    Target {
        name: "order",
        about: "the solver on the same set reversed, rotated, renamed, with other atoms, mirrored, with axes named, and with consequences",
        kind: Kind::Set,
        questions: &[Question::Solve],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: order::order,
    },
    Target {
        name: "incremental",
        about: "the solver asked at once, constraint by constraint, and after a rollback",
        kind: Kind::Set,
        questions: &[Question::Solve],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: incremental::incremental,
    },
    Target {
        name: "closing",
        about: "the transcribed rules and the production solver: closed values",
        kind: Kind::Set,
        questions: &[Question::Close],
        bytes: 256,
        generate: |u| sets::closing(u).map(Input::Set),
        examine: closing::closing,
    },
    Target {
        name: "certificates",
        about: "complete mode with and without propagation, and the checker of its certificates",
        kind: Kind::Set,
        questions: &[],
        bytes: 256,
        generate: |u| sets::solving(u).map(Input::Set),
        examine: certificates::certificates,
    },
    Target {
        name: "evidence",
        about: "the solver alone: its solutions by the definition of satisfaction, its refusals by their certificates",
        kind: Kind::Set,
        questions: &[],
        bytes: 256,
        generate: |u| {
            let set = match u.int_in_range(0..=7)? {
                0 => windows::arithmetic(u),
                1..=3 => sets::closing(u),
                _ => sets::solving(u),
            };
            set.map(Input::Set)
        },
        examine: evidence::evidence,
    },
    Target {
        name: "large_rules",
        about: "sets with many variables, long flanks and gadgets: the transcribed rules and the production solver",
        kind: Kind::Set,
        questions: &[Question::Solve],
        bytes: 1024,
        generate: |u| large::large(u).map(Input::Set),
        examine: verdicts::spec_solver,
    },
    Target {
        name: "large_certificates",
        about: "the same kind of sets: complete mode with and without propagation, and the checker of its certificates",
        kind: Kind::Set,
        questions: &[],
        bytes: 1024,
        generate: |u| large::large(u).map(Input::Set),
        examine: certificates::certificates,
    },
    Target {
        name: "large_order",
        about: "the same kind of sets: the solver on rewritings of one set",
        kind: Kind::Set,
        questions: &[Question::Solve],
        bytes: 1024,
        generate: |u| large::large(u).map(Input::Set),
        examine: order::order,
    },
    Target {
        name: "large_oracle",
        about: "the same kind of sets: the production solver in complete mode and Z3",
        kind: Kind::Set,
        questions: &[Question::Decide],
        bytes: 1024,
        generate: |u| large::large(u).map(Input::Set),
        examine: verdicts::complete_oracle,
    },
    Target {
        name: "arith_verdicts",
        about: "sets that relate sizes: the rules, the solver in both modes, Z3, and trying everything",
        kind: Kind::Set,
        questions: &[Question::Solve, Question::Decide],
        bytes: 256,
        generate: |u| windows::arithmetic(u).map(Input::Set),
        examine: arithmetic::arith_verdicts,
    },
    Target {
        name: "growing_sizes",
        about: "sets with cycles of sums, parts that may be 0, and products with bounded wholes: the same parties",
        kind: Kind::Set,
        questions: &[Question::Solve, Question::Decide],
        bytes: 256,
        generate: |u| growing::growing(u).map(Input::Set),
        examine: arithmetic::arith_verdicts,
    },
    Target {
        name: "greatest",
        about: "what the solver calls the greatest solution, and what it does not: Z3, and trying everything",
        kind: Kind::Set,
        questions: &[Question::Solve],
        bytes: 256,
        generate: |u| {
            let set = match u.int_in_range(0..=5)? {
                0 => growing::growing(u),
                1 | 2 => sets::solving(u),
                _ => windows::arithmetic(u),
            };
            set.map(Input::Set)
        },
        examine: greatest::greatest,
    },
    Target {
        name: "window_sizes",
        about: "one window with at most one open size: the relation, the rules and the solver, and windows that walk along a list",
        kind: Kind::Set,
        questions: &[Question::Close],
        bytes: 64,
        generate: |u| windows::puzzle(u).map(Input::Set),
        examine: window_sizes::window_sizes,
    },
    Target {
        name: "sizes",
        about: "facts about integers: the arithmetic of sizes, trying a box of values, and of one in 32 Z3",
        kind: Kind::Operation,
        questions: &[],
        bytes: 256,
        generate: |u| Ok(Input::Operation(u.bytes(u.len())?.to_vec())),
        examine: sizes::sizes,
    },
    Target {
        name: "projection",
        about: "union and find, the naive closure of the equations, and all their indices",
        kind: Kind::System,
        questions: &[Question::Project],
        bytes: 128,
        generate: |u| systems::system(u).map(Input::System),
        examine: projection::projection,
    },
    Target {
        name: "projected_operations",
        about: "a random operation with closed shapes: solver, rules, and the naive closure of what its values say",
        kind: Kind::Operation,
        questions: &[],
        bytes: 160,
        generate: |u| Ok(Input::Operation(u.bytes(u.len())?.to_vec())),
        examine: operations::operations,
    },
    Target {
        name: "regions",
        about: "a statement with concatenated axes, windows and products: its loop nests, point by point, and the meaning of its spec",
        kind: Kind::Operation,
        questions: &[],
        bytes: 192,
        generate: |u| Ok(Input::Operation(u.bytes(u.len())?.to_vec())),
        examine: regions::regions,
    },
    Target {
        name: "gradients",
        about: "the gradients of sums, maxima and minima with windows and concatenated axes, with ties and at kinks: differences and shares by the definition",
        kind: Kind::Operation,
        questions: &[],
        bytes: 192,
        generate: |u| Ok(Input::Operation(u.bytes(u.len())?.to_vec())),
        examine: gradients::gradients,
    },
    Target {
        name: "projected_programs",
        about: "the operations of a whole program at the shapes that are inferred: solver, rules, naive closure",
        kind: Kind::Program,
        questions: &[],
        bytes: 512,
        generate: |u| match u.arbitrary()? {
            true => generate::language::language(u),
            false => generate::programs::program(u),
        },
        examine: projected_programs::projected_programs,
    },
    Target {
        name: "kernels",
        about: "one closed operation, often with windows and concatenated axes, on the interpreter and on OpenCL",
        kind: Kind::Program,
        questions: &[Question::Run],
        bytes: 256,
        generate: generate::blocks::operation,
        examine: execution::kernels,
    },
    Target {
        name: "schedules",
        about: "one closed operation with a legal schedule that is drawn at random, in guarded buffers on OpenCL: the interpreter, and f64",
        kind: Kind::Operation,
        questions: &[],
        bytes: 256,
        generate: |u| Ok(Input::Operation(u.bytes(u.len())?.to_vec())),
        examine: schedules::schedules,
    },
    Target {
        name: "program",
        about: "a program from its text to numbers: rules, solver, Z3, both engines",
        kind: Kind::Program,
        questions: &[Question::Run],
        bytes: 512,
        generate: generate::programs::program,
        examine: execution::program,
    },
    Target {
        name: "language",
        about: "functions, loops, slices, windows, gradients, sections: rules, solver and Z3, to the loop nests",
        kind: Kind::Program,
        questions: &[],
        bytes: 512,
        generate: generate::language::language,
        examine: language::language,
    },
    Target {
        name: "uses",
        about: "a program with and without a line that uses a tensor and constrains nothing: the same shapes and numbers, and no refusal",
        kind: Kind::Program,
        questions: &[],
        bytes: 512,
        generate: |u| match u.ratio(1, 8)? {
            true => generate::programs::program(u),
            false => generate::chains::chain(u),
        },
        examine: uses::uses,
    },
    Target {
        name: "closed_programs",
        about: "the closed shapes of a program: the greatest solution of its set wherever Z3 finds that there is one",
        kind: Kind::Program,
        questions: &[],
        bytes: 512,
        generate: |u| match u.int_in_range(0..=7)? {
            0 => generate::programs::program(u),
            1 => generate::language::language(u),
            _ => generate::chains::chain(u),
        },
        examine: closed_programs::closed_programs,
    },
    Target {
        name: "determined",
        about: "a program whose shapes were drawn first and taken away as far as the rest determines them: they are found",
        kind: Kind::Program,
        questions: &[],
        bytes: 256,
        generate: |u| Ok(Input::Program(generate::networks::network(u)?.to_string())),
        examine: determined::determined,
    },
    Target {
        name: "notation",
        about: "the constraint notation: places of errors, and what is printed reads back",
        kind: Kind::Text,
        questions: &[],
        bytes: 512,
        generate: generate::texts::rows,
        examine: texts::notation,
    },
    Target {
        name: "surface_parser",
        about: "the surface language: places of errors, origins of constraints",
        kind: Kind::Text,
        questions: &[],
        bytes: 768,
        generate: generate::texts::surface,
        examine: texts::surface_parser,
    },
    Target {
        name: "json",
        about: "constraint sets as JSON and back",
        kind: Kind::Text,
        questions: &[],
        bytes: 512,
        generate: generate::texts::json,
        examine: texts::json,
    },
];

impl Target {
    /// The target of that name.
    pub fn named(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// The input that these bytes encode: a readable form if they are marked as one ([`Input::to_bytes`]), else the input that
    /// the generator draws from them.
    pub fn input(&self, data: &[u8]) -> Option<Input> {
        match Input::from_bytes(self.kind, data) {
            Some(input) => input,
            None => (self.generate)(&mut Unstructured::new(data)).ok(),
        }
    }

    /// The input of a campaign with this number, which depends only on the seed and the index.
    pub fn indexed(&self, seed: u64, index: u64) -> Option<Input> {
        // Each target has its own stream, so that targets with the same generator get different inputs.
        let name = self.name.bytes().fold(seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.drawn(bytes(name, index, self.bytes))
    }

    /// The input that the generator draws from random bytes, which are never read as a readable form.
    pub fn drawn(&self, mut bytes: Vec<u8>) -> Option<Input> {
        if let Some(first) = bytes.first_mut().filter(|first| **first == READABLE) {
            *first = 0;
        }
        self.input(&bytes)
    }

    /// An input for people: where it is bytes, the statement, the loop nest or the system that is drawn from them.
    pub fn shown(&self, input: &Input) -> String {
        let statement = match input {
            Input::Operation(bytes) if self.name == "regions" => {
                let drawn = written_operation::draw(&mut Unstructured::new(bytes));
                drawn.ok().map(|statement| statement.to_string())
            }
            Input::Operation(bytes) if self.name == "schedules" => schedules::shown(bytes),
            Input::Operation(bytes) if self.name == "sizes" => Some(sizes::shown(bytes)),
            Input::Operation(bytes) if self.name == "gradients" => gradients::shown(bytes),
            _ => None,
        };
        statement.unwrap_or_else(|| input.to_string())
    }

    /// Asks the parties about an input; `None` for an input of another sort, or one about which they are silent. A party that
    /// panics is a disagreement like any other.
    pub fn examine(&self, input: &Input, parties: &mut Parties) -> Option<Comparison> {
        let examined = catch_unwind(AssertUnwindSafe(|| (self.examine)(input, parties)));
        examined.unwrap_or_else(|panic| {
            // The parties may be in an inconsistent state, so they are created anew.
            *parties = Parties::default();
            let words = panic.downcast_ref::<&str>().map(ToString::to_string);
            let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
            let disagreement = Disagreement::new("a party panics");
            Some(Comparison {
                outcome: disagreement
                    .answered("it", words.unwrap_or_default())
                    .into(),
                useful: true,
                answer: "panic",
            })
        })
    }
}
