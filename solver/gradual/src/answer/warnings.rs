//! Warnings: what is admitted and probably not meant. They never change a verdict.

use super::{Answer, Relax, solve_formulas};
use crate::integers::Integers;
use crate::pass::{Demand, InputForm, InputKind, domain};
use crate::residual::SizeBox;
use crate::term::{Formula, FormulaKind, Int, Symbol, Term, Terms};
use crate::value::Value;
use lozenge_graph_vocabulary::{Argument, DeclaredSize, Format, Graph, NodeId, Type, ValueId};
use serde::Serialize;
use std::collections::BTreeSet;

/// The kind of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Sizes are admitted only because a size 1 is stretched.
    Stretched,
    /// The output is the same whatever the size is: what lies beyond some place is not read.
    Ignored,
    /// The first axis of an input becomes a part of another axis of an output.
    Mixed,
    /// A size is declared free, and the graph takes one alone.
    FreeButFixed,
    /// A size is declared, and the graph takes or gives others.
    DeclaredButFree,
    /// Sizes are declared with one name, and the graph does not ask that they are equal.
    NotEnforced,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// The kind.
    pub kind: WarningKind,
    /// The warning, in words, with sizes.
    pub words: String,
    /// The names of the nodes that are concerned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
}

/// The number of warnings of one kind that are told.
const MAX_OF_A_KIND: usize = 8;

impl Answer {
    /// Finds what is admitted and probably not meant. Of an answer that a limit left open nothing is said, for sizes
    /// are missing in it.
    #[must_use]
    pub fn warnings(&mut self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if !self.limits.is_empty() {
            return warnings;
        }
        self.terms.allow(super::steps(&self.graph));
        self.stretched(&mut warnings);
        self.ignored(&mut warnings);
        self.mixed(&mut warnings);
        self.declared(&mut warnings);
        self.declared_outputs(&mut warnings);
        self.not_enforced(&mut warnings);
        warnings
    }

    /// Looks for sizes at which a demand holds only because a size is 1.
    fn stretched(&mut self, warnings: &mut Vec<Warning>) {
        let mut told: BTreeSet<(String, Vec<NodeId>)> = BTreeSet::new();
        for at in 0..self.cases.len() {
            let mut boxes: Vec<(String, Vec<NodeId>)> = Vec::new();
            let demands: Vec<Demand> = self.cases[at].demands.clone();
            for demand in demands.iter().filter(|demand| !demand.nodes.is_empty()) {
                let Some(strict) = strict(&mut self.terms, demand.formula) else {
                    continue;
                };
                let Some(sizes) = self.only_without(at, strict) else {
                    continue;
                };
                match boxes.iter_mut().find(|(known, _)| *known == sizes) {
                    Some((_, nodes)) => nodes.extend(&demand.nodes),
                    None => boxes.push((sizes, demand.nodes.clone())),
                }
            }
            told.extend(boxes);
        }
        for (sizes, nodes) in told.into_iter().take(MAX_OF_A_KIND) {
            let words = format!("{sizes}: admitted only because a size 1 is stretched");
            warnings.push(Warning {
                kind: WarningKind::Stretched,
                words,
                nodes: names(&self.graph, &nodes),
            });
        }
    }

    /// Says which sizes of a case do not satisfy a formula, if there are some.
    fn only_without(&mut self, case: usize, formula: Formula) -> Option<String> {
        let refused = self.terms.not(formula);
        let symbols: Vec<Symbol> = self.terms.formula_symbols(formula).to_vec();
        for found in self.cases[case].boxes.clone() {
            let mut formulas = found.formulas(&mut self.terms)?;
            formulas.push(refused);
            let boxes = solve_formulas(&mut self.terms, &[], &formulas).ok()?;
            if let Some(first) = boxes.into_iter().find(|found| found.witness.is_some()) {
                return Some(self.shown(&first, &symbols));
            }
        }
        None
    }

    /// Tells what the symbols can be in a box: those that some formula speaks of.
    fn shown(&self, found: &SizeBox, symbols: &[Symbol]) -> String {
        let parts = symbols.iter().filter_map(|symbol| {
            let equal = found.equal.iter().find(|(other, _)| other == symbol);
            let domain = found
                .domains
                .get(symbol)
                .filter(|domain| **domain != Integers::between(Some(1), None));
            match equal {
                Some((_, term)) => Some(format!(
                    "{} = {}",
                    self.terms.name(*symbol),
                    self.terms.text(*term)
                )),
                None => domain.map(|domain| format!("{} : {domain}", self.terms.name(*symbol))),
            }
        });
        let parts: Vec<String> = parts.collect();
        match parts.is_empty() {
            true => "some sizes".to_owned(),
            false => parts.join(", "),
        }
    }

