//! All constraint sets in a scope, up to symmetry: renaming of variables and of atoms, the order of the constraints,
//! the sides of an equality, and the mirror that swaps left and right.

use std::collections::BTreeMap;
use std::fmt;

use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar};

/// The names of row variables, followed by those of dimension variables; a scope has no more.
const ROWS: [&str; 3] = ["r", "s", "t"];
const DIMS: [&str; 3] = ["a", "b", "c"];

/// A finite family of constraint sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The number of constraints.
    pub constraints: usize,
    /// The most explicit axes that a row has.
    pub axes: usize,
    /// The constants.
    pub dims: Vec<Dim>,
    /// The number of dimension variables (at most 3).
    pub dim_vars: usize,
    /// The number of row variables (at most 3).
    pub row_vars: usize,
}

impl Scope {
    /// Counts the different constraints of the scope.
    pub fn alphabet(&self) -> u64 {
        let letters = (self.dims.len() + self.dim_vars) as u64;
        let words: u64 = (0..=self.axes as u64)
            .map(|n| letters.pow(n as u32) * (n + 1))
            .sum();
        let rows = words * (self.row_vars as u64 + 1);
        let both = |n: u64| n * (n + 1) / 2 + n * n;
        both(letters) + both(rows)
    }

    /// Counts the sets before symmetry; the largest 64-bit number if there are more.
    pub fn raw_len(&self) -> u64 {
        choices(self.alphabet(), self.constraints as u64)
    }
}

/// Returns the number of subsets with `k` of `n` elements.
fn choices(n: u64, k: u64) -> u64 {
    let all = (0..k).fold(1u128, |product, i| {
        product.saturating_mul(n.saturating_sub(i).into()) / u128::from(i + 1)
    });
    u64::try_from(all).unwrap_or(u64::MAX)
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(Dim::to_string).collect();
        write!(
            f,
            "{} constraint{}, rows of at most {} explicit axes over {{{}}}, {} row and {} dimension variables",
            self.constraints,
            if self.constraints == 1 { "" } else { "s" },
            self.axes,
            dims.join(", "),
            self.row_vars,
            self.dim_vars
        )
    }
}

/// The constraints of a scope, smallest first, with the image of each under each symmetry.
pub struct Family {
    scope: Scope,
    constraints: Vec<Constraint>,
    symmetries: Vec<Vec<usize>>,
}

impl Family {
    /// Returns the family of a scope.
    pub fn new(scope: &Scope) -> Family {
        let mut constraints = constraints(scope);
        constraints.sort_by_key(|c| (size(c), c.clone()));
        let numbers: BTreeMap<&Constraint, usize> = constraints
            .iter()
            .enumerate()
            .map(|(i, c)| (c, i))
            .collect();
        let tables = symmetries(scope).into_iter().map(|symmetry| {
            constraints
                .iter()
                .map(|c| numbers[&symmetry.constraint(c)])
                .collect()
        });
        let symmetries = tables.collect();
        Family {
            scope: scope.clone(),
            constraints,
            symmetries,
        }
    }

    /// Counts the sets with this first constraint, before symmetry.
    pub fn raw_starting_at(&self, first: usize) -> u64 {
        let later = (self.constraints.len() - first - 1) as u64;
        choices(later, self.scope.constraints as u64 - 1)
    }

    /// Returns the sets, up to symmetry, whose first constraint has this number. They are one unit of work of a survey.
    pub fn starting_at(&self, first: usize) -> Vec<ConstraintSet> {
        let mut sets = Vec::new();
        let mut chosen = vec![first];
        self.extend(&mut chosen, &mut sets);
        sets
    }

    /// Counts the units of work.
    pub fn starts(&self) -> usize {
        self.constraints.len()
    }

    fn extend(&self, chosen: &mut Vec<usize>, sets: &mut Vec<ConstraintSet>) {
        if chosen.len() == self.scope.constraints {
            if self.is_least(chosen) {
                sets.push(
                    chosen
                        .iter()
                        .map(|i| self.constraints[*i].clone())
                        .collect(),
                );
            }
            return;
        }
        for next in chosen[chosen.len() - 1] + 1..self.constraints.len() {
            chosen.push(next);
            self.extend(chosen, sets);
            chosen.pop();
        }
    }

    /// Says whether no symmetry maps the set to one with lower numbers.
    fn is_least(&self, chosen: &[usize]) -> bool {
        let mut image = Vec::with_capacity(chosen.len());
        self.symmetries.iter().all(|table| {
            image.clear();
            image.extend(chosen.iter().map(|i| table[*i]));
            image.sort_unstable();
            image.as_slice() >= chosen
        })
    }
}

/// Returns the size of a constraint, by which constraints are sorted.
fn size(constraint: &Constraint) -> usize {
    let row = |row: &RowTerm| 2 * row.explicit() + usize::from(row.var.is_some());
    match constraint {
        Constraint::DimEq(..) | Constraint::DimLe(..) => 1,
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => 1 + row(a) + row(b),
        Constraint::Window(..)
        | Constraint::Composite(..)
        | Constraint::Elements(..)
        | Constraint::Flat(..)
        | Constraint::AtLeast { .. } => constraint.dims().len(),
    }
}

