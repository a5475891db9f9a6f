//! The ground substitution of a model of Z3, which is then checked against Def. 3.4.

use std::collections::HashMap;

use lozenge_vocabulary::{Basis, Dim, Ground, Row};
use z3::Model;
use z3::ast::{Dynamic, Int};

use crate::formula::{Axis, Measure};
use crate::limits::Reason;
use crate::session::Session;

/// A solution, and those of its dimensions that stand for arbitrary atoms not named in the constraints.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub ground: Ground,
    /// The made-up atoms.
    pub fresh: Vec<Dim>,
}

impl Session<'_> {
    /// Returns the solution that the last check found.
    ///
    /// # Errors
    /// When Z3 has no model, or when its model is not a solution, which is a defect of this crate and reported as such.
    pub fn solution(&self) -> Result<Solution, Reason> {
        let model = self
            .setting
            .smt
            .model()
            .ok_or_else(|| Reason::Solver("no model".to_owned()))?;
        let mut reader = Reader::new(self, &model);
        let ground = reader.ground();
        if reader.is_too_large {
            return Err(Reason::Form("a size beyond 64 bits".to_owned()));
        }
        match ground.first_violated(self.assumed(), self.setting.order) {
            None => Ok(Solution {
                ground,
                fresh: reader.fresh,
            }),
            Some(at) => Err(Reason::Solver(format!(
                "its model does not satisfy `{}`; this is a defect of the oracle",
                self.assumed()[at]
            ))),
        }
    }
}

struct Reader<'a> {
    session: &'a Session<'a>,
    model: &'a Model,
    /// The dimension of each element of Z3's universe of axes.
    dims: HashMap<Dynamic, Dim>,
    fresh: Vec<Dim>,
    /// True if some size does not fit 64 bits.
    is_too_large: bool,
}

impl<'a> Reader<'a> {
    fn new(session: &'a Session<'a>, model: &'a Model) -> Reader<'a> {
        let mut reader = Reader {
            session,
            model,
            dims: HashMap::new(),
            fresh: Vec::new(),
            is_too_large: false,
        };
        let unit = reader.element(Axis::Unit);
        reader.dims.insert(unit, Dim::Unit);
        for (k, atom) in session.symbols.atoms.iter().enumerate() {
            let element = reader.element(Axis::Atom(k as u32));
            reader.dims.insert(element, atom.clone());
        }
        reader
    }

    fn element(&self, axis: Axis) -> Dynamic {
        let term = self.session.setting.smt.axis(axis);
        self.model.eval(&term, true).unwrap_or(term)
    }

    fn is_zero(&self, axis: Axis) -> bool {
        let has_zeros = self.session.setting.smt.has_zeros();
        has_zeros && self.element(axis) == self.element(Axis::Zero)
    }

    fn dim(&mut self, axis: Axis) -> Dim {
        let element = self.element(axis);
        if let Some(dim) = self.dims.get(&element) {
            return dim.clone();
        }
        if self.session.setting.smt.is_sized() {
            return self.sized(axis);
        }
        let dim = self.made_up();
        self.dims.insert(element, dim.clone());
        dim
    }

    /// Returns the dimension of an axis where axes have sizes. A basis that the constraints do not name gets a name
    /// that they do not use.
    fn sized(&mut self, axis: Axis) -> Dim {
        let smt = self.session.setting.smt;
        let value = |term: &Int| {
            self.model
                .eval(term, true)
                .and_then(|number| number.as_u64())
        };
        let bases = &self.session.bases;
        let (size, basis) = (value(&smt.size(axis)), value(&smt.basis(axis)));
        let known = basis.and_then(|at| bases.get(usize::try_from(at).ok()?).cloned());
        let made_up = || {
            let number = basis.unwrap_or_default();
            let names = (0u32..)
                .map(|more| Basis::named(&format!("other{number}{}", "x".repeat(more as usize))));
            names
                .into_iter()
                .find(|name| !bases.contains(name))
                .unwrap_or_default()
        };
        let dim = size.and_then(|size| Dim::based(size, known.unwrap_or_else(made_up)));
        self.is_too_large |= dim.is_none();
        dim.unwrap_or(Dim::Unit)
    }

    /// Returns the least atom of the default basis, from size 2 on, that occurs neither in the constraints nor, so far,
    /// in the solution.
    fn made_up(&mut self) -> Dim {
        let taken =
            |dim: &Dim| self.session.symbols.atoms.contains(dim) || self.fresh.contains(dim);
        let dim = (2..)
            .filter_map(Dim::new)
            .find(|dim| !taken(dim))
            .unwrap_or(Dim::Unit);
        self.fresh.push(dim.clone());
        dim
    }

    fn length(&self, measure: Measure, row: u32) -> u32 {
        let term = self.session.setting.smt.measure(measure, row);
        let value = self.model.eval(&term, true).and_then(|n| n.as_u64());
        value.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
    }

    fn row(&mut self, row: u32) -> Row {
        let (x, y) = (
            self.length(Measure::Leading, row),
            self.length(Measure::Trailing, row),
        );
        let leading: Vec<Dim> = (0..x).map(|i| self.dim(Axis::Front(row, i))).collect();
        let trailing: Vec<Dim> = (0..y).rev().map(|j| self.dim(Axis::Back(row, j))).collect();
        Row::new(leading, trailing)
    }

    fn ground(&mut self) -> Ground {
        let symbols = &self.session.symbols;
        let mut ground = Ground::default();
        for (k, var) in symbols.dims.iter().enumerate() {
            if self.is_zero(Axis::Dim(k as u32)) {
                ground.zeros.insert(var.clone());
                continue;
            }
            ground
                .dims
                .insert(var.clone(), self.dim(Axis::Dim(k as u32)));
        }
        for (k, var) in symbols.rows.iter().enumerate() {
            ground.rows.insert(var.clone(), self.row(k as u32));
        }
        ground
    }
}