    /// Looks for axes that no output depends on, and that only ranges of fixed places read.
    fn ignored(&mut self, warnings: &mut Vec<Warning>) {
        for symbol in self.free_axes() {
            let is_ignored = |case: &super::Case| {
                let is_free = case.boxes.iter().any(|found| {
                    found
                        .domains
                        .get(&symbol)
                        .is_some_and(|domain| domain.single().is_none())
                });
                let is_read = case
                    .outputs
                    .iter()
                    .any(|output| mentions(&self.terms, output, symbol));
                let nodes = self.graph.nodes();
                is_free
                    && !is_read
                    && !nodes
                        .into_iter()
                        .any(|(_, node)| self.consumes(case, node, symbol))
            };
            let is_modelled = self.unknown.is_empty() && !self.cases.is_empty();
            if is_modelled && self.cases.iter().all(is_ignored) {
                let name = self.terms.name(symbol);
                let words = format!(
                    "{name} is ignored: outputs are the same for every admitted {name}, and only a fixed number of places along it is read"
                );
                warnings.push(Warning {
                    kind: WarningKind::Ignored,
                    words,
                    nodes: Vec::new(),
                });
            }
        }
    }

    /// Tells whether an axis with this symbol ends at a node that reads all of it: a sum, a contraction, a reshape.
    fn consumes(
        &self,
        case: &super::Case,
        node: &lozenge_graph_vocabulary::Node,
        symbol: Symbol,
    ) -> bool {
        let operator = node.operator.name.as_str();
        let last = operator.rsplit('.').next().unwrap_or(operator);
        let reads_places = [
            "Slice",
            "Gather",
            "GatherElements",
            "GatherND",
            "Shape",
            "Size",
            "Split",
            "slice",
            "select",
            "narrow",
            "sym_size",
            "size",
            "index",
            "getitem",
        ];
        if reads_places.contains(&last) {
            return false;
        }
        let has = |id: ValueId| {
            case.values
                .get(id.index())
                .and_then(Option::as_ref)
                .is_some_and(|value| mentions(&self.terms, value, symbol))
        };
        let mut read = Vec::new();
        node.all_arguments()
            .for_each(|argument| values_of(argument, &mut read));
        read.into_iter().any(has) && !node.outputs.iter().flatten().any(|id| has(*id))
    }

    /// Looks for first axes of inputs that are only a part of an axis of an output.
    fn mixed(&mut self, warnings: &mut Vec<Warning>) {
        let outputs: Vec<String> = self
            .graph
            .main()
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .collect();
        let mut told = BTreeSet::new();
        for form in &self.inputs.forms {
            let InputKind::Tensor {
                axes,
                elements: None,
            } = &form.kind
            else {
                continue;
            };
            let Some(symbol) = axes.first().and_then(|axis| self.terms.as_symbol(*axis)) else {
                continue;
            };
            for case in &self.cases {
                for (name, output) in outputs.iter().zip(&case.outputs) {
                    let Value::Tensor(tensor) = output else {
                        continue;
                    };
                    let Some(shape) = &tensor.shape else { continue };
                    let within = |axis: &Term| self.terms.symbols(*axis).contains(&symbol);
                    let is_whole = |axis: &Term| {
                        self.terms.as_symbol(*axis) == Some(symbol)
                            || is_broadcast_of(&self.terms, *axis, symbol)
                    };
                    let mixed = shape.axes.iter().find(|axis| within(axis));
                    if let (Some(axis), false) = (mixed, shape.axes.iter().any(is_whole)) {
                        told.insert(format!(
                            "the first axis of `{}` is only a part of {} in the output `{name}`: one element of a batch can reach another",
                            form.name,
                            self.terms.text(*axis)
                        ));
                    }
                }
            }
        }
        warnings.extend(told.into_iter().take(MAX_OF_A_KIND).map(|words| Warning {
            kind: WarningKind::Mixed,
            words,
            nodes: Vec::new(),
        }));
    }

