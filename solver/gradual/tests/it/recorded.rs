//! Recorded runs of models, and how answers are held against them.
//!
//! A record is a model with the shapes of its inputs and of its outputs, or that the run is refused. The scripts that
//! made the files are in `fuzz/models`; the first line of each file names its script, versions of packages and date.

use base64::Engine;
use lozenge_gradual_solver::{Answer, Given, Options, Point, PointAnswer, Sizes};
use lozenge_graph::{Graph, Limits};
use lozenge_graph_vocabulary::{ElementType, Type};
use serde::Deserialize;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// A model with runs.
#[derive(Debug, Deserialize)]
pub struct Record {
    /// The name, which tells models apart.
    pub name: String,
    model: String,
    /// The shapes of the inputs with those of the outputs, or nothing where the run is refused.
    pub runs: Vec<Run>,
}

/// The inputs of a run, and the shapes of its outputs if it is not refused.
pub type Run = (Vec<Feed>, Option<Vec<Vec<i128>>>);

/// The value that an input of a run gets.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum Feed {
    /// A tensor with these sizes.
    Sizes(Vec<u64>),
    /// A tensor of rank 0 with this integer.
    Number(i64),
    /// A tensor of rank 1 with these integers.
    List {
        /// The integers.
        values: Vec<i64>,
    },
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sizes(sizes) => sizes.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::List { values } => write!(f, "values {values:?}"),
        }
    }
}

impl Feed {
    /// Says whether the tensor has no element.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Sizes(sizes) if sizes.contains(&0))
    }
}

/// The relation of an answer to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The same as the run.
    Agrees,
    /// Less: the operator, the verdict or the shape of an output is not known, for the stated reason.
    Open(String),
    /// Something else.
    Wrong(String),
}

/// Reads the records of a compressed file, without its first line.
pub fn read(name: &str) -> Vec<Record> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recorded")
        .join(name);
    let file =
        std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    lines
        .skip(1)
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

impl Record {
    /// Gives the bytes of the model's file.
    pub fn content(&self) -> Vec<u8> {
        base64::engine::general_purpose::STANDARD
            .decode(&self.model)
            .unwrap()
    }

    /// Reads the graph of the model.
    pub fn graph(&self) -> Graph {
        lozenge_graph::read(self.content(), &Limits::default())
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Names the operators of the model.
    pub fn operators(&self) -> Vec<String> {
        self.graph()
            .main()
            .nodes
            .iter()
            .map(|node| node.operator.name.clone())
            .collect()
    }

    /// Answers every run by its numbers.
    pub fn outcomes_at_points(&self) -> Vec<Outcome> {
        let graph = self.graph();
        let options = Options::default();
        let points = self.points(&graph);
        points
            .iter()
            .zip(&self.runs)
            .map(|(point, run)| at_point(&Sizes::at(&graph, &options, point), run.1.as_deref()))
            .collect()
    }

    /// Answers every run by its numbers, and by the set for all sizes where all are at least 1.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let graph = self.graph();
        let points = self.points(&graph);
        let answer = Sizes::of(Arc::new(graph), &Options::default());
        let each = points
            .iter()
            .zip(&self.runs)
            .map(|(point, (shapes, outputs))| {
                match at_point(&answer.at(point), outputs.as_deref()) {
                    Outcome::Agrees if !shapes.iter().any(Feed::is_empty) => {
                        in_set(&answer, point, outputs.is_some())
                    }
                    outcome => outcome,
                }
            });
        each.collect()
    }

    /// Returns the points of the runs. Where a script names no value it gives integers the value 0, and the value of a
    /// single one is asked about with the sizes.
    fn points(&self, graph: &Graph) -> Vec<Point> {
        let inputs: Vec<_> = graph.main().inputs.iter().map(|id| &graph[*id]).collect();
        let given = |declared: &Type, feed: &Feed| match (feed, declared.element()) {
            (Feed::Number(number), _) => Given::Number(*number),
            (Feed::List { values }, _) => Given::Sizes(vec![values.len() as u64]),
            (Feed::Sizes(sizes), Some(element))
                if sizes.is_empty() && (element.is_integer() || element == ElementType::Bool) =>
            {
                Given::Number(0)
            }
            (Feed::Sizes(sizes), _) => Given::Sizes(sizes.clone()),
        };
        let each = self.runs.iter().map(|(shapes, _)| {
            let mut point = Point::new();
            for (input, feed) in inputs.iter().zip(shapes) {
                point.insert(input.name.clone(), given(&input.declared, feed));
                if let Feed::List { values } = feed {
                    let each = values.iter().enumerate();
                    point.extend(each.map(|(at, value)| {
                        (format!("{}({at})", input.name), Given::Number(*value))
                    }));
                }
            }
            point
        });
        each.collect()
    }
}

/// Compares the answer for one point with a run.
fn at_point(answer: &PointAnswer, outputs: Option<&[Vec<i128>]>) -> Outcome {
    match (answer.admitted, outputs) {
        (None, _) if !answer.unknown.is_empty() => Outcome::Open("no shape function".to_owned()),
        (None, _) if answer.limits.is_empty() => Outcome::Open("not specified".to_owned()),
        (None, _) => Outcome::Open(format!("{:?}", answer.limits)),
        (Some(false), None) => Outcome::Agrees,
        (Some(true), None) => Outcome::Wrong(format!(
            "admitted, with the outputs {:?}, and the run is refused",
            sizes(answer)
        )),
        (Some(false), Some(outputs)) => {
            let words: Vec<&str> = answer
                .refusals
                .iter()
                .map(|refusal| refusal.words.as_str())
                .collect();
            Outcome::Wrong(format!(
                "refused ({}), and the run gives {outputs:?}",
                words.join("; ")
            ))
        }
        (Some(true), Some(outputs)) => {
            let own = sizes(answer);
            if own.len() != outputs.len()
                || own
                    .iter()
                    .zip(outputs)
                    .any(|(own, run)| own.is_some_and(|own| own != run))
            {
                Outcome::Wrong(format!(
                    "the outputs {own:?}, and the run gives {outputs:?}"
                ))
            } else if own.contains(&None) {
                Outcome::Open("a shape is not known".to_owned())
            } else {
                Outcome::Agrees
            }
        }
    }
}

fn sizes(answer: &PointAnswer) -> Vec<Option<&Vec<i128>>> {
    answer
        .outputs
        .iter()
        .map(|(_, sizes)| sizes.as_ref())
        .collect()
}

/// Compares membership in the set with a run.
fn in_set(answer: &Answer, point: &Point, runs: bool) -> Outcome {
    match answer.set_holds(point) {
        Some(holds) if holds == runs => Outcome::Agrees,
        Some(true) if !answer.unknown_operators().is_empty() => {
            Outcome::Open("the set is an upper bound".to_owned())
        }
        Some(false) if !answer.limits().is_empty() => Outcome::Open(answer.limits()[0].to_string()),
        Some(holds) => Outcome::Wrong(format!(
            "the set {} a point that {}",
            if holds { "holds" } else { "lacks" },
            if runs { "runs" } else { "is refused" }
        )),
        None => Outcome::Open("the set does not decide".to_owned()),
    }
}
