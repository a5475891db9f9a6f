//! The surface discharge of Cor. 5.5: whether the policy ever refuses a program that has a solution, if all markers of
//! the program have declared origins.

use crate::formal_core::case::{Case, by_z3};
use crate::formal_core::reading::Reading;
use crate::machinery::{Effort, Finding, Subject, Witness};
use lozenge_testkit::random::Random;
use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, RowTerm, RowVar, Rule, Verdict,
};

/// The output row of a tensor: open, or a literal's axes behind the marker.
#[derive(Clone)]
enum Tensor {
    Open(&'static str),
    Literal(Vec<DimTerm>),
}

impl Tensor {
    fn row(&self) -> RowTerm {
        match self {
            Tensor::Open(name) => RowVar::new(name).into(),
            Tensor::Literal(axes) => RowTerm::closed(Vec::new(), axes.clone()),
        }
    }
}

/// The labels of a spec before and after its ellipsis.
#[derive(Clone)]
struct Spec {
    front: Vec<DimTerm>,
    back: Vec<DimTerm>,
}

/// An operation between two of the tensors.
#[derive(Clone)]
enum Operation {
    /// The first is pointwise below the second.
    Pointwise(usize, usize),
    /// The second is the first with one axis more in front.
    Slice(usize, usize, DimTerm),
    /// Both are read by specs that share one ellipsis.
    Einsum([(usize, Spec); 2]),
}

#[derive(Clone)]
struct Program {
    tensors: Vec<Tensor>,
    operations: Vec<Operation>,
}

fn literal(numbers: &mut Random) -> DimTerm {
    Dim::new([3, 5][numbers.below(2)])
        .unwrap_or(Dim::Unit)
        .into()
}

/// Returns the axis of a label: a size that another operand has, or a variable.
fn label(numbers: &mut Random, op: usize) -> DimTerm {
    match numbers.below(3) {
        0 => literal(numbers),
        label => DimTerm::Var(DimVar::new(&format!("i{op}{label}"))),
    }
}

fn labels(numbers: &mut Random, op: usize) -> Vec<DimTerm> {
    (0..numbers.below(2)).map(|_| label(numbers, op)).collect()
}

impl Program {
    /// Returns a random program of two or three operations over three tensors.
    fn random(index: u64, pointwise: bool) -> Program {
        let mut numbers = Random::indexed(index);
        let tensor = |(numbers, name): (&mut Random, &'static str)| match numbers.below(3) {
            0 => Tensor::Literal((0..numbers.below(3)).map(|_| literal(numbers)).collect()),
            _ => Tensor::Open(name),
        };
        let tensors: Vec<Tensor> = ["r", "s", "t"]
            .into_iter()
            .map(|name| tensor((&mut numbers, name)))
            .collect();
        let count = 2 + numbers.below(2);
        let operations = (0..count).map(|op| {
            let (a, b) = (numbers.below(3), numbers.below(3));
            match numbers.below(4) {
                0 if pointwise => Operation::Pointwise(a, b),
                1 => Operation::Slice(a, b, literal(&mut numbers)),
                _ => Operation::Einsum([a, b].map(|tensor| {
                    let spec = Spec {
                        front: labels(&mut numbers, op),
                        back: labels(&mut numbers, op),
                    };
                    (tensor, spec)
                })),
            }
        });
        let operations = operations.collect();
        Program {
            tensors,
            operations,
        }
    }

    /// Returns the constraints that its operations state.
    fn constraints(&self) -> ConstraintSet {
        let mut set = Vec::new();
        for (op, operation) in self.operations.iter().enumerate() {
            match operation {
                Operation::Pointwise(a, b) => set.push(Constraint::RowLe(
                    self.tensors[*a].row(),
                    self.tensors[*b].row(),
                )),
                Operation::Slice(a, b, axis) => {
                    let mut sliced = self.tensors[*a].row();
                    sliced.leading.insert(0, axis.clone());
                    set.push(Constraint::RowEq(self.tensors[*b].row(), sliced));
                }
                Operation::Einsum(sides) => set.extend(sides.iter().map(|(tensor, spec)| {
                    let template = RowTerm::open(
                        spec.front.clone(),
                        RowVar::new(&format!("e{op}")),
                        spec.back.clone(),
                    );
                    Constraint::RowEq(self.tensors[*tensor].row(), template)
                })),
            }
        }
        set.into_iter().collect()
    }

