//! Numbers that refer to nothing are answered without a panic.

use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Region, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::program::{Program, Section, Turns};
use lozenge_vocabulary::projections::collision::{Collision, collision};
use lozenge_vocabulary::projections::{Affine, Index, IndexMap, Projections};

const FOREIGN: [usize; 3] = [2, 1_000_000, usize::MAX];

fn sum(factor: usize) -> Affine {
    Affine {
        terms: vec![(1, 0), (3, factor)],
        offset: -1,
    }
}

#[test]
fn a_factor_that_does_not_exist_is_at_0_and_has_size_1() {
    for factor in FOREIGN {
        assert_eq!(sum(factor).at(&[5, 7]), 4);
        assert_eq!(sum(factor).range(&[6, 8]), (-1, 4));
        assert!(Index::Affine(sum(factor)).leaves(4, &[6, 8]));
        assert_eq!(Index::Iter(factor).on_axis(4, &[6, 8]), Index::Iter(factor));
        let sums = [vec![(1, 0), (3, factor)], vec![(1, 1)]];
        assert_eq!(collision(&sums, &[6, 8]), Collision::None);
        assert_eq!(collision(&sums[..1], &[6, 8]), Collision::Found);
    }
}

#[test]
fn index_maps_with_foreign_factors_and_slots_have_an_answer() {
    for factor in FOREIGN {
        for index in [Index::Iter(factor), Index::Affine(sum(factor))] {
            let projections = Projections {
                factors: vec![6, 8],
                maps: vec![IndexMap(vec![index])],
                sizes: vec![vec![9]],
            };
            assert!(!projections.is_surjective(), "{projections:?}");
            assert!(!projections.is_injective(), "{projections:?}");
            projections.overlaps();
            projections.guarded(0);
            assert!(projections.guarded(factor).is_empty());
            assert!(projections.permuted(&[0, factor]).is_none());
            assert_eq!(projections.permuted(&[0]), Some(projections.clone()));
        }
    }
    let nothing = Projections {
        factors: vec![4],
        ..Projections::default()
    };
    assert_eq!(nothing.reduction_axes(), [0]);
    assert!(!nothing.overlaps() && !nothing.is_surjective());
}

#[test]
fn an_operation_that_mentions_a_slot_it_does_not_have_states_nothing() {
    let side = |slot| Side::Slot(slot, Kind::Output);
    let operation = |requirement: Requirement, unread: usize| Operation {
        slots: vec![TensorId(0), TensorId(1)],
        requirements: vec![requirement].into(),
        pins: Default::default(),
        region: Some(Box::new(Region {
            unread: [unread].into(),
            ..Region::default()
        })),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Identity,
    };
    let own = operation(Requirement::Below(side(0), side(1)), 1);
    assert_eq!(own.foreign_slot(), None);
    assert!(own.constraints(|_| Shape::default()).is_some());
    for slot in FOREIGN {
        for requirement in [
            Requirement::Below(side(0), side(slot)),
            Requirement::Equal(side(slot), Side::Template("[a]".parse().unwrap())),
        ] {
            let foreign = operation(requirement, 1);
            assert_eq!(foreign.foreign_slot(), Some(slot));
            assert!(foreign.constraints(|_| Shape::default()).is_none());
        }
        let unread = operation(Requirement::Below(side(0), side(1)), slot);
        assert_eq!(unread.foreign_slot(), Some(slot));
    }
}

#[test]
fn a_section_of_another_program_has_no_schedule() {
    let section = |steps| Section {
        span: 0..0,
        steps,
        requests: 0..0,
        evaluations: Vec::new(),
        turns: Turns::Steps(3),
        training: false,
    };
    let empty = Program::default();
    assert!(section(0..0).schedule(&empty).is_some());
    assert!(section(0..usize::MAX).schedule(&empty).is_none());
    assert!(section(5..7).schedule(&empty).is_none());
    assert!(empty.check().is_ok());
    let mut program = Program::default();
    program.sections.push(section(0..2));
    let foreign = program.check().expect_err("it has no operations");
    assert_eq!(
        foreign.to_string(),
        "section 0: 0..2 are no operations here: they are a part of 0..0"
    );
}
