//! Lemma 7.7: each row of an operation as a line of nodes. A row of a tensor is the nodes of its axes; a row of the
//! spec has a node for each label and each written size, and its row variable stands for the nodes of the tensor row
//! that the requirements lay it upon.

use hashbrown::HashMap;
use lozenge_vocabulary::operation::{Kind, Operation, Shape, TensorId};
use lozenge_vocabulary::projection_language::AxisId;
use lozenge_vocabulary::{
    Composite, Composition, DimTerm, DimVar, Elements, Factor, Row, RowTerm, RowVar, Var,
};
use rustc_hash::FxBuildHasher;

use super::classes::{Classes, Node};
use super::error::ProjectionError;

/// A row as consecutive nodes, or as consecutive entries of [`Lines::spelled`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    start: u32,
    pub(crate) rank: u32,
    /// The number of axes before the marker.
    pub(crate) leading: u32,
    spelled: bool,
}

impl Line {
    /// Returns `rank` axes from `from` on, `leading` of them before the marker.
    pub(crate) fn part(self, from: u32, rank: u32, leading: u32) -> Line {
        Line {
            start: self.start + from,
            rank,
            leading,
            ..self
        }
    }
}

/// The numbers of names.
type Names<V> = HashMap<V, u32, FxBuildHasher>;

/// The rows of one operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// The sizes of the axes of each slot. The nodes of these axes come first, in this order.
    pub(crate) slots: Vec<Vec<u64>>,
    rows: Vec<Shape<Line>>,
    spelled: Vec<Node>,
    label_nodes: Vec<(DimVar, Node)>,
    dims: Names<DimVar>,
    row_names: Names<RowVar>,
    /// The value of each row variable, once a requirement gives it.
    pub(crate) values: Vec<Option<Line>>,
}

const EMPTY: Line = Line {
    start: 0,
    rank: 0,
    leading: 0,
    spelled: false,
};

