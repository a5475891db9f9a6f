//! Def. 7.2: an operation's constraints, read again at closed shapes as projection equations, by P1 to P6.
//!
//! Sizes are global, identities local: every axis of every occurrence has an identifier of its own, and the
//! operation's template variables are eliminated by the alignment that its own equations force (Lemma 7.7).

use std::collections::BTreeMap;

use thiserror::Error;

use crate::projection_solver::{self, Conflict, Solved};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Operation, Requirement, Shape, Side, TensorId};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar};

/// Why an operation has no loop nest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProjectionError {
    /// The rows of a constraint do not align: the shapes do not satisfy the operation.
    #[error("requirement {requirement} of the operation does not hold of its shapes: {reason}")]
    Misaligned {
        /// Which requirement of the operation.
        requirement: usize,
        /// In what way.
        reason: String,
    },
    /// A template variable faces no axis of any tensor.
    #[error("requirement {requirement} of the operation leaves `{var}` without an axis")]
    Undetermined {
        /// Which requirement of the operation.
        requirement: usize,
        /// A variable of its template.
        var: String,
    },
    /// A supplied index is outside of the axis (the side condition of Def. 7.2).
    #[error("index {index} is outside of slot {}'s axis {} of size {size}", axis.slot, axis.axis)]
    OutOfBounds {
        /// The axis.
        axis: AxisId,
        /// The index.
        index: u64,
        /// The axis's size.
        size: u64,
    },
    /// The equations conflict.
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

/// The projection equations of one operation, each with the rule that gave it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Elaborated {
    /// The equations.
    pub equations: Vec<(Rule, Equation)>,
    /// The sizes of the axes, by slot.
    pub sizes: Vec<Vec<u64>>,
}

impl Elaborated {
    /// The loop nest.
    ///
    /// # Errors
    /// The conflict, when the equations have one (Thm. 7.4).
    pub fn solve(&self) -> Result<Solved, Conflict> {
        let equations: Vec<Equation> = self.equations.iter().map(|(_, e)| e.clone()).collect();
        projection_solver::solve(&equations, &self.sizes)
    }
}

/// Reads an operation's constraints as projection equations, at the closed shapes of its tensors.
///
/// # Errors
/// When the shapes do not satisfy the operation, or a template variable faces no axis.
pub fn elaborate(
    op: &Operation,
    shape: impl Fn(TensorId) -> Shape<Row>,
) -> Result<Elaborated, ProjectionError> {
    let shapes: Vec<Shape<Row>> = op.slots.iter().map(|tensor| shape(*tensor)).collect();
    let sizes: Vec<Vec<u64>> = shapes
        .iter()
        .map(|s| {
            s.rows()
                .iter()
                .flat_map(|r| r.flat())
                .map(|d| d.size())
                .collect()
        })
        .collect();
    let mut local = Local {
        op,
        rows: axes_of(&shapes),
        dims: BTreeMap::new(),
        spliced: BTreeMap::new(),
        out: Vec::new(),
    };
    let mut waiting: Vec<usize> = (0..op.requirements.len()).collect();
    // Each pass reads what earlier passes determined; a pass without progress is the last.
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut still = Vec::new();
        for requirement in waiting {
            if !local.read(requirement)? {
                still.push(requirement);
            }
        }
        if still.len() == before {
            let var = local.undetermined(still[0]);
            return Err(ProjectionError::Undetermined {
                requirement: still[0],
                var,
            });
        }
        waiting = still;
    }
    // P6. Every axis of every occurrence is traversed, unless it is pinned: the operand axes that no rule pairs, too.
    for (slot, sizes) in sizes.iter().enumerate() {
        for axis in 0..sizes.len() {
            local
                .out
                .push((Rule::P6, Equation::Iter(Atom::Proj(AxisId { slot, axis }))));
        }
    }
    Ok(Elaborated {
        equations: local.out,
        sizes,
    })
}

