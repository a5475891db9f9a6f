//! A program taken through the transcribed rules: shapes, closing, projections, loop nests.

use lozenge_backend::LoopNest;
use lozenge_fuzz::execution;
use lozenge_lang::Diagnostic;
use lozenge_spec::cause::Failure;
use lozenge_spec::projection_solver::Solved;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::Rule;
use lozenge_vocabulary::operation::{Kind, Shape};
use lozenge_vocabulary::program::{Constraints, Program};
use lozenge_vocabulary::{DimTerm, Row, RowTerm, Substitution, Tag, Var};
use serde_json::{Value, json};
use std::ops::Range;
use std::path::Path;

use crate::input::{self, Source};
use crate::report::{Problem, Report, Status};

/// A program that was read.
pub struct Loaded {
    pub source: Source,
    pub program: Program,
    pub constraints: Constraints,
}

/// Reads a program.
///
/// # Errors
/// When it cannot be read, or is not a program: every mistake, each at its place.
pub fn program(path: &Path) -> Result<Loaded, Problem> {
    let source = input::read(path)?;
    let program =
        lozenge_lang::parse(&source.text).map_err(|diagnostics| problem(&source, &diagnostics))?;
    let constraints = program.constraints();
    Ok(Loaded {
        source,
        program,
        constraints,
    })
}

pub use crate::source_view::{problem, render};

/// What was inferred of a program.
pub struct Inferred {
    /// The shape of each tensor.
    pub shapes: Vec<Shape<Row>>,
    /// For each operation, its product space and index maps, and the axes behind each factor.
    pub solved: Vec<Solved>,
    /// The loop nest of each operation.
    pub nests: Vec<LoopNest>,
}

impl Loaded {
    /// Infers shapes, closes them, and infers the loop nest of each operation.
    ///
    /// # Errors
    /// The refusal, as a report.
    pub fn infer(&self) -> Result<Inferred, Report> {
        let options = Options {
            close: true,
            traced: false,
            ..Options::default()
        };
        let run = solve(&self.constraints.set, &options);
        let Some(gamma) = run.greatest() else {
            return Err(match run.failure() {
                Some(failure) => self.refusal(failure, &run.config.bindings),
                None => self.plain_refusal("the limit on work was reached", Status::Unknown),
            });
        };
        let row = |term: &RowTerm| gamma.row(term).unwrap_or_default();
        let shapes: Vec<Shape<Row>> = self
            .program
            .tensors
            .iter()
            .map(|tensor| tensor.shape.map(|_, term| row(term)))
            .collect();
        let mut inferred = Inferred {
            shapes,
            solved: Vec::new(),
            nests: Vec::new(),
        };
        for at in 0..self.program.steps.len() {
            let (solved, nest) = self.nest(at, &inferred.shapes)?;
            inferred.solved.push(solved);
            inferred.nests.push(nest);
        }
        Ok(inferred)
    }

    fn nest(&self, at: usize, shapes: &[Shape<Row>]) -> Result<(Solved, LoopNest), Report> {
        execution::nest(&self.program, at, shapes).map_err(|message| {
            let span = self.program.steps[at].span.clone();
            let diagnostic = Diagnostic::new(span, message, "this operation has no loop nest");
            self.report_of(&diagnostic, json!({}), Status::Refused)
        })
    }

    /// A refusal with every statement that led to it, at its place.
    fn refusal(&self, failure: &Failure, bindings: &Substitution) -> Report {
        let origins = &self.constraints.origins;
        let mut chain: Vec<usize> = failure
            .inputs
            .iter()
            .copied()
            .filter(|i| *i < origins.len())
            .collect();
        let last = chain.pop();
        let message = format!("{}: {}", failure.verdict(), failure.reason);
        let (span, label) = match last {
            Some(index) => (origins[index].span.clone(), origins[index].words.clone()),
            None => self.owner(failure, bindings),
        };
        let diagnostic = Diagnostic::new(span, message, label);
        let mut help = format!(
            "rule {} ({}) fails on `{}`",
            failure.rule,
            failure.rule.source(),
            failure.constraint
        );
        for index in &chain {
            let origin = &origins[*index];
            let (line, column) = self.place(&origin.span);
            help.push_str(&format!(
                "\nbecause of line {line}, column {column}: {}",
                origin.words
            ));
        }
        for purpose in self.purposes(failure) {
            help.push_str(&format!("\n{purpose}"));
        }
        if failure.rule == Rule::CloseLeaf {
            help.push_str("\nsay the size: a spec that gives the axis the label of a data axis makes them equal");
        }
        for commitment in &failure.commitments {
            help.push_str(&format!("\nafter the policy step {commitment}"));
        }
        let diagnostic = diagnostic.help(help);
        let chain: Vec<Value> = failure
            .inputs
            .iter()
            .filter_map(|index| Some((origins.get(*index)?, &self.constraints.set.constraints[*index])))
            .map(|(origin, constraint)| {
                let (line, column) = self.place(&origin.span);
                json!({"constraint": constraint, "says": origin.words, "line": line, "column": column})
            })
            .collect();
        let json = json!({"failure": failure, "chain": chain, "purposes": self.purposes(failure)});
        self.report_of(&diagnostic, json, failure.verdict().into())
    }

