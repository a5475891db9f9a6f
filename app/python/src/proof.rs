//! Proofs that a model takes all sizes of a pattern.
//!
//! The pattern becomes a graph without nodes whose inputs are those of the model, with conditions on their sizes. The
//! set of all its sizes is written down, and the model has to admit each of them: the comparison of a lock file, which
//! finds sizes that are refused if there are some.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_gradual_solver::{
    Answer, Given, LockDifference, LockError, Options, Point, Relax, Report, Sizes, Verdict,
};
use lozenge_gradual_vocabulary::{Condition, Quantity, Relation, Sum};
use lozenge_graph_vocabulary::{BodyId, DeclaredSize, Format, Graph, GraphBuilder, Type};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};

use crate::conditions::read_conditions;
use crate::errors;
use crate::linear::Linear;
use crate::matching;
use crate::pattern::{Axis, Pattern, Size, shown};
use crate::point::{self, is_input};

/// The statement to be proved.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The names of sizes.
    names: Vec<String>,
    /// The pattern of each input that has one.
    inputs: BTreeMap<String, Vec<Axis>>,
    /// The values of integer inputs.
    numbers: BTreeMap<String, i64>,
    /// The pattern of each output that has one.
    outputs: BTreeMap<String, Vec<Axis>>,
    /// The conditions on the sizes.
    conditions: Vec<Condition>,
}

/// The outcome of a proof that failed.
#[derive(Debug)]
pub enum Failure {
    /// Sizes that are refused, or have other outputs.
    Refuted {
        message: String,
        nodes: Vec<String>,
        witness: Option<Point>,
        notes: Vec<String>,
    },
    /// A limit was reached.
    Unknown(String),
    /// The pattern cannot be compared with the model.
    Pattern(String),
}

impl Failure {
    /// Makes the exception.
    pub fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Refuted {
                message,
                nodes,
                witness,
                notes,
            } => errors::shape(py, message, nodes, witness.as_ref(), notes),
            Failure::Unknown(message) => errors::unknown(py, message),
            Failure::Pattern(message) => PyValueError::new_err(message.clone()),
        }
    }
}

impl Wanted {
    /// Reads what is to be proved.
    ///
    /// # Errors
    /// `ValueError` where a pattern is none, or names no input or output; `TypeError` where it is no text.
    pub fn read(
        inputs: &Bound<'_, PyDict>,
        outputs: &Bound<'_, PyDict>,
        conditions: &str,
        graph: &Graph,
    ) -> PyResult<Wanted> {
        let mut pattern = Pattern::default();
        let mut wanted = Wanted {
            names: Vec::new(),
            inputs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            outputs: BTreeMap::new(),
            conditions: read_conditions(conditions)?,
        };
        for (name, value) in inputs.iter() {
            let name: String = name.extract()?;
            is_input(&name, graph)?;
            if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
                let number = value.extract().map_err(|_| {
                    PyValueError::new_err(format!("`{name}`: the number has more than 64 bits"))
                })?;
                wanted.numbers.insert(name, number);
                continue;
            }
            let (axes, all) = one(pattern, &name, &value)?;
            pattern = all;
            wanted.inputs.insert(name, axes);
        }
        for (name, value) in outputs.iter() {
            let name: String = name.extract()?;
            let all = graph.main().outputs.iter();
            let all: Vec<&str> = all.map(|output| output.name.as_str()).collect();
            if !all.contains(&name.as_str()) {
                return Err(PyValueError::new_err(format!(
                    "the model has no output `{name}`: its outputs are {}",
                    all.join(", ")
                )));
            }
            let (axes, all) = one(pattern, &name, &value)?;
            pattern = all;
            wanted.outputs.insert(name, axes);
        }
        wanted.names = pattern.names;
        Ok(wanted)
    }

    /// Returns the pattern as a text.
    fn shown(&self) -> String {
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|(name, axes)| format!("{name} : [{}]", shown(axes, &self.names)));
        let numbers = self.numbers.iter();
        let numbers = numbers.map(|(name, number)| format!("{name} = {number}"));
        let conditions = self.conditions.iter().map(ToString::to_string);
        let all: Vec<String> = inputs.chain(numbers).chain(conditions).collect();
        all.join(", ")
    }

    /// Returns the names to which a condition gives 0 by name: `b >= 0`, `b = 0`.
    fn zeros(&self) -> Vec<usize> {
        let named = self.names.iter().enumerate();
        let named = named.filter(|(_, name)| {
            self.conditions
                .iter()
                .any(|condition| names_zero(condition, name))
        });
        named.map(|(at, _)| at).collect()
    }
}

