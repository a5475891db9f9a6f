//! §3: dimension terms, row terms, and substitutions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::dim::Dim;
use crate::row::Row;

/// A dimension variable α.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimVar(Arc<str>);

/// A row variable ρ.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowVar(Arc<str>);

macro_rules! variable {
    ($name:ident, $shown:literal) => {
        impl $name {
            /// Returns the variable with this name. It can be printed in the notation only if the name is a NAME of the
            /// grammar.
            pub fn new(name: &str) -> Self {
                $name(name.into())
            }

            /// Returns the name.
            pub fn name(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, $shown, self.0)
            }
        }
    };
}
variable!(DimVar, "{}");
variable!(RowVar, "<{}>");

/// A dimension term (Def. 3.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DimTerm {
    /// A variable.
    Var(DimVar),
    /// An atom or the unit.
    Const(Dim),
}

impl DimTerm {
    /// Returns the dimension, when the term is ground.
    pub fn ground(&self) -> Option<&Dim> {
        match self {
            DimTerm::Const(dim) => Some(dim),
            DimTerm::Var(_) => None,
        }
    }

    /// Returns the variable, when the term is one.
    pub fn var(&self) -> Option<Var> {
        match self {
            DimTerm::Var(var) => Some(Var::Dim(var.clone())),
            DimTerm::Const(_) => None,
        }
    }

    /// Tells whether the term is this variable.
    pub fn mentions(&self, var: &Var) -> bool {
        matches!((self, var), (DimTerm::Var(own), Var::Dim(other)) if own == other)
    }
}

impl From<Dim> for DimTerm {
    fn from(dim: Dim) -> DimTerm {
        DimTerm::Const(dim)
    }
}

impl From<DimVar> for DimTerm {
    fn from(var: DimVar) -> DimTerm {
        DimTerm::Var(var)
    }
}

/// A row term (Def. 3.1): `l · ⋄ · r` when `var` is `None`, else `l · ⟨ρ⟩ · r`.
pub type RowTerm = Row<DimTerm, Option<RowVar>>;

impl RowTerm {
    /// Returns the open row `leading · ⟨var⟩ · trailing`.
    pub fn open(leading: Vec<DimTerm>, var: RowVar, trailing: Vec<DimTerm>) -> RowTerm {
        RowTerm {
            leading,
            var: Some(var),
            trailing,
        }
    }

    /// Returns the closed row `leading · ⋄ · trailing`.
    pub fn closed(leading: Vec<DimTerm>, trailing: Vec<DimTerm>) -> RowTerm {
        RowTerm {
            leading,
            var: None,
            trailing,
        }
    }

    /// Returns the ground row, when the term is closed and its axes are ground.
    pub fn ground(&self) -> Option<Row> {
        if self.var.is_some() {
            return None;
        }
        let flank = |terms: &[DimTerm]| {
            terms
                .iter()
                .map(|t| t.ground().cloned())
                .collect::<Option<Vec<Dim>>>()
        };
        Some(Row::new(flank(&self.leading)?, flank(&self.trailing)?))
    }

    /// Tells whether the variable occurs.
    pub fn mentions(&self, var: &Var) -> bool {
        match var {
            Var::Dim(_) => self.axes().any(|axis| axis.mentions(var)),
            Var::Row(row) => self.var.as_ref() == Some(row),
        }
    }

    /// Returns every occurrence of a variable: those of the axes in order, then the row variable.
    pub fn occurrences(&self) -> impl Iterator<Item = Var> {
        self.axes()
            .filter_map(DimTerm::var)
            .chain(self.var.clone().map(Var::Row))
    }
}

impl From<RowVar> for RowTerm {
    fn from(var: RowVar) -> RowTerm {
        RowTerm {
            var: Some(var),
            ..RowTerm::default()
        }
    }
}

impl From<Row> for RowTerm {
    fn from(row: Row) -> RowTerm {
        let flank = |dims: Vec<Dim>| dims.into_iter().map(DimTerm::Const).collect();
        RowTerm::closed(flank(row.leading), flank(row.trailing))
    }
}

/// A variable of either sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// A dimension variable.
    Dim(DimVar),
    /// A row variable.
    Row(RowVar),
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Var::Dim(var) => var.fmt(f),
            Var::Row(var) => var.fmt(f),
        }
    }
}

/// A finite, sort-respecting map from variables to terms (Def. 3.2).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Substitution {
    /// The terms of dimension variables.
    pub dims: BTreeMap<DimVar, DimTerm>,
    /// The terms of row variables.
    pub rows: BTreeMap<RowVar, RowTerm>,
}

impl Substitution {
    /// Returns the substituted dimension term.
    pub fn dim(&self, term: &DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(var) => self.dims.get(var).unwrap_or(term).clone(),
            DimTerm::Const(_) => term.clone(),
        }
    }

    /// Returns the substituted row term; the value of a row variable is spliced in at the marker (Def. 3.2).
    pub fn row(&self, term: &RowTerm) -> RowTerm {
        let flank = |terms: &[DimTerm]| terms.iter().map(|t| self.dim(t)).collect::<Vec<_>>();
        let (leading, trailing) = (flank(&term.leading), flank(&term.trailing));
        match term.var.as_ref().and_then(|var| self.rows.get(var)) {
            None => RowTerm {
                leading,
                var: term.var.clone(),
                trailing,
            },
            Some(value) => splice(leading, value, trailing),
        }
    }

    /// Tells whether the domain is disjoint from the variables of the range (Def. 3.2).
    pub fn is_idempotent(&self) -> bool {
        let dims = self.dims.values().filter_map(DimTerm::var);
        let rows = self.rows.values().flat_map(RowTerm::occurrences);
        dims.chain(rows).all(|var| match &var {
            Var::Dim(var) => !self.dims.contains_key(var),
            Var::Row(var) => !self.rows.contains_key(var),
        })
    }

    /// Returns the composite `self ∘ first`: first `first`, then `self` (Lemma 3.3).
    pub fn compose(&self, first: &Substitution) -> Substitution {
        let mut composite = self.clone();
        composite.dims.extend(
            first
                .dims
                .iter()
                .map(|(var, term)| (var.clone(), self.dim(term))),
        );
        composite.rows.extend(
            first
                .rows
                .iter()
                .map(|(var, term)| (var.clone(), self.row(term))),
        );
        composite
    }
}

/// Returns `(leading · l') · m · (r' · trailing)` for the value `l' · m · r'`: the host's flanks stay outermost.
fn splice(mut leading: Vec<DimTerm>, value: &RowTerm, trailing: Vec<DimTerm>) -> RowTerm {
    leading.extend_from_slice(&value.leading);
    let mut inner = value.trailing.clone();
    inner.extend(trailing);
    RowTerm {
        leading,
        var: value.var.clone(),
        trailing: inner,
    }
}
