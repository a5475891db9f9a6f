//! Random closed operations: the solver, the transcribed rules and the values that the operation was made from.

use arbitrary::Unstructured;
use lozenge_fuzz::closed_operation::draw;
use lozenge_solver::project::Projector;

#[test]
fn three_ways_find_the_same_index_maps() {
    let mut projector = Projector::default();
    let (mut solved, mut contracted, mut refused) = (0, 0, 0);
    for index in 0..20_000 {
        let bytes = lozenge_testkit::generate::bytes(1, index, 160);
        let operation = draw(&mut Unstructured::new(&bytes)).expect("bytes never run out");
        let ways = [
            operation.by_solver(&mut projector),
            operation.by_rules(),
            operation.by_values(),
        ];
        let [solver, rules, values] = &ways;
        match (solver, rules, values) {
            (Ok(a), Ok(b), Ok(c)) => {
                assert!(a == b && b == c, "input {index}\n{operation}{ways:#?}");
                solved += 1;
                contracted += usize::from(!a.reduction_axes().is_empty());
            }
            (Err(_), Err(_), Err(_)) => refused += 1,
            _ => panic!("input {index}\n{operation}{ways:#?}"),
        }
    }
    assert!(
        solved > 12_000 && contracted > 3_000 && refused > 500,
        "{solved} {contracted} {refused}"
    );
}