/// Reads the pattern of one input or output.
fn one(pattern: Pattern, name: &str, value: &Bound<'_, PyAny>) -> PyResult<(Vec<Axis>, Pattern)> {
    let text: String = value.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "`{name}` is a {}: give a pattern, as \"b 3 h w\", or the number of an integer input",
            point::kind(value)
        ))
    })?;
    let before = pattern.inputs.len();
    let mut all = pattern.and(&text).map_err(matching::wrong)?;
    match (all.inputs.pop(), all.inputs.len() == before, &all.outputs) {
        (Some(axes), true, None) => Ok((axes, all)),
        _ => Err(PyValueError::new_err(format!(
            "`{name}`: `{text}` has more than one shape"
        ))),
    }
}

/// Returns the names of sizes and integers in conditions.
fn names(conditions: &[Condition]) -> Vec<String> {
    let sums = conditions.iter();
    let mut waiting: Vec<&Sum> = sums.flat_map(|one| [&one.left, &one.right]).collect();
    let mut names = Vec::new();
    while let Some(sum) = waiting.pop() {
        for (quantity, _) in &sum.parts {
            match quantity {
                Quantity::Named(name) => names.push(name.clone()),
                Quantity::Remainder(inside, _) => waiting.push(inside),
                Quantity::Axis { .. } | Quantity::Rank(_) => {}
            }
        }
    }
    names
}

fn no_such_size(name: &str, wanted: &Wanted) -> Failure {
    Failure::Pattern(format!(
        "where: nothing is called `{name}`: there are the sizes {} of the pattern, and those of the inputs",
        wanted.names.join(", ")
    ))
}

/// Tells whether a condition compares just this name with 0, or with -1, so that 0 is among its values.
fn names_zero(condition: &Condition, name: &str) -> bool {
    let is_name =
        |sum: &Sum| sum.number == 0 && sum.parts == [(Quantity::Named(name.to_owned()), 1)];
    let (left, right) = (&condition.left, &condition.right);
    let (relation, other) = match (is_name(left), is_name(right)) {
        (true, _) => (condition.relation, right),
        (_, true) => (turned(condition.relation), left),
        _ => return false,
    };
    match other.as_number() {
        Some(0) => matches!(relation, Relation::Equal | Relation::AtLeast),
        Some(-1) => relation == Relation::Greater,
        _ => false,
    }
}

/// Returns the relation with its sides exchanged.
fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::AtMost => Relation::AtLeast,
        Relation::Greater => Relation::Less,
        Relation::AtLeast => Relation::AtMost,
        same => same,
    }
}

/// The largest number of names that may be 0: each choice of them is asked apart.
const MOST_ZEROS: usize = 6;

/// Proves that a model takes all sizes of a pattern, with the outputs that are written, and returns what was taken for
/// granted. Conditions of the options are not looked at: all that is asked stands in the pattern.
///
/// # Errors
/// The reason why there is no proof.
pub fn prove(
    graph: &Arc<Graph>,
    options: &Options,
    wanted: &Wanted,
) -> Result<Vec<(String, String)>, Failure> {
    let zeros = wanted.zeros();
    if zeros.len() > MOST_ZEROS {
        return Err(Failure::Unknown(format!(
            "more than {MOST_ZEROS} sizes may be 0"
        )));
    }
    let mut granted = Vec::new();
    for choice in 0..1u32 << zeros.len() {
        let chosen = zeros.iter().enumerate();
        let zero: Vec<usize> = chosen
            .filter(|(at, _)| choice >> at & 1 == 1)
            .map(|(_, name)| *name)
            .collect();
        granted = prove_where(graph, options, wanted, &zero)?;
    }
    Ok(granted)
}

