//! Tests of the parts of kernels.

use lozenge_vocabulary::operation::{Combine, Function};

use super::*;
use crate::opencl::group::grouping::groups;
use crate::opencl::group::test_calls::{members, planning};

/// Makes the calls for `y[i, j] = a[i, j] * c[j]`, and for the sum of each row of `y`.
fn rows() -> Vec<Member> {
    members(
        [64, 32],
        &[&[0, 1], &[0, 1], &[1], &[0]],
        &[
            (&[1, 0, 2], Combine::Replace, Function::Multiply),
            (&[3, 1], Combine::Add, Function::Identity),
        ],
    )
}

/// While the rows of a block are divided, which are in the cache, those of the next block are fetched from memory.
#[test]
fn the_next_rows_are_fetched_while_a_call_reads_what_an_earlier_one_has_read() {
    let stages = |rows: u64| {
        // The sum of each row of a tensor, by which the row is divided.
        let members = members(
            [rows, 1024],
            &[&[0, 1], &[0], &[0, 1]],
            &[
                (&[1, 0], Combine::Add, Function::Identity),
                (&[2, 0, 1], Combine::Replace, Function::Divide),
            ],
        );
        let groups = groups(&members, false);
        let fused = groups[0].fused(
            &members,
            &BTreeSet::new(),
            &touches_of(&members),
            &planning(),
        );
        let kernel = fused.expect("a kernel of both").source.kernels.remove(0);
        let text = kernel.definition("kernel0");
        let (sum, share) = text.split_once("stage_1(").expect("two parts");
        [sum.to_string(), share.to_string()]
    };
    let [sum, share] = stages(16384);
    assert!(!sum.contains("ahead"), "{sum}");
    assert!(share.contains("ahead16(2048, rhs1 + (at1))"), "{share}");
    assert!(!share.contains(", rhs2"), "{share}");
    assert!(stages(1024).iter().all(|text| !text.contains("ahead")));
}

#[test]
fn nothing_is_fetched_from_local_memory() {
    // Exponentials, the same with their axes exchanged, and the sum of each row.
    let members = members(
        [64, 64],
        &[&[0, 1], &[0, 1], &[1, 0], &[0]],
        &[
            (&[1, 0], Combine::Replace, Function::Exp),
            (&[2, 1], Combine::Replace, Function::Identity),
            (&[3, 1], Combine::Add, Function::Identity),
        ],
    );
    let groups = groups(&members, true);
    let touches = touches_of(&members);
    let kernel = |temporary: &[BufferId]| {
        let temporary = temporary.iter().copied().collect();
        let fused = groups[0].fused(&members, &temporary, &touches, &planning());
        let kernel = fused.expect("a kernel of all").source.kernels.remove(0);
        kernel.definition("kernel0")
    };
    let [stored, kept] = [kernel(&[]), kernel(&members[0].buffers[..1])];
    assert!(stored.contains("ahead16(32, rhs1"), "{stored}");
    assert!(kept.contains("kept0") && !kept.contains("ahead"), "{kept}");
}

/// Finds the defect of the kernel of these calls, which is one.
fn defect_of(members: &[Member]) -> Option<Check> {
    let groups = groups(members, false);
    let [group] = groups.as_slice() else {
        panic!("one group: {groups:?}");
    };
    let fused = group.fused(members, &BTreeSet::new(), &touches_of(members), &planning());
    let fused = fused.expect("a kernel of both");
    fused.source.defect.map(|defect| defect.check)
}

#[test]
fn a_part_that_reads_beyond_a_tensor_is_refused() {
    assert_eq!(defect_of(&rows()), None);
    for slot in [1, 2] {
        let mut members = rows();
        members[0].elements[slot] -= 1;
        assert_eq!(defect_of(&members), Some(Check::Bounds), "slot {slot}");
    }
}
