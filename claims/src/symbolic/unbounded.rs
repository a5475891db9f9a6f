//! Rows of any length in Z3. Lengths are integers and axes are functions of the place, so that one question is about
//! every row, and about every value that a row variable can have.
//!
//! A statement about every place of a row is a [`Fact::Each`]. To prove a conclusion, Z3 gets a place at which the
//! conclusion fails, and each premise instantiated at the places that can face that one. More places would only make
//! the premises stronger, so `unsat` is a proof whichever places are chosen.

use std::collections::BTreeMap;
use std::rc::Rc;

use lozenge_vocabulary::{Constraint, DimTerm, DimVar, RowTerm, RowVar};
use z3::ast::{Ast, Bool, Int};
use z3::{FuncDecl, Sort};

use super::prover::{Dim, Prover};

/// A flank of any length. Its axes are counted from the outer edge of the row.
#[derive(Clone)]
pub struct Flank {
    /// The number of its axes.
    pub length: Int,
    axes: Rc<dyn Fn(&Int) -> Dim>,
}

/// Returns a natural number as a term.
pub fn number(n: usize) -> Int {
    Int::from_u64(n as u64)
}

impl Flank {
    /// Returns a flank of any length with any axes. The caller has to assume that the length is not negative.
    pub fn any(name: &str) -> Flank {
        let declared = |what: &str| {
            let name = format!("{name}.{what}");
            FuncDecl::new(name, &[&Sort::int()], &Sort::int())
        };
        let (size, basis) = (declared("size"), declared("basis"));
        // Both functions give integers.
        let at = |of: &FuncDecl, place: &Int| of.apply(&[place]).as_int().unwrap_or(number(0));
        Flank {
            length: Int::new_const(format!("{name}.length")),
            axes: Rc::new(move |place| Dim {
                size: at(&size, place),
                basis: at(&basis, place),
            }),
        }
    }

    /// Makes a flank of this length, each axis given by its place.
    pub fn new(length: Int, axes: impl Fn(&Int) -> Dim + 'static) -> Flank {
        Flank {
            length,
            axes: Rc::new(axes),
        }
    }

    /// Returns the axis at a place. Beyond the length it has no meaning.
    pub fn axis(&self, place: &Int) -> Dim {
        (self.axes)(place)
    }

    /// Returns a flank with these axes at the outer edge, followed by another flank.
    pub fn around(outer: Vec<Dim>, inner: Option<Flank>) -> Flank {
        let known = number(outer.len());
        let length = inner
            .as_ref()
            .map_or(known.clone(), |inner| &inner.length + &known);
        let axes = move |place: &Int| {
            let beyond = match &inner {
                Some(inner) => inner.axis(&(place - number(outer.len()))),
                None => Dim::unit(),
            };
            let at = |rest: Dim, (i, axis): (usize, &Dim)| {
                Dim::select(&place.eq(number(i)), axis, &rest)
            };
            outer.iter().enumerate().fold(beyond, at)
        };
        Flank::new(length, axes)
    }

    /// Returns the flank without this many outer axes.
    pub fn without(&self, outer: usize) -> Flank {
        let axes = self.axes.clone();
        Flank::new(&self.length - number(outer), move |place| {
            axes(&(place + number(outer)))
        })
    }
}

/// A row of any length.
#[derive(Clone)]
pub struct AnyRow {
    /// The flank in front of the marker.
    pub leading: Flank,
    /// The flank behind the marker.
    pub trailing: Flank,
}

impl AnyRow {
    /// Makes any row.
    pub fn any(name: &str) -> AnyRow {
        AnyRow {
            leading: Flank::any(&format!("{name}.front")),
            trailing: Flank::any(&format!("{name}.back")),
        }
    }

    /// Returns the rank (Def. 2.1).
    pub fn rank(&self) -> Int {
        &self.leading.length + &self.trailing.length
    }

    /// Returns the fact that no flank has a negative length.
    pub fn formed(&self) -> Fact {
        let long = |flank: &Flank| flank.length.ge(number(0));
        Fact::Plain(Bool::and(&[long(&self.leading), long(&self.trailing)]))
    }

    /// Returns the axis of the expansion at rank `n` (Def. 2.2) at a place below `n`. At the row's own rank it is that
    /// of the flat word.
    pub fn expanded(&self, n: &Int, place: &Int) -> Dim {
        let from_the_back = n - number(1) - place;
        let back = self.trailing.axis(&from_the_back);
        let inner = Dim::select(
            &from_the_back.lt(&self.trailing.length),
            &back,
            &Dim::unit(),
        );
        let front = self.leading.axis(place);
        Dim::select(&place.lt(&self.leading.length), &front, &inner)
    }

