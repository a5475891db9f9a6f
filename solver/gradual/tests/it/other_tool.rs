//! Facts about programs that the tests of PyTorch's own tools for gradual types ask for, each answered as PyTorch
//! documents its operators.
//!
//! The tests are those of `test/fx/test_z3_gradual_types.py` and `test/fx/test_gradual_type.py` of PyTorch 1.13, at
//! whose programs and shapes a fact names the test. Tests of the inside of those tools have no fact: the numbers of
//! constraints (`test_add_reshape`, `test_conv_reshape_add`, `test_precision`, `test_matching`, `test_consistency` of
//! both files), their relations and broadcasting of types (`test_annotations`, `test_annotate`, `test_broadcasting1` to
//! `3`), and annotations inside of a program, which graphs do not carry (`test_type_check_batch_norm_2D_broadcast`,
//! `test_type_check_conv2D`, `test_type_check_batch_norm_symbolic`, `test_type_check_conv2D_types`).

mod building;
mod functions;
mod modules;

/// The facts that the tests of the other tool have otherwise, with the reason why PyTorch does not agree with them. A
/// fact below asks about each.
const DIFFERENCES: [(&str, &str); 2] = [
    (
        "test_conv_dyn",
        "an image without a batch is refused there, and a convolution takes it",
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
    ]
    .concat();
    for (test, why) in DIFFERENCES {
        assert!(told.contains(&format!("\"{test}\"")), "{test}: {why}");
    }
}