/// Proves the same for sizes of which these are 0 and no others.
fn prove_where(
    graph: &Arc<Graph>,
    options: &Options,
    wanted: &Wanted,
    zero: &[usize],
) -> Result<Vec<(String, String)>, Failure> {
    let asked = Asked::new(graph, options, wanted, zero)?;
    let all = Options {
        relax: Relax::Nothing,
        conditions: asked.conditions.clone(),
    };
    let mut every = Sizes::of(Arc::new(asked.empty(graph)), &all);
    match every.verdict() {
        Verdict::Unsat if zero.is_empty() => {
            return Err(Failure::Pattern(format!(
                "no sizes are those of the pattern: {}",
                wanted.shown()
            )));
        }
        // Zero is not left by the other conditions.
        Verdict::Unsat => return Ok(Vec::new()),
        Verdict::Unknown => return Err(limits(&every.limits())),
        Verdict::Sat => {}
    }
    let lock = every.lock().map_err(|error| unknown(&error))?;
    let own = Options::default();
    let model = Arc::new(asked.model(graph));
    let mut answer = Sizes::of(model.clone(), &own);
    if let Some((operator, node)) = answer.unknown_operators().first() {
        return Err(Failure::Unknown(format!(
            "the shapes of `{operator}` are not known (`{node}`), so nothing can be proved for all sizes"
        )));
    }
    let found = answer.against(&lock).map_err(|error| unknown(&error))?;
    if let Some(difference) = found.differences.into_iter().next() {
        return Err(refuted(&mut answer, wanted, difference));
    }
    for (name, axes) in &wanted.outputs {
        asked.output(&model, &own, (name, axes), wanted)?;
    }
    Ok(answer.assumptions())
}

/// Says which limit was reached.
fn limits(limits: &[lozenge_gradual_solver::Limit]) -> Failure {
    let words: Vec<String> = limits.iter().map(ToString::to_string).collect();
    Failure::Unknown(match words.is_empty() {
        true => "the sizes of the pattern are not decided".to_owned(),
        false => words.join("; "),
    })
}

fn unknown(error: &LockError) -> Failure {
    Failure::Unknown(error.to_string())
}

/// Tells of sizes that are refused.
fn refuted(answer: &mut Answer, wanted: &Wanted, difference: LockDifference) -> Failure {
    let Some(witness) = difference.witness else {
        return Failure::Refuted {
            message: difference.words,
            nodes: Vec::new(),
            witness: None,
            notes: Vec::new(),
        };
    };
    let found = answer.at(&witness);
    let mut nodes = Vec::new();
    let mut notes = vec![format!("the pattern: {}", wanted.shown())];
    for refusal in &found.refusals {
        match refusal.node.is_empty() {
            true => notes.push(refusal.words.clone()),
            false => {
                nodes.push(refusal.node.clone());
                notes.push(format!(
                    "`{}` ({}): {}",
                    refusal.node, refusal.operator, refusal.words
                ));
            }
        }
    }
    for near in answer.nearest(&witness) {
        let sides: Vec<String> = [near.below, near.above]
            .into_iter()
            .flatten()
            .map(|size| size.to_string())
            .collect();
        if !sides.is_empty() {
            notes.push(format!(
                "admitted with {} = {}",
                near.axis,
                sides.join(" or ")
            ));
        }
    }
    Failure::Refuted {
        message: format!("the model refuses {}", point::shown(&witness)),
        nodes,
        witness: Some(witness),
        notes,
    }
}

/// The question in the terms of the solver: the declared sizes of each input, and conditions on them.
struct Asked {
    /// The declared types of the inputs as the pattern has them.
    pattern: Vec<Type>,
    /// The declared types as the model has them, of the rank that the pattern gives where the model declares none.
    model: Vec<Type>,
    conditions: Vec<Condition>,
    linear: Linear,
}