impl Lines {
    /// Makes a node for each axis of each slot.
    pub(crate) fn lay<'s>(
        &mut self,
        operation: &Operation,
        shape: impl Fn(TensorId) -> &'s Shape<Row>,
        classes: &mut Classes,
    ) {
        self.spelled.clear();
        self.label_nodes.clear();
        self.values.clear();
        self.rows.clear();
        self.dims = Names::default();
        self.row_names = Names::default();
        self.slots.resize_with(operation.slots.len(), Vec::new);
        for (slot, tensor) in operation.slots.iter().enumerate() {
            let sizes = &mut self.slots[slot];
            sizes.clear();
            let mut line = |row: &Row| {
                let start = classes.node_count();
                for dim in row.leading.iter().chain(&row.trailing) {
                    sizes.push(dim.size());
                    classes.node(dim.size());
                }
                Line {
                    start,
                    rank: row.rank() as u32,
                    leading: row.leading.len() as u32,
                    spelled: false,
                }
            };
            let mut lines = Shape {
                batch: EMPTY,
                input: EMPTY,
                output: EMPTY,
            };
            let shape = shape(*tensor);
            lines.batch = line(&shape.batch);
            lines.input = line(&shape.input);
            lines.output = line(&shape.output);
            self.rows.push(lines);
        }
    }

    /// Returns the nodes of a row of a tensor.
    pub(crate) fn slot(&self, slot: usize, kind: Kind) -> Result<Line, ProjectionError> {
        match self.rows.get(slot) {
            Some(rows) => Ok(*rows.row(kind)),
            None => Err(ProjectionError::NoSlot { slot }),
        }
    }

    /// Returns a node of a line.
    pub(crate) fn node(&self, line: Line, axis: u32) -> Node {
        match line.spelled {
            true => self.spelled[(line.start + axis) as usize],
            false => line.start + axis,
        }
    }

    /// Returns the number of a row variable of the spec.
    pub(crate) fn row_variable(&mut self, var: &RowVar) -> usize {
        let next = self.values.len() as u32;
        let number = *self.row_names.entry(var.clone()).or_insert(next);
        if number == next {
            self.values.push(None);
        }
        number as usize
    }

    /// Returns the node of a label of the spec, or a node of its own for a written size.
    pub(crate) fn dim(&mut self, term: &DimTerm, classes: &mut Classes) -> Node {
        match term {
            DimTerm::Const(dim) => classes.node(dim.size()),
            DimTerm::Var(var) => {
                let next = self.label_nodes.len() as u32;
                let number = *self.dims.entry(var.clone()).or_insert(next);
                if number == next {
                    self.label_nodes.push((var.clone(), classes.node(0)));
                }
                self.label_nodes[number as usize].1
            }
        }
    }

    /// Returns the product of the axes that its factors stand for, once each row variable stands for something.
    pub(crate) fn product(
        &mut self,
        elements: &Elements,
        classes: &mut Classes,
    ) -> Composite<Node> {
        let whole = self.dim(&elements.whole, classes);
        let mut parts = Vec::new();
        for factor in &elements.factors {
            match factor {
                Factor::Axis(term) => parts.push(self.dim(term, classes)),
                Factor::Row(row) => {
                    let inner = row.var.as_ref().and_then(|var| {
                        let number = self.row_variable(var);
                        self.values[number]
                    });
                    let line = self.spell(row, inner, classes);
                    parts.extend((0..line.rank).map(|axis| self.node(line, axis)));
                }
            }
        }
        Composite {
            composition: Composition::Product,
            whole,
            parts,
        }
    }

    /// Returns the nodes of a closed row of the spec, or of an open one whose variable stands for `inner`.
    pub(crate) fn spell(
        &mut self,
        row: &RowTerm,
        inner: Option<Line>,
        classes: &mut Classes,
    ) -> Line {
        let start = self.spelled.len() as u32;
        for term in &row.leading {
            let node = self.dim(term, classes);
            self.spelled.push(node);
        }
        let inner = inner.unwrap_or(EMPTY);
        for axis in 0..inner.rank {
            self.spelled.push(self.node(inner, axis));
        }
        for term in &row.trailing {
            let node = self.dim(term, classes);
            self.spelled.push(node);
        }
        Line {
            start,
            rank: self.spelled.len() as u32 - start,
            leading: row.leading.len() as u32 + inner.leading,
            spelled: true,
        }
    }

    /// Returns the node of a label, if a requirement mentions it.
    pub(crate) fn label_node(&self, var: &DimVar) -> Option<Node> {
        let number = self.dims.get(var)?;
        Some(self.label_nodes[*number as usize].1)
    }

    /// Returns the first label that stands on no axis.
    pub(crate) fn loose_label(&self, classes: &mut Classes) -> Option<Var> {
        let mut loose = self.label_nodes.iter();
        let (var, _) = loose.find(|(_, node)| classes.size(*node).is_none())?;
        Some(Var::Dim(var.clone()))
    }

    /// Returns the first row variable that stands for nothing.
    pub(crate) fn loose_row(&self) -> Option<Var> {
        let loose = self.values.iter().position(Option::is_none)? as u32;
        let mut names = self.row_names.iter();
        let (var, _) = names.find(|(_, number)| **number == loose)?;
        Some(Var::Row(var.clone()))
    }

    /// Returns the label that a node is, if it is one.
    pub(crate) fn label_of(&self, node: Node) -> Option<&DimVar> {
        // Labels get their nodes in the order of their numbers.
        let place = self
            .label_nodes
            .binary_search_by_key(&node, |(_, node)| *node);
        Some(&self.label_nodes[place.ok()?].0)
    }

    /// Returns the axis of a tensor that a node is, if it is one.
    pub(crate) fn axis_of(&self, node: Node) -> Option<AxisId> {
        let mut first = 0;
        for (slot, sizes) in self.slots.iter().enumerate() {
            let next = first + sizes.len() as Node;
            if node < next {
                let axis = (node - first) as usize;
                return Some(AxisId { slot, axis });
            }
            first = next;
        }
        None
    }

    /// Counts the nodes that are axes of tensors.
    pub(crate) fn axis_count(&self) -> Node {
        self.slots.iter().map(|sizes| sizes.len() as Node).sum()
    }

    /// Finds for each factor the first label in its class. A label of a scope has the path of the scope before it, with
    /// two primes behind each part, and what makes it different from others of its name follows one prime.
    pub(crate) fn labels(
        &self,
        classes: &mut Classes,
        factors: &[Node],
        labels: &mut Vec<Option<String>>,
    ) {
        labels.resize(factors.len(), None);
        if self.label_nodes.is_empty() {
            return;
        }
        let numbers = factors.iter().enumerate();
        let numbers: HashMap<Node, usize, FxBuildHasher> = numbers
            .map(|(number, node)| (classes.root(*node), number))
            .collect();
        for (var, node) in &self.label_nodes {
            let root = classes.root(*node);
            if let Some(number) = numbers.get(&root)
                && labels[*number].is_none()
            {
                let inner = var.name().rsplit("''").next().unwrap_or_default();
                let own = inner.split('\'').next().unwrap_or_default();
                labels[*number] = Some(own.to_string());
            }
        }
    }
}
