//! P1 to P6 in Z3, on whole rows. The code of `lozenge-spec` elaborates one operation, and the resulting equations are
//! compared with the constraint for symbolic sizes and bases.
//!
//! The code reads sizes only to find the operand axes that have one position. So for every shape and every choice of
//! those axes it runs on two examples that have nothing else in common and must give the same equations on both. These
//! are then the equations of every instance with that choice.

use std::collections::BTreeMap;

use crate::machinery::{Effort, Finding};
use lozenge_spec::elaboration::{Elaborated, elaborate};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, RowVar, Rule};
use z3::ast::{Bool, Int};

use crate::symbolic::prover::{Dim, Prover, Row};

/// Leading and trailing length.
type Lengths = (usize, usize);

/// Decides Def. 7.2.
pub fn elaboration(effort: Effort) -> Finding {
    let longest = if effort == Effort::Quick { 2 } else { 3 };
    let mut prover = Prover::new();
    severing(&mut prover);
    for result in shapes(longest) {
        for operand in shapes(longest) {
            if operand.0 <= result.0 && operand.1 <= result.1 {
                below(&mut prover, result, operand);
            }
            if result.0 + result.1 == operand.0 + operand.1 {
                equal(&mut prover, result, operand, None);
                for flanks in shapes(longest) {
                    if flanks.0 + flanks.1 <= result.0 + result.1 {
                        equal(&mut prover, result, operand, Some(flanks));
                    }
                }
            }
        }
    }
    prover
        .finding("`result <= operand`, `result ~ operand`, and equality through an open template, every flank shape within the bounds, every choice of operand axes with one position")
        .within(format!("flanks up to {longest}"))
}

fn shapes(longest: usize) -> Vec<Lengths> {
    (0..=longest)
        .flat_map(|l| (0..=longest).map(move |t| (l, t)))
        .collect()
}

/// Proves that P2 is needed beside P3: a result axis longer than 1 cannot share its index with an operand axis of
/// size 1.
fn severing(prover: &mut Prover) {
    let [low, high] = ["res", "op"].map(Dim::any);
    let one = Int::from_i64(1);
    let apart = [
        low.well_formed(),
        high.well_formed(),
        low.below(&high),
        high.positions().eq(&one),
        low.positions().gt(&one),
    ];
    let same_size = low.positions().eq(high.positions());
    prover.prove(&apart, &same_size.not(), || "P2 instead of P3".into());
}

/// Proves P2, P3, P5 and P6 on `result <= operand`.
fn below(prover: &mut Prover, result: Lengths, operand: Lengths) {
    let rank = operand.0 + operand.1;
    let surplus = (result.0 + result.1) - rank;
    // The result axis that an operand axis faces: leading axes count from the left edge, trailing ones from the right
    // edge.
    let facing = |at: usize| if at < operand.0 { at } else { at + surplus };
    let requirement = || Requirement::Below(slot(0), slot(1));
    for choice in 0..1usize << rank {
        let single = |at: usize| choice >> at & 1 == 1;
        let what = format!("{result:?} <= {operand:?}, operand axes of one position {choice:b}");
        let sizes = |example: Example| {
            let operand: Vec<_> = (0..rank)
                .map(|at| example.operand(at, single(at)))
                .collect();
            let mut result: Vec<_> = (0..rank + surplus).map(|at| example.free(at)).collect();
            (0..rank).for_each(|at| result[facing(at)] = example.result(at, single(at)));
            [result, operand]
        };
        let Some(elaborated) = both_examples(vec![requirement()], [result, operand], sizes) else {
            prover.prove(&[], &Bool::from_bool(false), || {
                format!("{what}: no equations")
            });
            continue;
        };
        let rows = [Row::any("res", result), Row::any("op", operand)];
        let one = Int::from_i64(1);
        let chosen = rows[1].flat().into_iter().enumerate().map(|(at, dim)| {
            let is_one = dim.positions().eq(&one);
            if single(at) { is_one } else { is_one.not() }
        });
        let holds = rows[0].below(&rows[1]);
        let assumed: Vec<Bool> = chosen.chain(holds).collect();
        let read = Read::new(&elaborated, &rows);
        let aligned = (0..rank).all(|at| {
            if single(at) {
                read.pinned_at_zero(1, at) && read.iterated_by(Rule::P2, facing(at))
            } else {
                read.equated(Rule::P3, facing(at), at)
            }
        });
        let faced: Vec<usize> = (0..rank).map(facing).collect();
        let rest = (0..rank + surplus)
            .filter(|at| !faced.contains(at))
            .all(|at| read.iterated_by(Rule::P5, at));
        read.prove(prover, assumed, aligned && rest, &what);
    }
}

