//! Random closed operations: the solver, the transcribed rules, and the values from which the operation was generated.

use arbitrary::Unstructured;
use lozenge_fuzz::subjects::operations::closed_operation::{Compared, draw, of_another_basis};
use lozenge_solver::project::Projector;
use lozenge_vocabulary::projections::Index;

#[test]
fn three_ways_find_the_same_index_maps() {
    let mut projector = Projector::default();
    let (mut solved, mut contracted, mut refused, mut other_basis) = (0, 0, 0, 0);
    let (mut windows, mut guarded) = (0, 0);
    for index in 0..12_000 {
        let bytes = lozenge_testkit::generate::bytes(1, index, 160);
        let operation = draw(&mut Unstructured::new(&bytes)).expect("bytes never run out");
        match operation.compared(&mut projector) {
            Compared::Solved(found) => {
                solved += 1;
                contracted += usize::from(!found.reduction_axes().is_empty());
                let mut indices = found.maps.iter().flat_map(|map| &map.0);
                windows += usize::from(indices.any(|index| matches!(index, Index::Affine(_))));
                let mut slots = 0..found.maps.len();
                guarded += usize::from(slots.any(|slot| !found.guarded(slot).is_empty()));
            }
            Compared::Refused => refused += 1,
            Compared::OtherBasis => other_basis += 1,
            Compared::Differ(answers) => panic!("input {index}\n{answers}"),
        }
    }
    assert!(
        solved > 6_000 && contracted > 600 && refused > 120 && other_basis < 12,
        "{solved} {contracted} {refused} {other_basis}"
    );
    assert!(windows > 600 && guarded > 120, "{windows} {guarded}");
}

/// The only named difference: shapes that do not satisfy the operation. The rules refuse them; the solver expects
/// inferred shapes and does not check that.
#[test]
fn shapes_of_another_basis_are_refused_by_the_rules_alone() {
    let witness = of_another_basis();
    let compared = witness.compared(&mut Projector::default());
    assert!(matches!(compared, Compared::OtherBasis), "{compared:?}");
    let refused = witness.by_rules().expect_err("7 is not below the atom 1");
    assert!(refused.contains("an axis 7 of the result"), "{refused}");
    assert!(witness.by_solver(&mut Projector::default()).is_ok());
}
