//! Tests of the groups of a recording: the calls that run together, and their order.

use lozenge_vocabulary::operation::{Combine, Function};

use super::super::grouping::{groups, verified};
use super::super::test_calls::members;
use super::Group;

const REPLACE: Combine = Combine::Replace;
const PARTS: &[&[usize]] = &[&[0, 1], &[0], &[0, 1], &[1], &[1], &[0, 1]];

/// Returns the calls of each group, of tensors with 4096 rows of 64 cells.
fn order(tensors: &[&[usize]], calls: &[(&[usize], Combine, Function)]) -> Vec<Vec<usize>> {
    let members = members([4096, 64], tensors, calls);
    let groups = groups(&members, false);
    verified(&members, &groups).expect("an order that gives the same result");
    groups
        .into_iter()
        .map(|Group { calls, .. }| calls)
        .collect()
}

/// Makes the calls for the rows of a tensor divided by their sums, `calls` before them, and between the sums and the
/// division.
fn shares_of_rows(
    before: &[(&[usize], Combine, Function)],
    between: &[(&[usize], Combine, Function)],
) -> Vec<Vec<usize>> {
    let sums: (&[usize], _, _) = (&[1, 0], Combine::Add, Function::Identity);
    let shares: (&[usize], _, _) = (&[2, 0, 1], REPLACE, Function::Divide);
    let mut calls = before.to_vec();
    calls.push(sums);
    calls.extend_from_slice(between);
    calls.push(shares);
    order(PARTS, &calls)
}

#[test]
fn a_small_call_before_calls_that_it_has_nothing_to_do_with_does_not_part_them() {
    let small: &[(&[usize], _, _)] = &[(&[4, 3], REPLACE, Function::Exp)];
    assert_eq!(shares_of_rows(&[], &[]), [[0, 1]]);
    assert_eq!(shares_of_rows(small, &[]), [vec![0], vec![1, 2]]);
    assert_eq!(shares_of_rows(&[], small), [vec![0, 2], vec![1]]);
}

/// The second call is needed by the last one, which still runs with the first one.
#[test]
fn what_a_call_needs_runs_before_the_group_that_it_joins() {
    let tensors: &[&[usize]] = &[&[0, 1], &[0, 1], &[1], &[1], &[0, 1]];
    let calls: [(&[usize], _, _); 3] = [
        (&[1, 0], REPLACE, Function::Exp),
        (&[3, 2], REPLACE, Function::Exp),
        (&[4, 1, 3], REPLACE, Function::Multiply),
    ];
    assert_eq!(order(tensors, &calls), [vec![1], vec![0, 2]]);
}

/// The second call reads what the first one writes, and each of its results takes cells of all rows.
#[test]
fn a_call_does_not_join_a_group_behind_which_runs_what_it_needs() {
    let tensors: &[&[usize]] = &[&[0, 1], &[0, 1], &[1], &[0, 1]];
    let calls: [(&[usize], _, _); 3] = [
        (&[1, 0], REPLACE, Function::Exp),
        (&[2, 1], Combine::Add, Function::Identity),
        (&[3, 1, 2], REPLACE, Function::Multiply),
    ];
    assert_eq!(order(tensors, &calls), [[0], [1], [2]]);
}

/// The last call needs what the third one writes, which needs the second one, which needs the first one.
#[test]
fn a_call_does_not_join_a_group_behind_which_runs_what_it_needs_by_way_of_others() {
    let tensors: &[&[usize]] = &[&[0, 1], &[0, 1], &[], &[], &[0, 1]];
    let calls: [(&[usize], _, _); 4] = [
        (&[1, 0], REPLACE, Function::Exp),
        (&[2, 1], Combine::Add, Function::Identity),
        (&[3, 2], REPLACE, Function::Exp),
        (&[4, 1, 3], REPLACE, Function::Multiply),
    ];
    let order = order(tensors, &calls);
    assert_eq!(order.concat(), [0, 1, 2, 3], "{order:?}");
}

/// The last call overwrites what the second one reads.
#[test]
fn a_call_does_not_overtake_one_that_reads_what_it_overwrites() {
    let tensors: &[&[usize]] = &[&[0, 1], &[0, 1], &[1]];
    let calls: [(&[usize], _, _); 3] = [
        (&[1, 0], REPLACE, Function::Exp),
        (&[2, 1], Combine::Add, Function::Identity),
        (&[1, 0], REPLACE, Function::Log),
    ];
    assert_eq!(order(tensors, &calls), [[0], [1], [2]]);
}

/// Shows that as many groups wait as before, however long a program is.
#[test]
fn calls_far_apart_do_not_run_together() {
    let between = 3 * super::MOST;
    let mut tensors: Vec<&[usize]> = vec![&[0, 1], &[0, 1], &[0, 1]];
    tensors.resize(3 + 2 * between, &[0, 1]);
    let names: Vec<[usize; 2]> = (0..between).map(|at| [3 + 2 * at, 4 + 2 * at]).collect();
    let mut calls: Vec<(&[usize], _, _)> = vec![(&[1, 0], REPLACE, Function::Exp)];
    calls.extend(names.iter().map(|pair| (&pair[..], REPLACE, Function::Exp)));
    calls.push((&[2, 1], REPLACE, Function::Exp));
    assert!(order(&tensors, &calls).contains(&vec![0]));
}
