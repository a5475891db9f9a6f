//! A program that was read, and the results of inference by the pipeline of `lozenge` or by the transcribed rules.

#[cfg(feature = "oracle")]
mod by_rules;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use lozenge::{Diagnostic, Grown, Inference, Options, Refusal, Surroundings};
use lozenge_backend::LoopNest;
use lozenge_lang::Severity;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Constraints, Program, Source as Origin, Values};
use lozenge_vocabulary::{Tag, Var, Verdict};
use serde::Serialize;
use serde_json::json;

use crate::args::{Outside, Pipeline};
use crate::files::distinct_files::Named;
use crate::files::input::{self, Source};
use crate::json::program::{About, GrownData, ProgramRefusal, Refused};
use crate::json::{Message, ShapeData};
use crate::limits::{Programs, Rules};
use crate::report::{Problem, Report};
use crate::text::places::Places;

pub use crate::text::source_view::{problem, render, render_why};
pub use lozenge::shape_text;

/// The reason why the numbers in a program refer to its own tensors and operations.
pub const READ: &str = "the program was read from its text";

/// A program that was read.
pub struct Loaded {
    pub source: Source,
    pub program: Program,
    /// True if messages show the rule that failed and how the failure was derived.
    pub why: bool,
    /// The names of printed values, by the places of their `print` lines: an output of a model has the name that it has
    /// there.
    pub called: BTreeMap<usize, String>,
    places: Places,
    /// The path of the program.
    path: PathBuf,
}

/// Reads a program.
///
/// # Errors
/// When it cannot be read, or is not a program. The problem lists all mistakes with their places.
pub fn program(path: &Path, limits: Programs) -> Result<Loaded, Problem> {
    program_with(path, &Outside::default(), limits)
}

/// Reads a program with sizes and initial values from outside. Its files are looked for in its folder.
///
/// # Errors
/// As [`program`].
pub fn program_with(path: &Path, outside: &Outside, limits: Programs) -> Result<Loaded, Problem> {
    Loaded::of_text(input::program_text(path)?, path, outside, limits)
}

impl Loaded {
    /// Reads the text of a program with sizes and initial values from outside.
    ///
    /// # Errors
    /// When it is not a program.
    pub fn of_text(
        source: Source,
        path: &Path,
        outside: &Outside,
        limits: Programs,
    ) -> Result<Loaded, Problem> {
        let surroundings = Surroundings {
            folder: Some(folder(path).to_path_buf()),
            sizes: outside.set.iter().cloned().collect(),
            normal: outside.init.is_some(),
            limits: limits.into(),
            ..Surroundings::default()
        };
        let program = lozenge::text_in(&source.text, &surroundings, &Options::default())
            .map_err(|errors| problem(&source, &errors))?;
        Ok(Loaded {
            places: Places::of(&source.text),
            source,
            program,
            why: false,
            called: BTreeMap::new(),
            path: path.to_path_buf(),
        })
    }

    /// Returns the files that were read, or will be before the program runs: the program, those that it uses, and its
    /// data.
    pub fn files(&self) -> Vec<Named> {
        let program = Named::new(format!("the program {}", self.source.name), &self.path);
        let used = self.program.used.iter();
        let used = used
            .map(|path| Named::new(format!("{}, which the program uses", path.display()), path));
        let folder = folder(&self.path);
        let data = self
            .program
            .tensors
            .iter()
            .filter_map(|tensor| match &tensor.source {
                Origin::Data(Values::Csv(csv)) => {
                    let words = format!("{}, the data of `{}`", csv.path.display(), tensor.name);
                    Some(Named::new(words, &folder.join(&csv.path)))
                }
                _ => None,
            });
        std::iter::once(program).chain(used).chain(data).collect()
    }
}

/// Returns the folder of a program.
pub fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// The results of inference for a program.
pub struct Inferred {
    /// The shape of each tensor.
    pub shapes: lozenge::Shapes,
    /// The loop nest of each operation.
    pub nests: Vec<LoopNest>,
    /// For each operation, the loops that its result does not mention, in words.
    pub contracted: Vec<Vec<String>>,
    /// Messages about parts that probably do not mean what was intended.
    pub warnings: Vec<Diagnostic>,
    /// The parameters that have axes only because of lines that do not read them.
    pub grown: Vec<Grown>,
}