/// Proves P1, P4 and P6 on `result ~ operand`, directly or through a template with these flanks and a row variable.
fn equal(prover: &mut Prover, result: Lengths, operand: Lengths, template: Option<Lengths>) {
    let rank = result.0 + result.1;
    let what = format!("{result:?} ~ {operand:?} through {template:?}");
    let requirements = || match template {
        None => vec![Requirement::Equal(slot(0), slot(1))],
        Some(flanks) => (0..2)
            .rev()
            .map(|at| Requirement::Equal(Side::Template(open(flanks)), slot(at)))
            .collect(),
    };
    let sizes = |example: Example| {
        let row: Vec<_> = (0..rank).map(|at| example.free(at)).collect();
        [row.clone(), row]
    };
    let Some(elaborated) = both_examples(requirements(), [result, operand], sizes) else {
        prover.prove(&[], &Bool::from_bool(false), || {
            format!("{what}: no equations")
        });
        return;
    };
    let rows = [Row::any("res", result), Row::any("op", operand)];
    let assumed: Vec<Bool> = rows[0].same_content(&rows[1]).into_iter().collect();
    let read = Read::new(&elaborated, &rows);
    let aligned = (0..rank).all(|at| read.equated(Rule::P1, at, at));
    read.prove(prover, assumed, aligned, &what);
}

fn slot(at: usize) -> Side {
    Side::Slot(at, Kind::Output)
}

fn open((leading, trailing): Lengths) -> RowTerm {
    let labels = |side: &str, n: usize| -> Vec<DimTerm> {
        (0..n)
            .map(|i| DimVar::new(&format!("{side}{i}")).into())
            .collect()
    };
    RowTerm {
        leading: labels("l", leading),
        var: Some(RowVar::new("e")),
        trailing: labels("t", trailing),
    }
}

/// Two choices of sizes that agree only in which operand axes have one position.
#[derive(Clone, Copy)]
enum Example {
    /// All sizes differ. An operand axis with one position is the unit, and the result axis below it is longer.
    Apart,
    /// All sizes are the same. An operand axis with one position is the atom of size 1, and so is the result axis below
    /// it.
    Alike,
}

impl Example {
    fn free(self, at: usize) -> lozenge_vocabulary::Dim {
        let size = match self {
            Example::Apart => 2 + at as u64,
            Example::Alike => 7,
        };
        lozenge_vocabulary::Dim::new(size).unwrap_or(lozenge_vocabulary::Dim::Unit)
    }

    fn operand(self, at: usize, single: bool) -> lozenge_vocabulary::Dim {
        match (self, single) {
            (_, false) => self.free(20 + at),
            (Example::Apart, true) => lozenge_vocabulary::Dim::Unit,
            (Example::Alike, true) => {
                lozenge_vocabulary::Dim::new(1).unwrap_or(lozenge_vocabulary::Dim::Unit)
            }
        }
    }

    fn result(self, at: usize, single: bool) -> lozenge_vocabulary::Dim {
        match (self, single) {
            (Example::Apart, true) => self.free(40 + at),
            _ => self.operand(at, single),
        }
    }
}

/// Returns the equations of an operation on two tensors with these flanks, if both examples give the same.
fn both_examples(
    requirements: Vec<Requirement>,
    lengths: [Lengths; 2],
    sizes: impl Fn(Example) -> [Vec<lozenge_vocabulary::Dim>; 2],
) -> Option<Vec<(Rule, Equation)>> {
    let op = Operation {
        slots: vec![TensorId(0), TensorId(1)],
        requirements: requirements.into(),
        pins: BTreeMap::new(),
        region: Default::default(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    };
    let run = |example: Example| -> Option<Elaborated> {
        let flat = sizes(example);
        let shape = |tensor: TensorId| {
            let (leading, trailing) = flat[tensor.0].split_at(lengths[tensor.0].0);
            Shape {
                output: lozenge_vocabulary::Row::new(leading.to_vec(), trailing.to_vec()),
                ..Shape::default()
            }
        };
        elaborate(&op, shape).ok()
    };
    let (apart, alike) = (run(Example::Apart)?, run(Example::Alike)?);
    (apart.equations == alike.equations).then_some(apart.equations)
}

/// Equations over two rows of symbolic axes.
struct Read<'a> {
    equations: &'a [(Rule, Equation)],
    dims: [Vec<Dim>; 2],
}