    /// Returns every program that is one step smaller: without an operation, a label or an axis of a literal, or with
    /// an axis changed to size 3.
    fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for at in 0..self.operations.len() {
            let mut smaller = self.clone();
            smaller.operations.remove(at);
            all.push(smaller);
        }
        for tensor in 0..self.tensors.len() {
            if let Tensor::Literal(axes) = &self.tensors[tensor] {
                all.extend(fewer(axes).into_iter().map(|axes| {
                    let mut smaller = self.clone();
                    smaller.tensors[tensor] = Tensor::Literal(axes);
                    smaller
                }));
            }
        }
        for at in 0..self.operations.len() {
            if let Operation::Einsum(sides) = &self.operations[at] {
                for side in 0..2 {
                    let spec = &sides[side].1;
                    let fronts = fewer(&spec.front).into_iter().map(|front| Spec {
                        front,
                        back: spec.back.clone(),
                    });
                    let backs = fewer(&spec.back).into_iter().map(|back| Spec {
                        front: spec.front.clone(),
                        back,
                    });
                    all.extend(fronts.chain(backs).map(|spec| {
                        let mut sides = sides.clone();
                        sides[side].1 = spec;
                        let mut smaller = self.clone();
                        smaller.operations[at] = Operation::Einsum(sides);
                        smaller
                    }));
                }
            }
        }
        all
    }
}

/// Returns the axes without one of them, for each place; or with one axis of another size changed to 3.
fn fewer(axes: &[DimTerm]) -> Vec<Vec<DimTerm>> {
    let three: Vec<DimTerm> = Dim::new(3).map(DimTerm::Const).into_iter().collect();
    let removed = (0..axes.len()).map(|at| [&axes[..at], &axes[at + 1..]].concat());
    let simpler = (0..axes.len())
        .filter(|at| !three.contains(&axes[*at]))
        .map(|at| [&axes[..at], three.as_slice(), &axes[at + 1..]].concat());
    removed.chain(simpler).collect()
}

fn defers(case: &Case) -> bool {
    let steps = case.run().config.trace.as_deref().unwrap_or_default();
    steps
        .iter()
        .any(|s| matches!(s.rule, Rule::ReSplit | Rule::ReRotational))
}

/// Tells whether the policy refuses the program although it has a solution according to Z3, which knows no rule.
fn gap(program: &Program, without_deferral: bool) -> bool {
    let case = Case::new(program.constraints());
    let satisfiable = || by_z3(&case.set) == Some(true);
    case.run().verdict() == Verdict::Rejected
        && !(without_deferral && defers(&case))
        && satisfiable()
}

/// Tells whether the failure rests on a placement and on no resolved equation.
fn by_placement(program: &Program) -> bool {
    let case = Case::new(program.constraints());
    case.run()
        .failure()
        .is_some_and(|f| f.commitments.iter().all(|c| c.rule != Rule::CloseDeferred))
}

/// Decides Cor. 5.5, the surface discharge as printed.
pub fn printed(effort: Effort) -> Finding {
    search(effort, false)
}

/// Decides Cor. 5.5, the surface discharge repaired.
pub fn repaired(effort: Effort) -> Finding {
    search(effort, true)
}

/// Looks for programs that the policy refuses although they have a solution. The repaired claim has no
/// pointwise operation and no deferred equation.
fn search(effort: Effort, repaired: bool) -> Finding {
    let tried = effort.samples() / 10;
    let (mut placements, mut resolutions, mut first) = (0, 0, None);
    for index in 0..tried {
        let program = Program::random(index, !repaired);
        if gap(&program, repaired) {
            *(if by_placement(&program) {
                &mut placements
            } else {
                &mut resolutions
            }) += 1;
            first.get_or_insert(program);
        }
    }
    let witness = first.map(|mut program| {
        while let Some(smaller) = program.smaller().into_iter().find(|p| gap(p, repaired)) {
            program = smaller;
        }
        let case = Case::new(program.constraints());
        let failure = case
            .run()
            .failure()
            .map(ToString::to_string)
            .unwrap_or_default();
        let why = format!(
            "constraints of a program; it has a solution, and the run is rejected: {failure}"
        );
        Witness {
            text: case.set.to_string().trim_end().into(),
            why,
        }
    });
    let scope = format!(
        "{tried} random programs of two or three operations over three tensors (literal or open; {}einsum, slice): {placements} \
         refused at a placement and {resolutions} at a resolved equation although satisfiable",
        if repaired { "" } else { "pointwise, " }
    );
    Finding::sampled(scope, tried, witness).under(Reading::Repaired)
}
