//! Random closed operations: the solver, the transcribed rules and the values that the operation was made from.

use arbitrary::Unstructured;
use lozenge_fuzz::closed_operation::{Found, draw};
use lozenge_solver::project::Projector;

#[test]
fn three_ways_find_the_same_index_maps() {
    let mut projector = Projector::default();
    let (mut solved, mut contracted, mut refused, mut by_basis) = (0, 0, 0, 0);
    for index in 0..20_000 {
        let bytes = lozenge_testkit::generate::bytes(1, index, 160);
        let operation = draw(&mut Unstructured::new(&bytes)).expect("bytes never run out");
        let (solver, rules) = (operation.by_solver(&mut projector), operation.by_rules());
        let values = operation.by_values();
        let shown = || format!("input {index}\n{operation}{solver:?}\n{rules:?}\n{values:?}");
        let ways = [Some(&rules), values.as_ref()];
        match &solver {
            // Of shapes that do not satisfy the operation the solver sees the sizes, the rules the bases as well: an axis
            // of 7 below the atom 1 is severed by the one and refused by the others.
            Ok(_) if rules.is_err() && values.is_none() => by_basis += 1,
            Ok(found) => {
                let same = |way: &Found| way.as_ref() == Ok(found);
                assert!(ways.into_iter().flatten().all(same), "{}", shown());
                solved += 1;
                contracted += usize::from(!found.reduction_axes().is_empty());
            }
            Err(_) => {
                assert!(ways.into_iter().flatten().all(Found::is_err), "{}", shown());
                refused += 1;
            }
        }
    }
    assert!(
        solved > 10_000 && contracted > 1_000 && refused > 200 && by_basis < 20,
        "{solved} {contracted} {refused} {by_basis}"
    );
}