/// A position of a row: an axis, an index from outside, a size that a template states, or a label not met yet.
#[derive(Clone, Debug)]
enum Letter {
    Axis(AxisId, Dim),
    Supplied(Index),
    Stated(Dim),
    Label(DimVar),
}

/// A row of letters with its marker.
#[derive(Clone, Debug, Default)]
struct Letters {
    leading: Vec<Letter>,
    var: Option<RowVar>,
    trailing: Vec<Letter>,
}

impl Letters {
    fn flat(&self) -> Vec<Letter> {
        self.leading.iter().chain(&self.trailing).cloned().collect()
    }
}

/// Numbers the axes of each occurrence over its batch, input and output rows.
fn axes_of(shapes: &[Shape<Row>]) -> Vec<Shape<Letters>> {
    let number = |(slot, shape): (usize, &Shape<Row>)| {
        let mut axis = 0;
        shape.map(|_, row| {
            let mut flank = |dims: &[Dim]| -> Vec<Letter> {
                let ids = (axis..).map(|axis| AxisId { slot, axis });
                let letters = ids
                    .zip(dims)
                    .map(|(id, dim)| Letter::Axis(id, dim.clone()))
                    .collect();
                axis += dims.len();
                letters
            };
            let leading = flank(&row.leading);
            Letters {
                leading,
                var: None,
                trailing: flank(&row.trailing),
            }
        })
    };
    shapes.iter().enumerate().map(number).collect()
}

/// The local re-solve of one operation.
struct Local<'a> {
    op: &'a Operation,
    rows: Vec<Shape<Letters>>,
    dims: BTreeMap<DimVar, Letter>,
    spliced: BTreeMap<RowVar, Letters>,
    out: Vec<(Rule, Equation)>,
}

/// The two relations between two sides.
enum Read {
    Equal(Letters, Letters),
    Below(Letters, Letters),
}

