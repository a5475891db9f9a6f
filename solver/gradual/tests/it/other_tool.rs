//! Facts about programs that the tests of PyTorch's own tools for gradual types ask for, each answered as PyTorch
//! documents its operators.
//!
//! The tests are those of `test/fx/test_z3_gradual_types.py` (85) and `test/fx/test_gradual_type.py` (38) of the
//! artifact of the paper, which have 119 names; PyTorch 1.13 has 110 of the tests. At its programs and shapes a fact
//! names the test. Tests of the inside of those tools have no fact: the numbers of constraints (`test_add_reshape`,
//! `test_conv_reshape_add`, `test_precision`, `test_matching`, `test_consistency` of both files), their relations and
//! broadcasting of types (`test_annotations`, `test_annotate`, `test_broadcasting1` to `3`), and annotations inside of
//! a program, which graphs do not carry (`test_type_check_batch_norm_2D_broadcast`, `test_type_check_conv2D`,
//! `test_type_check_batch_norm_symbolic`, `test_type_check_conv2D_types`).

mod building;
mod functions;
mod modules;
mod tensors;

/// The facts that the tests of the other tool have otherwise, with the reason why PyTorch does not agree with them. A
/// fact below asks about each.
const DIFFERENCES: [(&str, &str); 6] = [
    (
        "test_conv_dyn",
        "an image without a batch is refused there, and a convolution takes it",
    ),
    (
        "test_conv_right_example_w_arithmetic",
        "an image without a batch is refused there",
    ),
    (
        "test_conv_intro_example",
        "a rank of 3 is refused there, so the result has rank 4; of an image without a batch it has rank 3",
    ),
    (
        "test_conditional_wrong_assumption",
        "a comparison of a tensor with a number is a condition there; it is a tensor, on which no trace branches",
    ),
    (
        "test_conditional_ne_1",
        "a tensor is compared with a tuple there, as if it was its size; the fact compares the size",
    ),
    (
        "test_size_getitem",
        "no rank is above 4 there, so `size[-10]` never is; a tensor of ten axes has it",
    ),
];

/// Each difference is the name of a test of which facts are told.
#[test]
fn each_difference_belongs_to_a_fact() {
    let told = [
        include_str!("other_tool/functions.rs"),
        include_str!("other_tool/modules.rs"),
        include_str!("other_tool/tensors.rs"),
    ]
    .concat();
    for (test, why) in DIFFERENCES {
        assert!(told.contains(&format!("\"{test}\"")), "{test}: {why}");
    }
}
