//! Random closed operations: the solver, the transcribed rules and the values that the operation was made from.

use arbitrary::Unstructured;
use lozenge_fuzz::closed_operation::{Compared, draw};
use lozenge_solver::project::Projector;

#[test]
fn three_ways_find_the_same_index_maps() {
    let mut projector = Projector::default();
    let (mut solved, mut contracted, mut refused, mut other_basis) = (0, 0, 0, 0);
    for index in 0..20_000 {
        let bytes = lozenge_testkit::generate::bytes(1, index, 160);
        let operation = draw(&mut Unstructured::new(&bytes)).expect("bytes never run out");
        match operation.compared(&mut projector) {
            Compared::Solved(found) => {
                solved += 1;
                contracted += usize::from(!found.reduction_axes().is_empty());
            }
            Compared::Refused => refused += 1,
            Compared::OtherBasis => other_basis += 1,
            Compared::Differ(answers) => panic!("input {index}\n{answers}"),
        }
    }
    assert!(
        solved > 10_000 && contracted > 1_000 && refused > 200 && other_basis < 20,
        "{solved} {contracted} {refused} {other_basis}"
    );
}
