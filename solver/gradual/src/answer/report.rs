//! The answer as data, for front ends.

use super::simpler::Simpler;
use super::zero::SameAtZero;
use super::{Answer, BoxReport, Cause, RecordedSet, Refusal, Verdict, Warning};
use crate::limit::Limit;
use crate::pass::{InputForm, InputKind, Tail};
use crate::residual::SizeBox;
use crate::value::{Shape, Value};
use lozenge_graph_vocabulary::Origin;
use serde::Serialize;

/// The number of values, over all cases, up to which each is made simpler.
const MAX_SIMPLIFIED: usize = 20_000;

/// A shape, as a function of the input symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShapeReport {
    /// The name of the input, output or node.
    pub name: String,
    /// The shape, as text: `[b, 1, 32*ceil(h/32)]`; `any` where it is not known.
    pub shape: String,
}

/// Sizes for which the outputs are the same functions of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseReport {
    /// The shapes of the inputs in symbols.
    pub inputs: Vec<ShapeReport>,
    /// The boxes: the union of them is admitted.
    pub boxes: Vec<BoxReport>,
    /// The outputs.
    pub outputs: Vec<ShapeReport>,
    /// The nodes that restrict single sizes.
    pub why: Vec<Cause>,
}

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The verdict: some sizes are admitted, or none, or a limit was reached.
    pub verdict: Verdict,
    /// The cases.
    pub cases: Vec<CaseReport>,
    /// The reasons why nothing is admitted.
    pub core: Vec<Refusal>,
    /// The recorded claims of the exporter, with a point in each difference from what the graph takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedSet>,
    /// Operators that are not known, with a node of each.
    pub unknown: Vec<(String, String)>,
    /// The assumptions about data, with the nodes that need them.
    pub assumed: Vec<(String, String)>,
    /// Cases that are admitted and probably not meant.
    pub warnings: Vec<Warning>,
    /// The limits that kept a part open.
    pub limits: Vec<String>,
}

impl Answer {
    /// Returns the answer as data.
    #[must_use]
    pub fn report(&mut self) -> Report {
        let names: Vec<String> = self
            .graph
            .main()
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .collect();
        self.terms.allow(super::steps(&self.graph));
        let groups = self.groups();
        let mut cases = Vec::new();
        for (outputs, boxes, members) in groups {
            let mut why: Vec<Cause> = Vec::new();
            for member in members {
                why.extend(
                    self.causes(member)
                        .into_iter()
                        .filter(|cause| !why.contains(cause))
                        .collect::<Vec<_>>(),
                );
            }
            let inputs = boxes
                .first()
                .map(|first| self.input_shapes(first))
                .unwrap_or_default();
            let same = self.same_at_zero(&outputs);
            let mut simpler = Simpler::on(&boxes);
            let outputs: Vec<Value> = outputs
                .iter()
                .map(|value| simpler.value(&mut self.terms, value))
                .collect();
            let outputs = names
                .iter()
                .zip(&outputs)
                .map(|(name, value)| ShapeReport {
                    name: name.clone(),
                    shape: self.value_text(value),
                })
                .collect();
            let boxes = boxes.iter();
            let boxes = boxes.map(|found| self.box_report(found, &same)).collect();
            cases.push(CaseReport {
                inputs,
                boxes,
                outputs,
                why,
            });
        }
        Report {
            cases,
            verdict: self.verdict(),
            core: self.core.clone(),
            recorded: self.recorded(),
            unknown: self.unknown_operators(),
            assumed: self.assumptions(),
            warnings: self.warnings(),
            limits: self.limits().iter().map(Limit::to_string).collect(),
        }
    }

    /// Returns the type of every node that has one output or more, in the symbols of the case:
    /// `conv1 : [b, 64, floor((h - 7)/4) + 1]`.
    #[must_use]
    pub fn node_shapes(&self, case: usize) -> Vec<ShapeReport> {
        let Some(case) = self.cases.get(case) else {
            return Vec::new();
        };
        let values = self.graph.values.iter().zip(&case.values);
        let known = values.filter_map(|(value, found)| {
            Some(ShapeReport {
                name: value.name.clone(),
                shape: self.value_text(found.as_ref()?),
            })
        });
        known.collect()
    }

    /// Returns the type of every input and result that all cases know: what they have in common. Constants of the file
    /// are left out.
    pub(crate) fn joined_shapes(&mut self) -> Vec<ShapeReport> {
        let is_small = self.cases.len() * self.graph.values.len() <= MAX_SIMPLIFIED;
        let terms = &mut self.terms;
        let cases = self.cases.iter().map(|case| {
            let mut simpler = Simpler::on(&case.boxes);
            let values = case.values.iter().map(|value| match value {
                Some(value) if is_small => Some(simpler.value(terms, value)),
                value => value.clone(),
            });
            values.collect::<Vec<Option<Value>>>()
        });
        let cases: Vec<Vec<Option<Value>>> = cases.collect();
        let Some((first, others)) = cases.split_first() else {
            return Vec::new();
        };
        let mut shapes = Vec::new();
        for (at, value) in self.graph.values.iter().enumerate() {
            let Some(own) = &first[at] else {
                continue;
            };
            if matches!(value.origin, Origin::Constant(_)) {
                continue;
            }
            let others = others.iter().map(|values| values[at].as_ref());
            if let Some(others) = others.collect::<Option<Vec<&Value>>>() {
                shapes.push(ShapeReport {
                    name: value.name.clone(),
                    shape: self.joined_text(own, &others),
                });
            }
        }
        shapes
    }

