//! Facts about tensors that are multiplied, expanded, selected and filled.

use super::building::{Program, of};
use lozenge_gradual_solver::BranchVerdict;
use serde_json::{Value as Json, json};

#[test]
fn stacks_of_matrices_have_one_batch_and_one_inner_size() {
    let product = |test, x: &str, y: &str| {
        Program::new(test, &[("x", x), ("y", y)]).function(
            "bmm",
            "torch.bmm",
            json!([of("x"), of("y")]),
        )
    };
    product("test_bmm", "Dyn, 2, 3", "1, 3, 2")
        .gives(&[&[1, 2, 3], &[1, 3, 2]], Some(&[1, 2, 2]))
        .runs("x[0] = 2", false);
    product("test_bmm2", "Dyn", "1, 3, 2")
        .gives(&[&[1, 2, 3], &[1, 3, 2]], Some(&[1, 2, 2]))
        .runs("x.rank = 3, x[1] = 7", true)
        .runs("x.rank != 3", false);
    product("test_bmm3", "2, 3, 3", "1, 3, 2").runs("", false);
    product("test_bmm4", "1, 3, 2", "1, 3, 2").runs("", false);
    product("test_bmm5", "Dyn", "1, 3, 2").runs("x.rank = 3", true);
    product("test_bmm6", "Dyn", "1, 3, 2").runs("x.rank = 3, x[1] > 2, x[1] < 5", true);
    let transpose = |annotation| {
        Program::new("test_transpose", &[("x", annotation)]).method(
            "transpose",
            "transpose",
            json!([of("x"), 0, 1]),
        )
    };
    transpose("1, 2, 3, 4").gives(&[&[1, 2, 3, 4]], Some(&[2, 1, 3, 4]));
    transpose("Dyn").runs("", true).runs("x.rank = 1", false);
}

#[test]
fn selected_and_expanded_axes_have_the_asked_sizes() {
    Program::new("test_index_select", &[("x", "2050, 1024"), ("y", "Dyn")])
        .method("select", "index_select", json!([of("x"), 0, of("y")]))
        .gives(&[&[2050, 1024], &[8]], Some(&[8, 1024]))
        .runs("y.rank = 2", false);
    let expand = |annotation| {
        Program::new("test_expand", &[("x", annotation)])
            .method("size", "size", json!([of("x")]))
            .function("getitem", "_operator.getitem", json!([of("size"), -1]))
            .method("expand", "expand", json!([of("x"), of("getitem"), 4]))
    };
    expand("1, 4").gives(&[&[1, 4]], Some(&[4, 4]));
    expand("Dyn")
        .runs("x.rank = 2, x[1] = 4", true)
        .runs("x.rank = 2, x[1] = 3", false);
    let whole = json!({"slice": [null, null, null]});
    let entry = |test, annotation, index: Json| {
        let index = json!({ "tuple": index });
        Program::new(test, &[("x", annotation)]).function(
            "getitem",
            "_operator.getitem",
            json!([of("x"), index]),
        )
    };
    let both = json!([null, null, whole, whole]);
    entry("test_getitem_tensor", "4, 4", both.clone()).gives(&[&[4, 4]], Some(&[1, 1, 4, 4]));
    entry("test_getitem_tensor", "Dyn, 4", both).gives(&[&[7, 4]], Some(&[1, 1, 7, 4]));
    entry("test_getitem_tensor2", "4, 4", json!([null, null]))
        .gives(&[&[4, 4]], Some(&[1, 1, 4, 4]));
    entry(
        "test_getitem_tensor_3",
        "4, 4",
        json!([null, whole, null, whole]),
    )
    .gives(&[&[4, 4]], Some(&[1, 4, 1, 4]));
}

#[test]
fn a_change_of_type_keeps_the_shape() {
    Program::new("test_get_attr", &[("x", "1, 2, 3")])
        .function("getattr", "getattr", json!([of("x"), "device"]))
        .method("to", "to", json!([of("x"), of("getattr")]))
        .gives(&[&[1, 2, 3]], Some(&[1, 2, 3]));
    Program::new(
        "test_ne_int_long_type_as",
        &[("x", "Dyn, Dyn"), ("y", "Dyn, Dyn")],
    )
    .function("ne", "torch.ne", json!([of("x"), of("y")]))
    .method("int", "int", json!([of("ne")]))
    .method("type_as", "type_as", json!([of("int"), of("y")]))
    .method("long", "long", json!([of("type_as")]))
    .gives(&[&[2, 4], &[2, 4]], Some(&[2, 4]))
    .gives(&[&[2, 4], &[1, 4]], Some(&[2, 4]))
    .gives(&[&[2, 4], &[3, 4]], None);
    // The integers themselves have no sizes, so a tensor of that many ones tells them.
    for (test, arguments) in [
        ("test_regular_add_2", json!([of("getitem"), 1])),
        ("test_regular_add_3", json!([1, of("getitem")])),
    ] {
        Program::new(test, &[("x", "2, 4")])
            .method("to", "to", json!([of("x")]))
            .method("size", "size", json!([of("to")]))
            .function("getitem", "_operator.getitem", json!([of("size"), -1]))
            .function("add", "_operator.add", arguments)
            .function("ones", "torch.ones", json!([of("add")]))
            .gives(&[&[2, 4]], Some(&[5]));
    }
}

