//! The surface discharge of Cor. 5.5: programs whose markers all have declared origins, and whether the policy ever refuses
//! one that has a solution.

use lozenge_spec::claims::minimise::minimise;
use lozenge_spec::claims::sampling::Numbers;
use lozenge_spec::claims::{Case, Effort, Finding, Witness};
use lozenge_spec::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, RowTerm, RowVar, Rule, Verdict,
};

/// Random programs of two or three operations over three tensors. Literal tensors are closed with the marker in front,
/// other tensors are open; an einsum equates each tensor's row with a template around one shared ellipsis; a pointwise
/// operation puts the result below its operand; a slice prepends an axis to its result.
fn program(index: u64) -> ConstraintSet {
    let mut numbers = Numbers::new(index);
    let tensors: Vec<RowTerm> = ["r", "s", "t"]
        .iter()
        .map(|name| match numbers.below(3) {
            0 => RowTerm::closed(
                Vec::new(),
                (0..numbers.below(3))
                    .map(|_| literal(&mut numbers))
                    .collect(),
            ),
            _ => RowVar::new(name).into(),
        })
        .collect();
    let mut set = Vec::new();
    for op in 0..2 + numbers.below(2) {
        let (a, b) = (
            tensors[numbers.below(3)].clone(),
            tensors[numbers.below(3)].clone(),
        );
        match numbers.below(4) {
            0 => set.push(Constraint::RowLe(a, b)),
            1 => {
                let slice = RowTerm {
                    leading: [vec![literal(&mut numbers)], a.leading].concat(),
                    ..a
                };
                set.push(Constraint::RowEq(b, slice));
            }
            _ => {
                let ellipsis = RowVar::new(&format!("e{op}"));
                for tensor in [a, b] {
                    set.push(Constraint::RowEq(
                        tensor,
                        template(&mut numbers, op, &ellipsis),
                    ));
                }
            }
        }
    }
    set.into_iter().collect()
}

fn literal(numbers: &mut Numbers) -> DimTerm {
    let size = [3, 5][numbers.below(2)];
    Dim::new(size).map_or(DimTerm::Const(Dim::Unit), DimTerm::Const)
}

/// A spec: at most two labels around the ellipsis, some of them of a size known by another operand.
fn template(numbers: &mut Numbers, op: usize, ellipsis: &RowVar) -> RowTerm {
    let mut flank = |most: usize| -> Vec<DimTerm> {
        (0..numbers.below(most + 1))
            .map(|_| match numbers.below(3) {
                0 => literal(numbers),
                label => DimTerm::Var(DimVar::new(&format!("i{op}{label}"))),
            })
            .collect()
    };
    let (leading, trailing) = (flank(1), flank(1));
    RowTerm::open(leading, ellipsis.clone(), trailing)
}

fn defers(case: &Case) -> bool {
    let steps = case.run().config.trace.iter().flatten();
    steps
        .into_iter()
        .any(|s| matches!(s.rule, Rule::ReSplit | Rule::ReRotational))
}

/// Refused by the policy although there is a solution.
fn gap(set: &ConstraintSet, without_deferral: bool) -> bool {
    let case = Case::new(set.clone());
    case.run().verdict() == Verdict::Rejected
        && !(without_deferral && defers(&case))
        && case.has_solution()
}

/// Whether the failure rests on a placement and on no resolved equation.
fn by_placement(set: &ConstraintSet) -> bool {
    let case = Case::new(set.clone());
    case.run()
        .failure()
        .is_some_and(|f| f.commitments.iter().all(|c| c.rule != Rule::CloseDeferred))
}

/// Looks for programs that the policy refuses although they have a solution of rank up to 2.
pub fn hunt(effort: Effort, without_deferral: bool) -> Finding {
    let tried = effort.samples() / 10;
    let (mut placements, mut resolutions, mut first) = (0, 0, None);
    for index in 0..tried {
        let set = program(index);
        if gap(&set, without_deferral) {
            *(if by_placement(&set) {
                &mut placements
            } else {
                &mut resolutions
            }) += 1;
            first.get_or_insert(set);
        }
    }
    let witness = first.map(|set| {
        // Only removals of whole operations keep a program a program.
        let smallest = minimise(&set, |set| gap(set, without_deferral));
        let failure = Case::new(smallest.clone())
            .run()
            .failure()
            .map(ToString::to_string)
            .unwrap_or_default();
        Witness {
            text: smallest.to_string().trim_end().into(),
            why: format!("it has a solution, and the run is rejected: {failure}"),
        }
    });
    let scope = format!(
        "{tried} random programs of two or three operations over three tensors (literal, open; pointwise, einsum, slice): \
         {placements} refused at a placement and {resolutions} at a resolved equation although satisfiable"
    );
    Finding::sampled(scope, tried, witness)
}