    /// Returns a value and others of its kind as one: where sizes differ stands `·`.
    fn joined_text(&self, own: &Value, others: &[&Value]) -> String {
        let text = self.value_text(own);
        if others.iter().all(|other| *other == own) {
            return text;
        }
        let sizes = |value: &Value| match value {
            Value::Tensor(tensor) => tensor.shape.clone().filter(|shape| shape.block.is_none()),
            _ => None,
        };
        let shapes: Option<Vec<Shape>> = others.iter().map(|other| sizes(other)).collect();
        match (sizes(own), shapes) {
            (Some(own), Some(shapes))
                if shapes
                    .iter()
                    .all(|shape| shape.axes.len() == own.axes.len()) =>
            {
                let axes = own.axes.iter().enumerate().map(|(place, axis)| {
                    let is_common = shapes.iter().all(|shape| shape.axes[place] == *axis);
                    if is_common {
                        self.terms.text(*axis)
                    } else {
                        "·".to_owned()
                    }
                });
                format!("[{}]", axes.collect::<Vec<_>>().join(", "))
            }
            _ if others.iter().all(|other| self.value_text(other) == text) => text,
            _ => "any".to_owned(),
        }
    }

    /// Counts the cases of ranks and branches.
    #[must_use]
    pub fn case_count(&self) -> usize {
        self.cases.len()
    }

    fn box_report(&mut self, found: &SizeBox, same: &SameAtZero) -> BoxReport {
        let mut report = BoxReport::without_zero(&self.terms, found);
        for (report, symbol) in report.symbols.iter_mut().zip(found.domains.keys()) {
            report.zero = self.admits_zero(same, found, *symbol);
        }
        report
    }

    /// Says whether a box belongs to the case of large ranks of an input.
    pub(crate) fn is_met(&self, tail: &Tail, found: &SizeBox) -> bool {
        let product = self.terms.as_symbol(tail.product);
        product.is_some_and(|product| found.domains.contains_key(&product))
    }

    fn input_shapes(&self, found: &SizeBox) -> Vec<ShapeReport> {
        let text = |form: &InputForm| match &form.kind {
            InputKind::Tensor { axes, .. } => self.axes_text(&Shape::new(axes.clone())),
            InputKind::Number(term) => self.terms.text(*term),
            InputKind::Other => "any".to_owned(),
            InputKind::AnyRank {
                rank,
                axes: known,
                tail,
                ..
            } => {
                let Some(domain) = found.domains.get(rank) else {
                    return "any".to_owned();
                };
                if let Some(tail) = tail.as_ref().filter(|tail| self.is_met(tail, found)) {
                    return self.axes_text(&tail.shape());
                }
                match domain.single().and_then(|rank| usize::try_from(rank).ok()) {
                    Some(rank) if rank <= known.len() => {
                        self.axes_text(&Shape::new(&known[..rank]))
                    }
                    _ => "any".to_owned(),
                }
            }
        };
        self.inputs
            .forms
            .iter()
            .map(|form| ShapeReport {
                name: form.name.clone(),
                shape: text(form),
            })
            .collect()
    }

    pub(super) fn value_text(&self, value: &Value) -> String {
        match value {
            Value::Tensor(tensor) => tensor
                .shape
                .as_ref()
                .map_or_else(|| "any".to_owned(), |shape| self.axes_text(shape)),
            Value::Integer(term) => self.terms.text(*term),
            Value::Truth(formula) => self.terms.formula_text(*formula),
            Value::List(list) => {
                let parts: Vec<String> = list.iter().map(|value| self.value_text(value)).collect();
                format!("({})", parts.join(", "))
            }
            Value::Pieces(pieces) => format!(
                "{} of {}{}",
                self.terms.text(pieces.length),
                self.axes_text(&pieces.each),
                match pieces.cut {
                    Some(_) => ", the last perhaps shorter",
                    None => "",
                }
            ),
            Value::Sizes(shape) => self.axes_text(shape),
            Value::None => "None".to_owned(),
            _ => "any".to_owned(),
        }
    }

    fn axes_text(&self, shape: &Shape) -> String {
        let mut names: Vec<String> = shape
            .axes
            .iter()
            .map(|axis| self.terms.text(*axis))
            .collect();
        if let Some(block) = shape.block {
            names.insert(block.at, "…".to_owned());
        }
        format!("[{}]", names.join(", "))
    }
}