impl Asked {
    fn new(
        graph: &Arc<Graph>,
        options: &Options,
        wanted: &Wanted,
        zero: &[usize],
    ) -> Result<Asked, Failure> {
        let mut asked = Asked {
            pattern: Vec::new(),
            model: Vec::new(),
            conditions: Vec::new(),
            linear: Linear::default(),
        };
        let mut axes: Vec<(String, usize, Size)> = Vec::new();
        for id in &graph.main().inputs {
            let (name, declared) = (&graph[*id].name, &graph[*id].declared);
            let relaxed = match &options.relax {
                Relax::Nothing => false,
                Relax::All => true,
                Relax::Inputs(names) => names.contains(name),
            };
            let (of_model, of_pattern) = match wanted.inputs.get(name) {
                Some(written) => typed(name, declared, written, (relaxed, zero), &mut axes)?,
                None => untyped(declared, relaxed),
            };
            asked.pattern.push(of_pattern);
            asked.model.push(of_model);
        }
        for (name, number) in &wanted.numbers {
            asked.conditions.push(Condition {
                left: Sum::of(Quantity::Named(name.clone())),
                relation: Relation::Equal,
                right: Sum::number(i128::from(*number)),
            });
        }
        asked.linear = Linear::new(&wanted.names, &axes, &wanted.conditions, zero)
            .map_err(Failure::Pattern)?;
        asked.conditions.extend(asked.linear.conditions.clone());
        let is_known = |name: &str| {
            let inputs = graph.main().inputs.iter();
            wanted.names.iter().any(|known| known == name)
                || inputs.clone().any(|id| graph[*id].name == name)
        };
        if let Some(name) = names(&wanted.conditions)
            .into_iter()
            .find(|name| !is_known(name))
        {
            return Err(no_such_size(&name, wanted));
        }
        let own = asked.empty(graph);
        let options = Options {
            conditions: asked.conditions.clone(),
            ..Options::default()
        };
        match Answer::unknown_name(&own, &options) {
            None => Ok(asked),
            Some(name) => Err(no_such_size(&name, wanted)),
        }
    }

    /// Returns the graph without nodes that takes all sizes of the pattern.
    fn empty(&self, graph: &Graph) -> Graph {
        let mut builder = GraphBuilder::new(Format::Onnx);
        for (id, declared) in graph.main().inputs.iter().zip(&self.pattern) {
            builder.input(BodyId::MAIN, graph[*id].name.as_str(), declared.clone());
        }
        builder.finish()
    }

    /// Returns the graph of the model with the declarations that are asked about.
    fn model(&self, graph: &Graph) -> Graph {
        let mut model = graph.clone();
        let inputs = graph.main().inputs.iter();
        for (id, declared) in inputs.zip(&self.model) {
            model.values[id.index()].declared = declared.clone();
        }
        model
    }

    /// Proves that an output has the sizes that are written.
    fn output(
        &self,
        model: &Arc<Graph>,
        own: &Options,
        (name, axes): (&str, &[Axis]),
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        let rest = axes.iter().position(|axis| *axis == Axis::Rest);
        let rank = (axes.len() - usize::from(rest.is_some())) as i128;
        let relation = match rest {
            None => Relation::Differs,
            Some(_) => Relation::Less,
        };
        let rank = Condition {
            left: Sum::of(Quantity::Rank(name.to_owned())),
            relation,
            right: Sum::number(rank),
        };
        self.never(model, own, rank, (name, axes), wanted)?;
        for (at, axis) in axes.iter().enumerate() {
            let Axis::Size(size) = axis else { continue };
            let place = match rest {
                Some(rest) if at > rest => at as i64 - axes.len() as i64,
                _ => at as i64,
            };
            let quantity = Quantity::Axis {
                of: name.to_owned(),
                at: place,
            };
            let differs = self.linear.differs(quantity, size);
            let differs = differs.map_err(Failure::Pattern)?;
            self.never(model, own, differs, (name, axes), wanted)?;
        }
        Ok(())
    }

    /// Proves that a condition holds for no sizes of the pattern.
    fn never(
        &self,
        model: &Arc<Graph>,
        own: &Options,
        condition: Condition,
        (name, axes): (&str, &[Axis]),
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        let conditions = self.conditions.iter().cloned();
        let options = Options {
            relax: Relax::Nothing,
            conditions: conditions.chain([condition]).collect(),
        };
        let mut answer = Sizes::of(model.clone(), &options);
        match answer.verdict() {
            Verdict::Unsat => Ok(()),
            Verdict::Unknown => Err(limits(&answer.limits())),
            Verdict::Sat => {
                let witness = example(&answer.report(), model);
                let found = witness
                    .as_ref()
                    .map(|witness| Sizes::at(model, own, witness).outputs)
                    .and_then(|outputs| outputs.into_iter().find(|(other, _)| other == name)?.1);
                let found = found.map_or(String::new(), |sizes| format!(" is {sizes:?} and"));
                let at = witness.as_ref().map_or(String::new(), |witness| {
                    format!(" at {}", point::shown(witness))
                });
                Err(Failure::Refuted {
                    message: format!(
                        "the output `{name}`{found} is not [{}]{at}",
                        shown(axes, &wanted.names)
                    ),
                    nodes: Vec::new(),
                    witness,
                    notes: vec![format!("the pattern: {}", wanted.shown())],
                })
            }
        }
    }
}