impl Inferred {
    /// Says whether one of the messages is an error: the shapes fit, and the program is refused.
    pub fn is_refused(&self) -> bool {
        let error = |message: &Diagnostic| message.severity == Severity::Error;
        self.warnings.iter().any(error)
    }
}

impl Loaded {
    /// Infers the shapes and the loop nests.
    ///
    /// # Errors
    /// The refusal, as a report.
    // Without the transcribed rules their limit is not used.
    #[cfg_attr(not(feature = "oracle"), expect(unused_variables))]
    pub fn infer(&self, by: Pipeline, options: &Options, rules: Rules) -> Result<Inferred, Report> {
        match by {
            Pipeline::Solver => self.inference(options),
            #[cfg(feature = "oracle")]
            Pipeline::Spec => self.by_rules(rules),
            #[cfg(not(feature = "oracle"))]
            Pipeline::Spec => Err(Report::judged(
                Verdict::Unknown,
                "unknown: this lozenge was built without the transcribed rules (the feature `oracle`)\n",
                Refused {
                    reason: Some("built without the feature `oracle`".into()),
                    ..Refused::default()
                },
            )),
        }
    }

    /// Returns the results of the pipeline of `lozenge`. A refusal has the messages of all independent errors.
    fn inference(&self, options: &Options) -> Result<Inferred, Report> {
        let inferred = self.fitting(options)?;
        match inferred.is_refused() {
            true => Err(self.report(Verdict::Rejected, &inferred.warnings, json!({}))),
            false => Ok(inferred),
        }
    }

    /// Returns the shapes and loop nests that fit, with the errors and the warnings about what they mean. If there is
    /// an answer, the text is read only once.
    ///
    /// # Errors
    /// The report of a program that no shapes fit, or whose loops cannot be built.
    pub fn fitting(&self, options: &Options) -> Result<Inferred, Report> {
        let (program, text) = (&self.program, &self.source.text);
        match lozenge::infer(program, options) {
            Err(refusal) => {
                let messages = lozenge::diagnose(program, text, &refusal, options);
                Err(self.report(
                    refusal.verdict,
                    &messages,
                    json!(Refused::of(self.refusal_data(&refusal))),
                ))
            }
            Ok(found) => {
                let messages = lozenge::refusals(program, text, &found, options);
                Ok(Inferred {
                    warnings: messages,
                    grown: lozenge::grown(program, &found, options),
                    ..self.inferred(found)
                })
            }
        }
    }

    fn inferred(&self, found: Inference) -> Inferred {
        let operations = 0..self.program.steps.len();
        let contracted = operations.map(|operation| {
            let contractions = found.contractions(&self.program, operation);
            let contractions = contractions.iter();
            contractions
                .map(|contraction| contraction.words(&self.program, &found, operation))
                .collect()
        });
        Inferred {
            contracted: contracted.collect(),
            shapes: found.shapes,
            nests: found.nests,
            warnings: Vec::new(),
            grown: Vec::new(),
        }
    }

    /// Returns the report of a refusal: the message at its place, and the refusal as data.
    pub fn refused(&self, refusal: &Refusal) -> Report {
        let messages = [refusal.diagnostic(&self.program)];
        self.report(
            refusal.verdict,
            &messages,
            Refused::of(self.refusal_data(refusal)),
        )
    }

    fn refusal_data(&self, refusal: &Refusal) -> ProgramRefusal {
        let place = |span: &Range<usize>| self.place(span);
        ProgramRefusal::of(&self.about(&place), refusal)
    }

    /// Returns the program in the form to which JSON answers refer.
    pub fn about<'a>(&'a self, place: &'a dyn Fn(&Range<usize>) -> (usize, usize)) -> About<'a> {
        About {
            program: &self.program,
            source: &self.source.text,
            place,
        }
    }

    fn report(&self, verdict: Verdict, messages: &[Diagnostic], body: impl Serialize) -> Report {
        Report::judged(verdict, self.rendered(messages), body).with_errors(self.messages(messages))
    }