    /// Holds what is declared against what the graph takes.
    fn declared(&mut self, warnings: &mut Vec<Warning>) {
        for form in &self.inputs.forms {
            let (
                InputKind::Tensor { axes, .. },
                Type::Tensor {
                    sizes: Some(declared),
                    ..
                },
            ) = (&form.kind, &form.declared)
            else {
                continue;
            };
            for (at, (axis, declared)) in axes.iter().zip(declared).enumerate() {
                let Some(symbol) = self.terms.as_symbol(*axis) else {
                    continue;
                };
                let taken = self.taken(symbol);
                let is_relaxed = self.options.relax != Relax::Nothing;
                match (declared, taken.single()) {
                    (DeclaredSize::Known(number), None) if is_relaxed => {
                        let words = format!(
                            "axis {at} of `{}` is declared as {number}, and the graph takes {taken}",
                            form.name
                        );
                        warnings.push(Warning {
                            kind: WarningKind::DeclaredButFree,
                            words,
                            nodes: Vec::new(),
                        });
                    }
                    (DeclaredSize::Named(_) | DeclaredSize::Free, Some(number)) => {
                        let words = format!(
                            "axis {at} of `{}` is declared free, and only {number} is admitted",
                            form.name
                        );
                        warnings.push(Warning {
                            kind: WarningKind::FreeButFixed,
                            words,
                            nodes: Vec::new(),
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    /// Holds the numbers that outputs of ONNX are declared to have against what the graph gives. Runtimes do not
    /// enforce them. The sizes that an exporter of PyTorch traced are held against the graph elsewhere.
    fn declared_outputs(&mut self, warnings: &mut Vec<Warning>) {
        if self.options.relax != Relax::Nothing || self.graph.format != Format::Onnx {
            return;
        }
        let graph = self.graph.clone();
        let outputs = graph.main().outputs.iter().enumerate();
        let mut told = 0;
        for (at, output) in outputs {
            let value = output.argument.as_value().map(|id| &graph[id]);
            let Some(declared) = value.and_then(|value| value.declared.sizes()) else {
                continue;
            };
            let is_input = |name: &str| self.inputs.forms.iter().any(|form| form.name == name);
            if told == MAX_OF_A_KIND || is_input(&output.name) {
                continue;
            }
            let mut cases = 0..self.cases.len();
            let Some(case) = cases.find(|case| self.gives_other(*case, at, declared)) else {
                continue;
            };
            told += 1;
            let given = self.value_text(&self.cases[case].outputs[at]);
            warnings.push(Warning {
                kind: WarningKind::DeclaredButFree,
                words: format!(
                    "`{}` is declared as {}, and the graph gives {given}",
                    output.name,
                    written_sizes(declared)
                ),
                nodes: Vec::new(),
            });
        }
    }

    /// Tells whether an output of a case has another rank than is declared, or may have another size than a number that
    /// is.
    fn gives_other(&mut self, case: usize, output: usize, declared: &[DeclaredSize]) -> bool {
        let Some(Value::Tensor(tensor)) = self.cases[case].outputs.get(output).cloned() else {
            return false;
        };
        let Some(shape) = tensor.shape.filter(|shape| shape.block.is_none()) else {
            return false;
        };
        if shape.axes.len() != declared.len() {
            return true;
        }
        shape.axes.iter().zip(declared).any(|(axis, declared)| {
            let DeclaredSize::Known(number) = declared else {
                return false;
            };
            let is_so = self.terms.is(*axis, Int::from(*number));
            match self.terms.decided(is_so) {
                Some(holds) => !holds,
                None => self.only_without(case, is_so).is_some(),
            }
        })
    }

    /// Returns all that an axis can be.
    fn taken(&self, symbol: Symbol) -> Integers {
        let mut taken = Integers::none();
        for found in self.cases.iter().flat_map(|case| &case.boxes) {
            let domain = match found.domains.get(&symbol) {
                Some(domain) => domain.clone(),
                None => domain(&self.terms, symbol),
            };
            taken = taken.unite(&domain).unwrap_or_else(|_| Integers::all());
        }
        taken
    }

    /// Looks for names that two inputs share and that the graph does not hold to be equal.
    fn not_enforced(&mut self, warnings: &mut Vec<Warning>) {
        let mut axes: Vec<(String, String, Term)> = Vec::new();
        for InputForm {
            name,
            declared,
            kind,
        } in &self.inputs.forms
        {
            if let (
                InputKind::Tensor { axes: own, .. },
                Type::Tensor {
                    sizes: Some(declared),
                    ..
                },
            ) = (kind, declared)
            {
                let named = own.iter().zip(declared).enumerate();
                axes.extend(named.filter_map(|(at, (axis, declared))| match declared {
                    DeclaredSize::Named(axis_name) => {
                        Some((axis_name.clone(), format!("{name}[{at}]"), *axis))
                    }
                    _ => None,
                }));
            }
        }
        for (at, (name, first, one)) in axes.iter().enumerate() {
            let Some((_, second, other)) =
                axes[at + 1..].iter().find(|(second, _, _)| second == name)
            else {
                continue;
            };
            let equal = self.terms.equal(*one, *other);
            if let Some(case) =
                (0..self.cases.len()).find(|case| self.only_without(*case, equal).is_some())
            {
                let sizes = self.only_without(case, equal).unwrap_or_default();
                let words = format!(
                    "`{name}` is declared for {first} and for {second}, and they may differ: {sizes}"
                );
                warnings.push(Warning {
                    kind: WarningKind::NotEnforced,
                    words,
                    nodes: Vec::new(),
                });
            }
        }
    }

    /// Returns the symbols of axes of inputs.
    fn free_axes(&self) -> Vec<Symbol> {
        let axes = self
            .inputs
            .forms
            .iter()
            .filter_map(|form| match &form.kind {
                InputKind::Tensor {
                    axes,
                    elements: None,
                } => Some(axes),
                _ => None,
            });
        axes.flatten()
            .filter_map(|axis| self.terms.as_symbol(*axis))
            .collect()
    }
}

/// Returns what a formula says if no size is stretched, or nothing if it does not allow that.
fn strict(terms: &mut Terms, formula: Formula) -> Option<Formula> {
    match terms.formula_kind(formula).as_ref().clone() {
        FormulaKind::Compatible(sizes) => {
            let each: Vec<Formula> = sizes
                .windows(2)
                .map(|pair| terms.equal(pair[0], pair[1]))
                .collect();
            Some(terms.all(&each))
        }
        FormulaKind::Any(parts) => {
            let is_one = |part: &Formula| match &**terms.formula_kind(*part) {
                FormulaKind::Zero(term) => is_one_less(terms, *term),
                _ => false,
            };
            let kept: Vec<Formula> = parts.iter().copied().filter(|part| !is_one(part)).collect();
            let strict = (kept.len() == 1 && kept.len() < parts.len()).then(|| kept[0])?;
            matches!(**terms.formula_kind(strict), FormulaKind::Zero(_)).then_some(strict)
        }
        _ => None,
    }
}

/// Tells whether a term is a size less 1.
fn is_one_less(terms: &Terms, term: Term) -> bool {
    terms.polynomial(term).constant_part() == -1
}

/// Tells whether a term is a symbol to which others are broadcast.
fn is_broadcast_of(terms: &Terms, term: Term, symbol: Symbol) -> bool {
    let atom = terms.polynomial(term).as_atom();
    atom.is_some_and(|atom| match &**terms.atom_kind(atom) {
        crate::term::AtomKind::Broadcast(sizes) => sizes
            .iter()
            .any(|size| terms.as_symbol(*size) == Some(symbol)),
        _ => false,
    })
}

/// Tells whether the shape of a value, or what is known of its elements, is a function of a symbol.
fn mentions(terms: &Terms, value: &Value, symbol: Symbol) -> bool {
    match value {
        Value::Tensor(tensor) => {
            let axes = tensor
                .shape
                .iter()
                .flat_map(|shape| shape.axes.iter().copied());
            let elements = tensor.integers().unwrap_or_default();
            axes.chain(elements)
                .any(|term| terms.symbols(term).contains(&symbol))
        }
        Value::Integer(term) => terms.symbols(*term).contains(&symbol),
        _ => false,
    }
}

fn values_of(argument: &Argument, values: &mut Vec<ValueId>) {
    let mut waiting = vec![argument];
    while let Some(argument) = waiting.pop() {
        match argument {
            Argument::Value(id) => values.push(*id),
            Argument::List(parts) | Argument::Tuple(parts) => waiting.extend(parts),
            _ => {}
        }
    }
}

fn names(graph: &Graph, nodes: &[NodeId]) -> Vec<String> {
    let mut names: Vec<String> = nodes
        .iter()
        .map(|node| graph[*node].name().to_owned())
        .collect();
    names.dedup();
    names
}

/// Writes the declared sizes of a value.
fn written_sizes(sizes: &[DeclaredSize]) -> String {
    let each = sizes.iter().map(|size| match size {
        DeclaredSize::Known(number) => number.to_string(),
        DeclaredSize::Named(name) | DeclaredSize::Expression(name) => name.clone(),
        DeclaredSize::Free => "?".to_owned(),
    });
    format!("[{}]", each.collect::<Vec<_>>().join(", "))
}