impl Local<'_> {
    /// Reads a requirement; `false` when it waits for a variable that another one determines.
    fn read(&mut self, at: usize) -> Result<bool, ProjectionError> {
        match self.sides(at) {
            Read::Equal(left, right) => self.p4(at, left, right),
            Read::Below(result, operand) => self.p5(at, &result, &operand),
        }
    }

    fn sides(&self, at: usize) -> Read {
        let one = |term: &DimTerm| Letters {
            leading: vec![self.letter(term)],
            ..Letters::default()
        };
        match &self.op.requirements[at] {
            Requirement::Equal(a, b) => Read::Equal(self.side(a), self.side(b)),
            Requirement::Below(a, b) => Read::Below(self.side(a), self.side(b)),
            Requirement::Template(Constraint::RowEq(a, b)) => {
                Read::Equal(self.template(a), self.template(b))
            }
            Requirement::Template(Constraint::RowLe(a, b)) => {
                Read::Below(self.template(a), self.template(b))
            }
            Requirement::Template(Constraint::DimEq(a, b)) => Read::Equal(one(a), one(b)),
            Requirement::Template(Constraint::DimLe(a, b)) => Read::Below(one(a), one(b)),
        }
    }

    fn side(&self, side: &Side) -> Letters {
        match side {
            Side::Slot(slot, kind) => self.rows[*slot].row(*kind).clone(),
            Side::Template(row) => self.template(row),
        }
    }

    fn letter(&self, term: &DimTerm) -> Letter {
        match term {
            DimTerm::Const(dim) => Letter::Stated(dim.clone()),
            DimTerm::Var(var) => match (self.op.pins.get(var), self.dims.get(var)) {
                (Some(index), _) => Letter::Supplied(index.clone()),
                (None, Some(letter)) => letter.clone(),
                (None, None) => Letter::Label(var.clone()),
            },
        }
    }

    /// A template row with what is known of its variables put in.
    fn template(&self, row: &RowTerm) -> Letters {
        let flank = |terms: &[DimTerm]| terms.iter().map(|t| self.letter(t)).collect::<Vec<_>>();
        let again = |letters: &[Letter]| {
            letters
                .iter()
                .map(|l| self.refreshed(l))
                .collect::<Vec<_>>()
        };
        let (mut leading, mut trailing) = (flank(&row.leading), flank(&row.trailing));
        match row.var.as_ref().and_then(|var| self.spliced.get(var)) {
            None => Letters {
                leading,
                var: row.var.clone(),
                trailing,
            },
            Some(value) => {
                leading.extend(again(&value.leading));
                trailing.splice(0..0, again(&value.trailing));
                Letters {
                    leading,
                    var: None,
                    trailing,
                }
            }
        }
    }

    fn refreshed(&self, letter: &Letter) -> Letter {
        match letter {
            Letter::Label(var) => self.letter(&DimTerm::Var(var.clone())),
            known => known.clone(),
        }
    }

    /// P4: outer-edge alignment; a row variable takes the uncovered middle, and P1 reads each pair.
    fn p4(&mut self, at: usize, left: Letters, right: Letters) -> Result<bool, ProjectionError> {
        let (open, closed) = match (&left.var, &right.var) {
            (Some(_), Some(_)) => return Ok(false),
            (None, Some(_)) => (right, left),
            _ => (left, right),
        };
        let flat = closed.flat();
        let explicit = open.leading.len() + open.trailing.len();
        let fits = if open.var.is_some() {
            explicit <= flat.len()
        } else {
            explicit == flat.len()
        };
        if !fits {
            let reason = format!("{} axes are to equal {explicit}", flat.len());
            return Err(ProjectionError::Misaligned {
                requirement: at,
                reason,
            });
        }
        let (start, end) = (open.leading.len(), flat.len() - open.trailing.len());
        let pairs: Vec<(Letter, Letter)> = open
            .leading
            .iter()
            .zip(&flat[..start])
            .chain(open.trailing.iter().zip(&flat[end..]))
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect();
        if pairs.iter().any(|(a, b)| waits(a, b)) {
            return Ok(false);
        }
        if let Some(var) = open.var {
            let split = closed.leading.len().clamp(start, end);
            let split = if split == closed.leading.len() {
                split
            } else {
                start
            };
            let value = Letters {
                leading: flat[start..split].to_vec(),
                var: None,
                trailing: flat[split..end].to_vec(),
            };
            self.spliced.insert(var, value);
        }
        for (a, b) in pairs {
            self.p1(at, a, b)?;
        }
        Ok(true)
    }

    /// P1: equal dimensions share an index. A label becomes the axis that it faces first.
    fn p1(&mut self, at: usize, a: Letter, b: Letter) -> Result<(), ProjectionError> {
        let (a, b) = (self.refreshed(&a), self.refreshed(&b));
        if let (Letter::Label(var), letter) | (letter, Letter::Label(var)) = (&a, &b) {
            self.dims.insert(var.clone(), letter.clone());
            return Ok(());
        }
        if let (Some(a), Some(b)) = (known_dim(&a), known_dim(&b))
            && a != b
        {
            return Err(ProjectionError::Misaligned {
                requirement: at,
                reason: format!("{a} is to equal {b}"),
            });
        }
        self.equate(Rule::P1, &a, &b)
    }

    fn equate(&mut self, rule: Rule, a: &Letter, b: &Letter) -> Result<(), ProjectionError> {
        if let (Letter::Axis(axis, dim), Letter::Supplied(Index::Fix(index)))
        | (Letter::Supplied(Index::Fix(index)), Letter::Axis(axis, dim)) = (a, b)
            && *index >= dim.size()
        {
            return Err(ProjectionError::OutOfBounds {
                axis: *axis,
                index: *index,
                size: dim.size(),
            });
        }
        if let (Some(a), Some(b)) = (atom(a), atom(b)) {
            self.out.push((rule, Equation::Eq(a, b)));
        }
        Ok(())
    }

    /// P5: outer-edge alignment of each operand flank; P2 or P3 a pair, `Iter` for each result axis without a pair.
    fn p5(
        &mut self,
        at: usize,
        result: &Letters,
        operand: &Letters,
    ) -> Result<bool, ProjectionError> {
        if result.var.is_some() || operand.var.is_some() {
            return Ok(false);
        }
        let flat = result.flat();
        if flat
            .iter()
            .chain(&operand.flat())
            .any(|letter| matches!(letter, Letter::Label(_)))
        {
            return Ok(false);
        }
        let (start, covered) = (
            operand.leading.len(),
            operand.leading.len() + operand.trailing.len(),
        );
        let Some(end) = flat
            .len()
            .checked_sub(operand.trailing.len())
            .filter(|end| start <= *end)
        else {
            let reason = format!(
                "the operand has {covered} axes, the result only {}",
                flat.len()
            );
            return Err(ProjectionError::Misaligned {
                requirement: at,
                reason,
            });
        };
        for (low, high) in flat[..start]
            .iter()
            .zip(&operand.leading)
            .chain(flat[end..].iter().zip(&operand.trailing))
        {
            self.p2_or_p3(at, low, high)?;
        }
        for surplus in &flat[start..end] {
            self.iterate(Rule::P5, surplus);
        }
        Ok(true)
    }

    /// P2: an operand axis of size 1 is pinned at 0 and the result's is iterated; P3: any other pair shares an index.
    fn p2_or_p3(
        &mut self,
        at: usize,
        result: &Letter,
        operand: &Letter,
    ) -> Result<(), ProjectionError> {
        if let (Some(low), Some(high)) = (known_dim(result), known_dim(operand))
            && !low.below(high)
        {
            return Err(ProjectionError::Misaligned {
                requirement: at,
                reason: format!("{low} is to be below {high}"),
            });
        }
        if known_dim(operand).is_some_and(|dim| dim.size() == 1) {
            self.iterate(Rule::P2, result);
            return self.equate(Rule::P2, operand, &Letter::Supplied(Index::Fix(0)));
        }
        self.equate(Rule::P3, result, operand)
    }

    fn iterate(&mut self, rule: Rule, letter: &Letter) {
        if let Some(atom) = atom(letter) {
            self.out.push((rule, Equation::Iter(atom)));
        }
    }

    /// A variable that a requirement waits for.
    fn undetermined(&self, at: usize) -> String {
        let (Read::Equal(a, b) | Read::Below(a, b)) = self.sides(at);
        let label = |letters: &Letters| {
            letters.flat().iter().find_map(|l| {
                if let Letter::Label(var) = l {
                    Some(var.to_string())
                } else {
                    None
                }
            })
        };
        let row = |letters: &Letters| letters.var.as_ref().map(|var| var.to_string());
        row(&a)
            .or_else(|| row(&b))
            .or_else(|| label(&a))
            .or_else(|| label(&b))
            .unwrap_or_default()
    }
}