    /// Messages for people.
    pub fn rendered(&self, messages: &[Diagnostic]) -> String {
        let shown = messages.iter();
        let shown = shown.map(|message| {
            let shown = match self.why {
                true => render_why(&self.source, message),
                false => render(&self.source, message),
            };
            format!("{}\n", shown.trim_end())
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Writes a note on each parameter that grew, a line for each.
    pub fn notes(&self, inferred: &Inferred) -> String {
        let grown = self.grown_data(inferred).into_iter();
        grown
            .map(|grown| format!("note: {}\n", grown.text))
            .collect()
    }

    /// Returns the parameters that grew, as data.
    pub fn grown_data(&self, inferred: &Inferred) -> Vec<GrownData> {
        let grown = inferred.grown.iter();
        grown.map(|grown| self.grown(inferred, grown)).collect()
    }

    fn grown(&self, inferred: &Inferred, grown: &Grown) -> GrownData {
        let tensor = &self.program[grown.tensor];
        let (line, _) = self.place(&self.program.steps[grown.operation].span);
        let (name, row) = (&tensor.name, grown.kind.word());
        let [shape, before] = [&inferred.shapes[grown.tensor.0], &grown.before].map(shape_text);
        GrownData {
            text: format!(
                "`{name}` is `{shape}`: line {line} asks for its {row} axes and does not read it; without that line it is `{before}`, which a written shape keeps: `{name} : {before}`"
            ),
            tensor: name.to_string(),
            row,
            line,
            shape: ShapeData::from(&inferred.shapes[grown.tensor.0]),
            before: ShapeData::from(&grown.before),
        }
    }

    /// Messages for programs.
    pub fn messages(&self, messages: &[Diagnostic]) -> Vec<Message> {
        let messages = messages.iter();
        let messages = messages.map(|message| Message::of(&self.source, message));
        messages.collect()
    }

    /// Returns the constraints of the program in the vocabulary.
    pub fn constraints(&self) -> Constraints {
        self.program.constraints().expect(READ)
    }

    /// Returns the line and the column of a part of the program, both from 1, the column in characters.
    pub fn place(&self, span: &Range<usize>) -> (usize, usize) {
        self.places.place(&self.source.text, span.start)
    }

    /// Returns the line of a part of the program, without the spaces around it. Of a long line it is what follows from
    /// the part on, cut where it is too long to be read.
    pub fn line_of(&self, span: &Range<usize>) -> String {
        const LONGEST: usize = 160;
        let text = &self.source.text;
        let line = self.places.line(text, span.start);
        let whole = text[line.clone()].trim();
        if whole.len() <= LONGEST {
            return whole.to_string();
        }
        let rest = text[span.start..line.end.max(span.start)].trim_end();
        let before = if text[line.start..span.start].trim().is_empty() {
            ""
        } else {
            "… "
        };
        match rest.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{before}{}…", &rest[..end]),
            None => format!("{before}{rest}"),
        }
    }

    /// Returns the meaning of a variable: a row of a tensor, or a part of the spec of an operation.
    pub fn purpose(&self, var: &Var) -> Option<String> {
        self.tensor_row(var).or_else(|| self.part_of_spec(var))
    }

    /// Reads the name of a variable of a spec, which has its label and the number of the operation: `h'2`.
    fn part_of_spec(&self, var: &Var) -> Option<String> {
        let (name, what) = match var {
            Var::Row(var) => (var.name(), "row variable"),
            Var::Dim(var) => (var.name(), "label"),
        };
        let (label, number) = name.split_once('\'')?;
        let number = number.parse::<usize>().ok()?.checked_sub(1)?;
        let (line, _) = self.place(&self.program.steps.get(number)?.span);
        Some(format!("the {what} `{label}` of the spec on line {line}"))
    }

    /// Returns the row of a tensor that a variable stands for.
    pub fn tensor_row(&self, var: &Var) -> Option<String> {
        let Var::Row(var) = var else {
            return None;
        };
        self.program.tensors.iter().find_map(|tensor| {
            let own = |kind: &Kind| tensor.shape.row(*kind).var.as_ref() == Some(var);
            let kind = Kind::ALL.into_iter().find(own)?;
            let tag = match tensor.tag {
                Tag::Param => "parameter ",
                Tag::Leaf => "leaf ",
                Tag::Interior => "",
            };
            Some(format!("the {} row of {tag}`{}`", kind.word(), tensor.name))
        })
    }
}