    /// Returns the axis of the flat word.
    pub fn flat(&self, place: &Int) -> Dim {
        self.expanded(&self.rank(), place)
    }

    /// Returns the fact that each axis is well-formed.
    pub fn axes_formed(&self) -> Fact {
        let own = self.clone();
        Fact::each(self.rank(), move |place| own.flat(place).well_formed())
    }

    /// States Def. 2.9.
    pub fn same_content(&self, other: &AnyRow) -> Vec<Fact> {
        let (a, b) = (self.clone(), other.clone());
        vec![
            Fact::Plain(self.rank().eq(other.rank())),
            Fact::each(self.rank(), move |place| {
                a.flat(place).equals(&b.flat(place))
            }),
        ]
    }

    /// States identity (Def. 2.1).
    pub fn identical(&self, other: &AnyRow) -> Vec<Fact> {
        let lengths = Bool::and(&[
            self.leading.length.eq(&other.leading.length),
            self.trailing.length.eq(&other.trailing.length),
        ]);
        let mut facts = self.same_content(other);
        facts.push(Fact::Plain(lengths));
        facts
    }

    /// States Def. 2.3, as it is printed: flank fit, and refinement of the expansion at the own rank.
    pub fn below(&self, other: &AnyRow) -> Vec<Fact> {
        let fit = Bool::and(&[
            self.leading.length.ge(&other.leading.length),
            self.trailing.length.ge(&other.trailing.length),
        ]);
        vec![Fact::Plain(fit), self.refines(other)]
    }

    /// States Rem. 2.15(ii): the same with ranks instead of flanks.
    pub fn below_one_shot(&self, other: &AnyRow) -> Vec<Fact> {
        vec![
            Fact::Plain(self.rank().ge(other.rank())),
            self.refines(other),
        ]
    }

    fn refines(&self, other: &AnyRow) -> Fact {
        let (low, high, rank) = (self.clone(), other.clone(), self.rank());
        Fact::each(self.rank(), move |place| {
            low.flat(place).below(&high.expanded(&rank, place))
        })
    }
}

/// A fact that holds once, or at every place of a row of some rank.
#[derive(Clone)]
pub enum Fact {
    /// A formula.
    Plain(Bool),
    /// A formula at each place from 0 to below the rank.
    Each(Int, Rc<dyn Fn(&Int) -> Bool>),
}

impl Fact {
    /// States a fact at every place below `rank`.
    pub fn each(rank: Int, at: impl Fn(&Int) -> Bool + 'static) -> Fact {
        Fact::Each(rank, Rc::new(at))
    }

    /// Returns the fact that never holds.
    pub fn never() -> Fact {
        Fact::Plain(Bool::from_bool(false))
    }

    /// Returns the fact at a place.
    pub fn at(&self, place: &Int) -> Bool {
        match self {
            Fact::Plain(holds) => holds.clone(),
            Fact::Each(rank, at) => {
                let inside = Bool::and(&[place.ge(number(0)), place.lt(rank)]);
                inside.implies(at(place))
            }
        }
    }
}

/// Returns the places at which premises are instantiated: those that face `place` of a row of rank `rank` from either
/// edge, those near the edges of each row, and the neighbours of all of these within the reach by which explicit flanks
/// shift places.
fn places(premises: &[Fact], goals: &[(Int, Int)], reach: usize) -> Vec<Int> {
    let ranks: Vec<&Int> = premises
        .iter()
        .filter_map(|fact| match fact {
            Fact::Each(rank, _) => Some(rank),
            Fact::Plain(_) => None,
        })
        .collect();
    let mut near: Vec<Int> = vec![number(0)];
    near.extend(ranks.iter().map(|rank| *rank - number(1)));
    for (rank, place) in goals {
        near.push(place.clone());
        near.extend(ranks.iter().map(|own| place - rank + *own));
    }
    let reach = reach as i64;
    let mut all: Vec<Int> = near
        .iter()
        .flat_map(|place| (-reach..=reach).map(move |by| (place + Int::from_i64(by)).simplify()))
        .collect();
    all.sort_by_key(Int::to_string);
    all.dedup_by_key(|place| place.to_string());
    all
}

