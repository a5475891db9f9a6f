//! The memory that a program asks for from its text to its loop nests: at most 1900 bytes per operation. The allocator
//! of the system needs about a hundred more for itself, and at most 2048 may be resident.

use std::fmt::Write;

const MOST: i64 = 1900;

/// Writes n layers, each with a parameter, a composition, an activation and a sum.
fn residual(layers: usize) -> String {
    let mut text = String::from("data x : 8|->16 = range(128)\nlet a0 = x + 1\n");
    for layer in 0..layers {
        let next = layer + 1;
        let _ = writeln!(
            text,
            "param w{layer}\nlet a{next} = relu(w{layer} * a{layer}) + a{layer}"
        );
    }
    text
}

/// Returns the value that `make` returns, the bytes that are allocated after it beyond those before, and the peak of
/// this number.
fn held<T>(make: impl FnOnce() -> T) -> (T, i64, i64) {
    let mut made = None;
    let allocated = allocation_counter::measure(|| made = Some(make()));
    let most = i64::try_from(allocated.bytes_max).expect("a number of bytes");
    (made.expect("made"), allocated.bytes_current, most)
}

#[test]
fn an_operation_takes_two_kilobytes_at_most() {
    let options = lozenge::Options::default();
    // Values that are made once for all programs, like the prelude, belong to no operation.
    let first = lozenge::parse(&residual(1)).expect("a program");
    lozenge::infer(&first, &options).expect("it has shapes");
    for layers in [100, 1000, 5000] {
        let text = residual(layers);
        let (program, of_program, _) = held(|| lozenge::parse(&text).expect("a program"));
        let (inference, of_inference, at_most) =
            held(|| lozenge::infer(&program, &options).expect("it has shapes"));
        let operations = inference.nests.len() as i64;
        assert_eq!(operations, 3 * layers as i64 + 2);
        let each = [of_program, of_inference, at_most].map(|bytes| bytes / operations);
        let [program, inference, at_most] = each;
        assert!(
            program + inference <= MOST && program + at_most <= MOST,
            "{layers} layers: the program {program}, what is inferred {inference}, on the way to it {at_most}"
        );
    }
}

/// Index maps, loops and sizes that several operations share are stored once.
#[test]
fn loop_nests_share_what_they_have_in_common() {
    let program = lozenge::parse(&residual(100)).expect("a program");
    let inference = lozenge::infer(&program, &lozenge::Options::default()).expect("it has shapes");
    let maps: std::collections::BTreeSet<*const _> = inference
        .nests
        .iter()
        .flat_map(|nest| nest.slots())
        .map(|slot| std::sync::Arc::as_ptr(&slot.map))
        .collect();
    // A number has no axes; a composition has three maps, and all other operations have one of them.
    assert_eq!(maps.len(), 4);
}
