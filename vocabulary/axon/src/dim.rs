//! The pool: names, and terms of dimensions of which each is stored once.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::linear::{Linear, TooLarge};
use crate::name::{DimId, DimVar, Op, ShapeVar, Variable};

/// A term of dimensions, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DimNode {
    /// A constant.
    Number(i64),
    /// A name.
    Var(DimVar),
    /// A ragged dimension with its identity.
    Ragged(u32),
    /// An operator with its two operands.
    Op(Op, DimId, DimId),
}

/// The error for a name that is used for a shape and for a dimension.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` names a shape and a dimension")]
pub struct SortClash(pub Arc<str>);

/// The names and the terms of one problem.
///
/// A term is stored once, so equal terms have equal [`DimId`]s. Names are unique across both sorts.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    nodes: Vec<DimNode>,
    ids: FxHashMap<DimNode, DimId>,
    dims: Vec<Arc<str>>,
    shapes: Vec<Arc<str>>,
    names: FxHashMap<Arc<str>, Variable>,
    fresh: FxHashMap<Arc<str>, u32>,
    ragged: u32,
    /// The normal forms that were computed so far.
    pub(crate) forms: FxHashMap<DimId, Result<Arc<Linear>, TooLarge>>,
}

/// Names.
impl Pool {
    /// Makes an empty pool.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// Returns the dimension of a name, which is made if it is new.
    ///
    /// # Errors
    /// If the name is that of a shape.
    pub fn dim_var(&mut self, name: &str) -> Result<DimVar, SortClash> {
        match self.names.get_key_value(name) {
            Some((_, &Variable::Dim(variable))) => Ok(variable),
            Some((name, Variable::Shape(_))) => Err(SortClash(name.clone())),
            None => {
                let name: Arc<str> = name.into();
                let variable = DimVar(self.dims.len() as u32);
                self.dims.push(name.clone());
                self.names.insert(name, Variable::Dim(variable));
                // Terms of names are ordered as the names are.
                self.var(variable);
                Ok(variable)
            }
        }
    }

    /// Returns the shape of a name, which is made if it is new.
    ///
    /// # Errors
    /// If the name is that of a dimension.
    pub fn shape_var(&mut self, name: &str) -> Result<ShapeVar, SortClash> {
        match self.names.get_key_value(name) {
            Some((_, &Variable::Shape(variable))) => Ok(variable),
            Some((name, Variable::Dim(_))) => Err(SortClash(name.clone())),
            None => {
                let name: Arc<str> = name.into();
                let variable = ShapeVar(self.shapes.len() as u32);
                self.shapes.push(name.clone());
                self.names.insert(name, Variable::Shape(variable));
                Ok(variable)
            }
        }
    }

    /// Makes a dimension whose name, `hint'1` or the like, nothing has yet.
    pub fn fresh_dim(&mut self, hint: &str) -> DimVar {
        let name = self.fresh_name(hint);
        let variable = DimVar(self.dims.len() as u32);
        self.dims.push(name.clone());
        self.names.insert(name, Variable::Dim(variable));
        self.var(variable);
        variable
    }

    /// Makes a shape whose name, `hint'1` or the like, nothing has yet.
    pub fn fresh_shape(&mut self, hint: &str) -> ShapeVar {
        let name = self.fresh_name(hint);
        let variable = ShapeVar(self.shapes.len() as u32);
        self.shapes.push(name.clone());
        self.names.insert(name, Variable::Shape(variable));
        variable
    }

    fn fresh_name(&mut self, hint: &str) -> Arc<str> {
        let count = self.fresh.entry(hint.into()).or_default();
        loop {
            *count += 1;
            let name = format!("{hint}'{count}");
            if !self.names.contains_key(name.as_str()) {
                return name.into();
            }
        }
    }

    /// Returns what a name stands for, if anything.
    pub fn named(&self, name: &str) -> Option<Variable> {
        self.names.get(name).copied()
    }

    /// Returns the name of a dimension.
    pub fn dim_name(&self, variable: DimVar) -> &str {
        &self.dims[variable.0 as usize]
    }