/// Returns the sizes of inputs in an example of a report; nothing where one is not a number of the report.
fn example(report: &Report, graph: &Graph) -> Option<Point> {
    let case = report.cases.first()?;
    let symbols = &case.boxes.first()?.symbols;
    let number = |text: &str| -> Option<i128> {
        let symbol = symbols.iter().find(|symbol| symbol.name == text);
        match symbol {
            Some(symbol) => symbol.example,
            None => text.parse().ok(),
        }
    };
    let mut point = Point::new();
    for (id, shape) in graph.main().inputs.iter().zip(&case.inputs) {
        let inside = shape.shape.strip_prefix('[')?.strip_suffix(']')?;
        let parts = inside.split(", ").filter(|part| !part.is_empty());
        let sizes: Option<Vec<u64>> = parts
            .map(|part| number(part).and_then(|size| u64::try_from(size).ok()))
            .collect();
        point.insert(graph[*id].name.clone(), Given::Sizes(sizes?));
    }
    Some(point)
}

/// Returns the declared types of an input in the model and in the pattern.
fn typed(
    name: &str,
    declared: &Type,
    written: &[Axis],
    (relaxed, zero): (bool, &[usize]),
    axes: &mut Vec<(String, usize, Size)>,
) -> Result<(Type, Type), Failure> {
    let rest = written.iter().position(|axis| *axis == Axis::Rest);
    let known = declared.sizes().map(<[DeclaredSize]>::len);
    let rank = match (known, rest) {
        (Some(rank), _) => rank,
        (None, None) => written.len(),
        (None, Some(_)) => {
            return Err(Failure::Pattern(format!(
                "`{name}`: the model declares no rank, so `...` stands for any number of axes: write them"
            )));
        }
    };
    let least = written.len() - usize::from(rest.is_some());
    if rank < least || (rest.is_none() && rank > least) {
        return Err(Failure::Pattern(format!(
            "`{name}` has {rank} axes in the model, and the pattern has {least}"
        )));
    }
    let more = rank - least;
    let mut of_model = match declared.sizes() {
        Some(sizes) if !relaxed => sizes.to_vec(),
        _ => vec![DeclaredSize::Free; rank],
    };
    // An axis that the pattern leaves open, by `_` or `...`, is as it is declared.
    let as_declared = of_model.iter().map(|size| match size {
        DeclaredSize::Known(_) => size.clone(),
        _ => DeclaredSize::Free,
    });
    let mut of_pattern: Vec<DeclaredSize> = as_declared.collect();
    for (at, axis) in written.iter().enumerate() {
        let Axis::Size(size) = axis else { continue };
        let place = match rest {
            Some(rest) if at > rest => at + more - 1,
            _ => at,
        };
        if is_zero(size, zero) {
            of_pattern[place] = DeclaredSize::Known(0);
            if !matches!(of_model[place], DeclaredSize::Known(_)) {
                of_model[place] = DeclaredSize::Known(0);
            }
        } else {
            of_pattern[place] = DeclaredSize::Free;
            axes.push((name.to_owned(), place, size.clone()));
        }
    }
    let element = declared.element();
    Ok((
        Type::tensor(element, Some(of_model)),
        Type::tensor(element, Some(of_pattern)),
    ))
}

/// Tells whether a size is 0 where these names are 0 and all others at least 1.
fn is_zero(size: &Size, zero: &[usize]) -> bool {
    let vanishes = |names: &[usize]| names.iter().any(|name| zero.contains(name));
    size.number == 0 && size.products.iter().all(|(names, _)| vanishes(names))
}

/// Returns the declared types of an input that has no pattern: all that the model declares is asked about.
fn untyped(declared: &Type, relaxed: bool) -> (Type, Type) {
    let sizes = declared.sizes().map(|sizes| {
        let sizes = sizes.iter().map(|size| match size {
            DeclaredSize::Known(_) if !relaxed => size.clone(),
            _ => DeclaredSize::Free,
        });
        sizes.collect()
    });
    let kept = match (sizes, declared) {
        (Some(sizes), _) => Type::tensor(declared.element(), Some(sizes)),
        (None, declared) => declared.clone(),
    };
    (kept.clone(), kept)
}
