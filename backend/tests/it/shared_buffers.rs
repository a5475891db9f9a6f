//! Recordings that exist at one time use the same memory for what they pass from kernel to kernel.

use lozenge_backend::Symbols;
use lozenge_vocabulary::operation::Function::Multiply;

use crate::engines;
use crate::recorded::{Program, calls};

/// Makes three products of matrices, each of which needs all cells of the one before. The first has this many rows.
fn product(rows: u64) -> Program {
    Program {
        sizes: vec![('i', rows), ('j', 64), ('k', 64), ('n', 64), ('m', 64)],
        tensors: vec!["ij", "jk", "in", "km", "ik", "kn", "nm"],
        calls: calls(&[
            (&[4, 0, 1], "=:+", Multiply),
            (&[5, 4, 2], "=:+", Multiply),
            (&[6, 5, 3], "=:+", Multiply),
        ]),
        temporary: vec![4, 5],
        same: Vec::new(),
    }
}

#[test]
fn a_recording_that_needs_more_adds_to_what_is_there() {
    let Some(mut device) = engines::opencl("shared_buffers") else {
        return;
    };
    let programs = [product(64), product(96), product(80)];
    let expected = programs.each_ref().map(|program| {
        let results = program.results(device.as_mut(), false);
        results.last().unwrap().values().to_vec()
    });
    let recorded = programs.each_ref().map(|program| {
        let (buffers, calls) = program.upload(device.as_mut());
        let recording = device.record(calls, &program.purpose(&buffers)).unwrap();
        (recording, buffers[6])
    });
    for turn in [0, 1, 2, 1, 0, 2] {
        let (recording, result) = recorded[turn];
        device.replay(recording, &Symbols::new()).unwrap();
        let found = device.download(result).unwrap();
        assert_eq!(found.values(), expected[turn], "program {turn}");
    }
    let memory = device.memory().unwrap();
    let row = 4 * 64;
    assert_eq!(memory.least_shared, (96 + 64) * row);
    // The first product with 96 rows lies in the memory of the two with 64, and one of 64 rows beside it.
    assert_eq!(memory.most_shared, (64 + 64 + 64) * row);
}