/// A label is settled by an axis or by a supplied index, not by another label or by a mere size.
fn waits(a: &Letter, b: &Letter) -> bool {
    match (a, b) {
        (Letter::Label(_), other) | (other, Letter::Label(_)) => {
            matches!(other, Letter::Label(_) | Letter::Stated(_))
        }
        _ => false,
    }
}

fn known_dim(letter: &Letter) -> Option<&Dim> {
    match letter {
        Letter::Axis(_, dim) | Letter::Stated(dim) => Some(dim),
        Letter::Supplied(_) | Letter::Label(_) => None,
    }
}

/// `⟦d⟧`: what an index equation can say of a letter. A stated size has no index.
fn atom(letter: &Letter) -> Option<Atom> {
    match letter {
        Letter::Axis(id, _) => Some(Atom::Proj(*id)),
        Letter::Supplied(index) => Some(Atom::Sol(index.clone())),
        Letter::Stated(_) | Letter::Label(_) => None,
    }
}

/// The kind of the row in which an axis of a shape lies, and its place in that row.
pub fn kind_of_axis(shape: &Shape<Row>, axis: usize) -> Option<(Kind, usize)> {
    let mut start = 0;
    for kind in Kind::ALL {
        let rank = shape.row(kind).rank();
        if axis < start + rank {
            return Some((kind, axis - start));
        }
        start += rank;
    }
    None
}