    /// The line and the column of a part of the program, from 1.
    pub fn place(&self, span: &Range<usize>) -> (usize, usize) {
        Diagnostic::new(span.clone(), "", "").place(&self.source.text)
    }

    /// What the variables of the failing constraint are for.
    fn purposes(&self, failure: &Failure) -> Vec<String> {
        failure
            .constraint
            .vars()
            .iter()
            .filter_map(|var| Some(format!("{var} is {}", self.purpose(var)?)))
            .collect()
    }

    /// What a variable is for: a row of a tensor, or a part of the spec of an operation.
    pub fn purpose(&self, var: &Var) -> Option<String> {
        self.tensor_row(var).or_else(|| self.part_of_spec(var))
    }

    /// A variable of a spec is named after its label and the number of the operation: `h'2`.
    fn part_of_spec(&self, var: &Var) -> Option<String> {
        let (name, what) = match var {
            Var::Row(var) => (var.name(), "row variable"),
            Var::Dim(var) => (var.name(), "label"),
        };
        let (label, number) = name.split_once('\'')?;
        let step = self
            .program
            .steps
            .get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        let (line, _) = self.place(&step.span);
        Some(format!("the {what} `{label}` of the spec on line {line}"))
    }

    /// The row of a tensor that a variable stands for; one that a rule minted is named after it.
    pub fn tensor_row(&self, var: &Var) -> Option<String> {
        let name = match var {
            Var::Row(var) => var.name(),
            Var::Dim(var) => var.name(),
        };
        let stem = name.split('\'').next().unwrap_or(name);
        let matches = |own: &str| own == name || (name.contains('\'') && own == stem);
        self.program.tensors.iter().find_map(|tensor| {
            let kind = Kind::ALL.into_iter().find(|kind| {
                tensor
                    .shape
                    .row(*kind)
                    .var
                    .as_ref()
                    .is_some_and(|own| matches(own.name()))
            })?;
            let tag = match tensor.tag {
                Tag::Param => "parameter ",
                Tag::Leaf => "leaf ",
                Tag::Interior => "",
            };
            let part = if matches!(var, Var::Dim(_)) {
                "an axis of "
            } else {
                ""
            };
            Some(format!(
                "{part}the {} row of {tag}`{}`",
                kind.word(),
                tensor.name
            ))
        })
    }

    /// A failure with no statement behind it is about a tensor's own row: the hole of a parameter. The variable
    /// may be one that the row was bound to.
    fn owner(&self, failure: &Failure, bindings: &Substitution) -> (Range<usize>, String) {
        let vars = failure.constraint.vars();
        for tensor in self
            .program
            .tensors
            .iter()
            .filter(|tensor| tensor.tag == Tag::Param)
        {
            for kind in Kind::ALL {
                let row = bindings.row(tensor.shape.row(kind));
                let letters: Vec<&DimTerm> = row.axes().collect();
                for var in &vars {
                    let place = letters.iter().position(|axis| axis.mentions(var));
                    let what = match place {
                        Some(axis) => format!("axis {axis} of its {} row", kind.word()),
                        None if row.mentions(var) => format!("its {} row", kind.word()),
                        None => continue,
                    };
                    let label =
                        format!("the parameter `{}`: nothing determines {what}", tensor.name);
                    return (tensor.span.clone(), label);
                }
            }
        }
        (0..0, String::new())
    }

    fn plain_refusal(&self, message: &str, status: Status) -> Report {
        Report {
            text: format!("unknown: {message}\n"),
            json: json!({"verdict": "unknown", "reason": message}),
            status,
        }
    }

    fn report_of(&self, diagnostic: &Diagnostic, mut json: Value, status: Status) -> Report {
        let (line, column) = diagnostic.place(&self.source.text);
        json["verdict"] = json!(diagnostic.message.split(':').next());
        json["message"] = json!(diagnostic.message);
        json["line"] = json!(line);
        json["column"] = json!(column);
        Report {
            text: format!("{}\n", render(&self.source, diagnostic).trim_end()),
            json,
            status,
        }
    }
}

/// A shape as it is written in a program: `batch|input->output`, empty rows left out.
pub fn shape_text(shape: &Shape<Row>) -> String {
    let row = |row: &Row| {
        let text = row.to_string();
        text[1..text.len() - 1].to_string()
    };
    let (batch, input, output) = (row(&shape.batch), row(&shape.input), row(&shape.output));
    let bar = if shape.batch.rank() == 0 {
        String::new()
    } else {
        format!("{batch}|")
    };
    format!("{bar}{input}->{output}")
}