    /// Returns the name of a shape.
    pub fn shape_name(&self, variable: ShapeVar) -> &str {
        &self.shapes[variable.0 as usize]
    }

    /// Returns the name of a variable.
    pub fn name(&self, variable: Variable) -> &str {
        match variable {
            Variable::Dim(variable) => self.dim_name(variable),
            Variable::Shape(variable) => self.shape_name(variable),
        }
    }

    /// Returns the number of names of dimensions; they are numbered from 0.
    pub fn dim_count(&self) -> usize {
        self.dims.len()
    }

    /// Returns the number of names of shapes; they are numbered from 0.
    pub fn shape_count(&self) -> usize {
        self.shapes.len()
    }
}

/// Terms.
impl Pool {
    /// Returns the term of a node.
    pub fn intern(&mut self, node: DimNode) -> DimId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = DimId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    /// Returns the term of a constant.
    pub fn number(&mut self, value: i64) -> DimId {
        self.intern(DimNode::Number(value))
    }

    /// Returns the term of a name.
    pub fn var(&mut self, variable: DimVar) -> DimId {
        self.intern(DimNode::Var(variable))
    }

    /// Returns the term of an operator.
    pub fn op(&mut self, op: Op, left: DimId, right: DimId) -> DimId {
        self.intern(DimNode::Op(op, left, right))
    }

    /// Makes a ragged dimension with an identity of its own.
    pub fn ragged(&mut self) -> DimId {
        self.ragged += 1;
        self.intern(DimNode::Ragged(self.ragged))
    }

    /// Returns the ragged dimension with an identity.
    pub fn ragged_with(&mut self, identity: u32) -> DimId {
        self.ragged = self.ragged.max(identity);
        self.intern(DimNode::Ragged(identity))
    }

    /// Returns a term as written.
    pub fn node(&self, dim: DimId) -> DimNode {
        self.nodes[dim.0 as usize]
    }

    /// Returns all terms; a term is at the index of its number, after its parts.
    pub fn nodes(&self) -> &[DimNode] {
        &self.nodes
    }

    /// Returns some terms with all their parts, each once, parts first.
    pub fn with_parts(&self, dims: impl IntoIterator<Item = DimId>) -> Vec<DimId> {
        let mut pending: Vec<DimId> = dims.into_iter().collect();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut all = Vec::new();
        while let Some(dim) = pending.pop() {
            if !seen.insert(dim) {
                continue;
            }
            all.push(dim);
            if let DimNode::Op(_, left, right) = self.node(dim) {
                pending.extend([left, right]);
            }
        }
        all.sort_unstable();
        all
    }

    /// Returns the names in a term, each once, in the order of their numbers.
    pub fn variables(&self, dim: DimId) -> Vec<DimVar> {
        let mut variables: Vec<DimVar> = self
            .with_parts([dim])
            .into_iter()
            .filter_map(|part| match self.node(part) {
                DimNode::Var(variable) => Some(variable),
                _ => None,
            })
            .collect();
        variables.sort_unstable();
        variables
    }

    /// Returns a term in which terms stand for names, as written.
    pub fn substituted(&mut self, dim: DimId, by: impl Fn(DimVar) -> Option<DimId>) -> DimId {
        let mut new: FxHashMap<DimId, DimId> = FxHashMap::default();
        for part in self.with_parts([dim]) {
            let replaced = match self.node(part) {
                DimNode::Var(variable) => by(variable).unwrap_or(part),
                DimNode::Op(op, left, right) => self.op(op, new[&left], new[&right]),
                DimNode::Number(_) | DimNode::Ragged(_) => part,
            };
            new.insert(part, replaced);
        }
        new[&dim]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_name_is_new() {
        let mut pool = Pool::new();
        pool.dim_var("a'1").unwrap();
        let fresh = pool.fresh_shape("a");
        assert_eq!(pool.shape_name(fresh), "a'2");
        assert_eq!(pool.dim_var("a'2"), Err(SortClash("a'2".into())));
    }
}