impl Prover {
    /// Asks for values for which the premises hold and some conclusion does not.
    pub fn entails(
        &mut self,
        premises: &[Fact],
        conclusions: &[Fact],
        reach: usize,
        what: impl Fn() -> String,
    ) {
        let mut goals = Vec::new();
        let mut wrong_at = Vec::new();
        for (i, conclusion) in conclusions.iter().enumerate() {
            let place = Int::new_const(format!("place.{i}"));
            goals.push(conclusion.at(&place));
            if let Fact::Each(rank, _) = conclusion {
                wrong_at.push((rank.clone(), place));
            }
        }
        let looked_at = places(premises, &wrong_at, reach);
        let mut assumed = Vec::new();
        for premise in premises {
            match premise {
                Fact::Plain(holds) => assumed.push(holds.clone()),
                Fact::Each(..) => assumed.extend(looked_at.iter().map(|place| premise.at(place))),
            }
        }
        self.prove(&assumed, &Bool::and(&goals), what);
    }

    /// Proves that premises and conclusions are equivalent.
    pub fn equivalent(
        &mut self,
        known: &[Fact],
        one: &[Fact],
        other: &[Fact],
        reach: usize,
        what: impl Fn() -> String,
    ) {
        self.entails(&[known, one].concat(), other, reach, || {
            format!("{}, from before to after", what())
        });
        self.entails(&[known, other].concat(), one, reach, || {
            format!("{}, from after to before", what())
        });
    }
}

/// Arbitrary values of variables.
#[derive(Clone, Default)]
pub struct Values {
    /// The values of dimension variables.
    pub dims: BTreeMap<DimVar, Dim>,
    /// The values of row variables.
    pub rows: BTreeMap<RowVar, AnyRow>,
}

impl Values {
    /// Gives a value to each variable that has none yet.
    pub fn extend(&mut self, vars: impl IntoIterator<Item = lozenge_vocabulary::Var>) {
        for var in vars {
            match var {
                lozenge_vocabulary::Var::Dim(var) => {
                    let any = Dim::any(var.name());
                    self.dims.entry(var).or_insert(any);
                }
                lozenge_vocabulary::Var::Row(var) => {
                    let any = AnyRow::any(var.name());
                    self.rows.entry(var).or_insert(any);
                }
            }
        }
    }

    /// Returns the facts that no row has a negative length.
    pub fn formed(&self) -> Vec<Fact> {
        self.rows.values().map(AnyRow::formed).collect()
    }

    fn dim(&self, term: &DimTerm) -> Option<Dim> {
        match term {
            DimTerm::Var(var) => self.dims.get(var).cloned(),
            DimTerm::Const(_) => None,
        }
    }

    /// Returns the value of a row term without constants (Def. 3.2); `None` when a variable has no value, or sizes are
    /// related.
    pub fn row(&self, term: &RowTerm) -> Option<AnyRow> {
        let mut leading = Vec::new();
        for axis in &term.leading {
            leading.push(self.dim(axis)?);
        }
        let mut trailing = Vec::new();
        for axis in term.trailing.iter().rev() {
            trailing.push(self.dim(axis)?);
        }
        let inner = match &term.var {
            Some(var) => Some(self.rows.get(var)?.clone()),
            None => None,
        };
        let (front, back) = inner
            .map(|row| (row.leading, row.trailing))
            .map_or((None, None), |(l, t)| (Some(l), Some(t)));
        Some(AnyRow {
            leading: Flank::around(leading, front),
            trailing: Flank::around(trailing, back),
        })
    }

    /// Returns the meaning of a constraint (Def. 3.4); `None` when a variable has no value.
    pub fn says(&self, constraint: &Constraint) -> Option<Vec<Fact>> {
        Some(match constraint {
            Constraint::DimEq(a, b) => vec![Fact::Plain(self.dim(a)?.equals(&self.dim(b)?))],
            Constraint::DimLe(a, b) => vec![Fact::Plain(self.dim(a)?.below(&self.dim(b)?))],
            Constraint::RowEq(a, b) => self.row(a)?.same_content(&self.row(b)?),
            Constraint::RowLe(a, b) => self.row(a)?.below(&self.row(b)?),
            Constraint::Window(_)
            | Constraint::Composite(_)
            | Constraint::Elements(_)
            | Constraint::Flat(_)
            | Constraint::AtLeast { .. } => {
                return None;
            }
        })
    }
}