impl Read<'_> {
    fn new<'a>(equations: &'a [(Rule, Equation)], rows: &[Row; 2]) -> Read<'a> {
        Read {
            equations,
            dims: [rows[0].flat(), rows[1].flat()],
        }
    }

    fn equated(&self, rule: Rule, result: usize, operand: usize) -> bool {
        let wanted = [(0, result), (1, operand)].map(|(slot, axis)| AxisId { slot, axis });
        self.equations.iter().any(|(by, e)| match e {
            Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => {
                *by == rule && ([*p, *q] == wanted || [*q, *p] == wanted)
            }
            _ => false,
        })
    }

    fn pinned_at_zero(&self, slot: usize, axis: usize) -> bool {
        let wanted = Equation::Eq(Atom::Proj(AxisId { slot, axis }), Atom::Sol(Index::Fix(0)));
        self.equations.contains(&(Rule::P2, wanted))
    }

    fn iterated_by(&self, rule: Rule, result: usize) -> bool {
        self.iterated(
            rule,
            AxisId {
                slot: 0,
                axis: result,
            },
        )
    }

    fn iterated(&self, rule: Rule, axis: AxisId) -> bool {
        self.equations
            .contains(&(rule, Equation::Iter(Atom::Proj(axis))))
    }

    fn positions(&self, axis: &AxisId) -> Int {
        self.dims[axis.slot][axis.axis].positions()
    }

    /// Returns the index of each axis: the one that pins its class, else a variable for its class.
    fn indices(&self) -> Vec<(AxisId, Int, Vec<Bool>)> {
        let mut class: BTreeMap<AxisId, AxisId> = BTreeMap::new();
        for (slot, dims) in self.dims.iter().enumerate() {
            class
                .extend((0..dims.len()).map(|axis| (AxisId { slot, axis }, AxisId { slot, axis })));
        }
        for (_, equation) in self.equations {
            if let Equation::Eq(Atom::Proj(p), Atom::Proj(q)) = equation {
                let (kept, gone) = (class[p], class[q]);
                class
                    .values_mut()
                    .filter(|c| **c == gone)
                    .for_each(|c| *c = kept);
            }
        }
        let pins: BTreeMap<AxisId, i64> = self
            .equations
            .iter()
            .filter_map(|(_, e)| match e {
                Equation::Eq(Atom::Proj(p), Atom::Sol(Index::Fix(at))) => {
                    Some((class[p], *at as i64))
                }
                _ => None,
            })
            .collect();
        let index = |(axis, class): (&AxisId, &AxisId)| match pins.get(class) {
            Some(at) => (*axis, Int::from_i64(*at), Vec::new()),
            None => {
                let at = Int::new_const(format!("i{}.{}", class.slot, class.axis));
                let inside = within(&at, &self.positions(class));
                (*axis, at, vec![inside])
            }
        };
        class.iter().map(index).collect()
    }

    /// Proves that facing axes are paired and traversed, that equated axes have the same size, and that every address
    /// is valid.
    fn prove(&self, prover: &mut Prover, assumed: Vec<Bool>, aligned: bool, what: &str) {
        let indices = self.indices();
        let traversed = indices
            .iter()
            .all(|(axis, ..)| self.iterated(Rule::P6, *axis));
        let dims = self.dims.iter().flatten().map(Dim::well_formed);
        let mut assumed: Vec<Bool> = assumed.into_iter().chain(dims).collect();
        let one_size = self.equations.iter().filter_map(|(_, e)| match e {
            Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => {
                Some(self.positions(p).eq(self.positions(q)))
            }
            _ => None,
        });
        let valid = indices
            .iter()
            .map(|(axis, at, _)| within(at, &self.positions(axis)));
        let goal: Vec<Bool> = one_size
            .chain(valid)
            .chain([Bool::from_bool(aligned && traversed)])
            .collect();
        assumed.extend(
            indices
                .iter()
                .flat_map(|(_, _, inside)| inside.iter().cloned()),
        );
        prover.prove(&assumed, &Bool::and(&goal), || what.to_string());
    }
}

fn within(index: &Int, size: &Int) -> Bool {
    Bool::and(&[index.ge(Int::from_i64(0)), index.lt(size)])
}