fn constraints(scope: &Scope) -> Vec<Constraint> {
    let vars = DIMS[..scope.dim_vars]
        .iter()
        .map(|name| DimTerm::Var(DimVar::new(name)));
    let letters: Vec<DimTerm> = scope
        .dims
        .iter()
        .cloned()
        .map(DimTerm::Const)
        .chain(vars)
        .collect();
    let rows = rows(scope, &letters);
    let mut all = Vec::new();
    for (i, a) in letters.iter().enumerate() {
        all.extend(
            letters[i..]
                .iter()
                .map(|b| Constraint::DimEq(a.clone(), b.clone())),
        );
        all.extend(
            letters
                .iter()
                .map(|b| Constraint::DimLe(a.clone(), b.clone())),
        );
    }
    for (i, a) in rows.iter().enumerate() {
        all.extend(
            rows[i..]
                .iter()
                .map(|b| Constraint::RowEq(a.clone(), b.clone())),
        );
        all.extend(rows.iter().map(|b| Constraint::RowLe(a.clone(), b.clone())));
    }
    all.into_iter().map(normal).collect()
}

fn rows(scope: &Scope, letters: &[DimTerm]) -> Vec<RowTerm> {
    let mut words = vec![Vec::new()];
    let mut longest = vec![Vec::new()];
    for _ in 0..scope.axes {
        longest = longest
            .iter()
            .flat_map(|word: &Vec<DimTerm>| {
                letters
                    .iter()
                    .map(move |l| [word.as_slice(), std::slice::from_ref(l)].concat())
            })
            .collect();
        words.extend(longest.iter().cloned());
    }
    let vars: Vec<Option<RowVar>> = std::iter::once(None)
        .chain(
            ROWS[..scope.row_vars]
                .iter()
                .map(|name| Some(RowVar::new(name))),
        )
        .collect();
    let mut rows = Vec::new();
    for word in &words {
        for split in 0..=word.len() {
            rows.extend(vars.iter().map(|var| RowTerm {
                leading: word[..split].to_vec(),
                var: var.clone(),
                trailing: word[split..].to_vec(),
            }));
        }
    }
    rows.sort();
    rows
}

/// Returns the normal form of a constraint: an equality has its smaller side first.
fn normal(constraint: Constraint) -> Constraint {
    match constraint {
        Constraint::DimEq(a, b) if a > b => Constraint::DimEq(b, a),
        Constraint::RowEq(a, b) if a > b => Constraint::RowEq(b, a),
        other => other,
    }
}

/// A renaming, and whether rows are mirrored.
struct Symmetry {
    rows: BTreeMap<RowVar, RowVar>,
    dims: BTreeMap<DimVar, DimVar>,
    atoms: BTreeMap<Dim, Dim>,
    mirror: bool,
}

impl Symmetry {
    fn constraint(&self, constraint: &Constraint) -> Constraint {
        normal(constraint.map(|dim| self.dim(dim), |row| self.row(row)))
    }

    fn dim(&self, term: &DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(var) => DimTerm::Var(self.dims[var].clone()),
            DimTerm::Const(dim) => DimTerm::Const(self.atoms.get(dim).unwrap_or(dim).clone()),
        }
    }

    fn row(&self, row: &RowTerm) -> RowTerm {
        let flank = |terms: &[DimTerm]| terms.iter().map(|t| self.dim(t)).collect::<Vec<_>>();
        let var = row.var.as_ref().map(|var| self.rows[var].clone());
        let (mut leading, mut trailing) = (flank(&row.leading), flank(&row.trailing));
        if self.mirror {
            std::mem::swap(&mut leading, &mut trailing);
            leading.reverse();
            trailing.reverse();
        }
        RowTerm {
            leading,
            var,
            trailing,
        }
    }
}

fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for item in items {
        all = all
            .iter()
            .flat_map(|p: &Vec<T>| {
                (0..=p.len()).map(move |at| {
                    let mut p = p.clone();
                    p.insert(at, item.clone());
                    p
                })
            })
            .collect();
    }
    all
}

fn renamings<T: Clone + Ord>(items: &[T]) -> Vec<BTreeMap<T, T>> {
    permutations(items)
        .into_iter()
        .map(|image| items.iter().cloned().zip(image).collect())
        .collect()
}

fn symmetries(scope: &Scope) -> Vec<Symmetry> {
    let rows: Vec<RowVar> = ROWS[..scope.row_vars]
        .iter()
        .map(|n| RowVar::new(n))
        .collect();
    let dims: Vec<DimVar> = DIMS[..scope.dim_vars]
        .iter()
        .map(|n| DimVar::new(n))
        .collect();
    let atoms: Vec<Dim> = scope.dims.iter().filter(|d| d.is_atom()).cloned().collect();
    let mut all = Vec::new();
    for rows in renamings(&rows) {
        for dims in renamings(&dims) {
            for atoms in renamings(&atoms) {
                for mirror in [false, true] {
                    all.push(Symmetry {
                        rows: rows.clone(),
                        dims: dims.clone(),
                        atoms: atoms.clone(),
                        mirror,
                    });
                }
            }
        }
    }
    all
}