#[test]
fn rows_have_the_length_of_the_normalised_shape_or_of_the_table() {
    Program::new("test_layer_norm_functional", &[("x", "Dyn")])
        .function(
            "norm",
            "torch.nn.functional.layer_norm",
            json!([of("x"), {"tuple": [1024]}]),
        )
        .gives(&[&[1024]], Some(&[1024]))
        .runs("x.rank = 1, x[0] = 5", false);
    Program::new("test_embedding_2", &[("x", "2, 4"), ("y", "Dyn, 1024")])
        .function(
            "embedding",
            "torch.nn.functional.embedding",
            json!([of("x"), of("y")]),
        )
        .gives(&[&[2, 4], &[256_008, 1024]], Some(&[2, 4, 1024]));
}

/// A comparison of a tensor is a tensor of as many truth values, and no condition.
#[test]
fn a_rank_or_a_size_is_compared_and_a_tensor_is_no_condition() {
    let dim = |test, annotation| {
        Program::new(test, &[("x", annotation)]).method("dim", "dim", json!([of("x")]))
    };
    dim("test_dim", "1, 2")
        .function("ones", "torch.ones", json!([of("dim")]))
        .gives(&[&[1, 2]], Some(&[2]));
    dim("test_eq_dim", "32, 4, 4")
        .function("eq", "_operator.eq", json!([of("dim"), 3]))
        .side("", BranchVerdict::Always);
    Program::new("test_reshape", &[("x", "Dyn")])
        .method("view", "view", json!([of("x"), 100]))
        .method("size", "size", json!([of("view")]))
        .function("getitem", "_operator.getitem", json!([of("size"), 0]))
        .function("ones", "torch.ones", json!([of("getitem")]))
        .gives(&[&[10, 10]], Some(&[100]))
        .gives(&[&[99]], None);
    let both = [("x", "32, 4, 4"), ("y", "32, 4, 4")];
    Program::new("test_conditional_ne_1", &both)
        .method("own", "size", json!([of("x")]))
        .function("a", "_operator.getitem", json!([of("own"), 0]))
        .function("b", "_operator.getitem", json!([of("own"), 1]))
        .function("c", "_operator.getitem", json!([of("own"), 2]))
        .method("size", "size", json!([of("y")]))
        .function(
            "ne",
            "_operator.ne",
            json!([of("size"), {"tuple": [of("a"), of("b"), of("c")]}]),
        )
        .side("", BranchVerdict::Never);
    // Of a tensor beside a tuple the documentation says nothing, so the condition is open, and not out of reach.
    Program::new("test_conditional_ne_1", &both)
        .function(
            "ne",
            "_operator.ne",
            json!([of("y"), {"tuple": [32, 4, 4]}]),
        )
        .side("", BranchVerdict::Unknown);
    Program::new("test_conditional_wrong_assumption", &[("x", "Dyn")])
        .function("gt", "_operator.gt", json!([of("x"), 1]))
        .has_no_condition();
}

#[test]
fn a_mask_fits_the_tensor_that_it_fills() {
    let cumsum = |annotation| {
        Program::new("test_cumsum_kwargs", &[("x", annotation)])
            .function("t", "torch.cumsum", json!([of("x")]))
            .keyword("dim", json!(3))
    };
    cumsum("Dyn, 4, 3").runs("", false);
    cumsum("Dyn").runs("", true).runs("x.rank = 3", false);
    Program::new("test_lt_tensor", &[("x", "2, 4"), ("y", "Dyn")])
        .function("gt", "_operator.gt", json!([of("x"), of("y")]))
        .gives(&[&[2, 4], &[4]], Some(&[2, 4]))
        .runs("y.rank = 1, y[0] = 3", false);
    let filled = |annotation| {
        Program::new("test_masked_fill", &[("x", annotation)])
            .method("size", "size", json!([of("x")]))
            .function("getitem", "_operator.getitem", json!([of("size"), -1]))
            .function("arange", "torch.arange", json!([of("getitem")]))
            .method("view", "view", json!([of("x"), -1, of("getitem")]))
            .function("gt", "_operator.gt", json!([of("arange"), of("view")]))
            .method("fill", "masked_fill_", json!([of("x"), of("gt"), 0]))
    };
    filled("2, 4").gives(&[&[2, 4]], Some(&[2, 4]));
    filled("Dyn").runs("x.rank = 2", true);
    // The mask has a row for each row of all matrices together, and the tensor that is filled does not grow.
    filled("Dyn, Dyn, Dyn, Dyn")
        .gives(&[&[1, 1, 3, 4]], Some(&[1, 1, 3, 4]))
        .runs("x[0] = 2, x[2] = 3", false);
}
