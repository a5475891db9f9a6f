//! Facts about functions and methods.

use super::building::{Program, of};
use lozenge_gradual_solver::BranchVerdict;
use serde_json::{Value as Json, json};

fn tuple(sizes: &[i64]) -> Json {
    json!({ "tuple": sizes })
}

fn sum(test: &'static str, x: &str, y: &str) -> Program {
    Program::new(test, &[("x", x), ("y", y)]).function(
        "add",
        "torch.add",
        json!([of("x"), of("y")]),
    )
}

#[test]
fn sums_stretch_sizes_1_and_no_others() {
    sum("test_add", "Dyn", "Dyn")
        .runs("", true)
        .gives(&[&[1], &[2]], Some(&[2]));
    sum("test_add", "Dyn,", "Dyn")
        .runs("y.rank = 1, x[0] = 4, y[0] = 5", false)
        .runs("x.rank = 2", false);
    sum("test_add_padding", "Dyn", "Dyn, Dyn").runs("", true);
    sum("test_add_padding_2", "Dyn, Dyn", "Dyn,").runs("x[1] > 1", true);
    sum("test_add_padding_3", "Dyn, 1", "Dyn,").gives(&[&[4, 1], &[3]], Some(&[4, 3]));
    sum("test_add_padding_4", "2, 1", "3").gives(&[&[2, 1], &[3]], Some(&[2, 3]));
    sum("test_add_padding_5", "2, 2", "3").runs("", false);
    sum("test_add_size_3", "Dyn, Dyn, Dyn", "Dyn, Dyn, Dyn")
        .runs("x[1] = 1, x[2] = 5", true)
        .runs("x[1] = 1, x[2] = 5, y[2] = 6", false);
    sum("test_add_padding_6", "Dyn,", "Dyn, Dyn, Dyn").runs("x[0] = 4, y[2] = 5", false);
    sum("test_add_padding_7", "Dyn,", "Dyn, Dyn, Dyn, Dyn")
        .runs("", true)
        .runs("x.rank = 2", false);
    sum("test_add_padding_8", "Dyn,", "Dyn, Dyn, Dyn, Dyn").runs("x[0] = 1", true);
    sum("test_add_padding_9", "Dyn", "Dyn, Dyn, Dyn, Dyn")
        .runs("x.rank = 1, x[0] > 1, y[3] > 1, x[0] = y[3]", true)
        .runs("x.rank = 1, x[0] > 1, y[3] > 1, x[0] != y[3]", false);
    sum(
        "test_type_check_add_with_broadcast",
        "1, 2, 3, Dyn",
        "2, 3, 4",
    )
    .gives(&[&[1, 2, 3, 1], &[2, 3, 4]], Some(&[1, 2, 3, 4]))
    .runs("x[3] != 1, x[3] != 4", false);
    sum(
        "test_symbolic_add_with_broadcast",
        "1, 2, 3, Dyn",
        "2, 3, 4",
    )
    .runs("x[3] = 4", true);
    sum("test_symbolic_add_with_broadcast_2", "1, 2", "Dyn, 2")
        .gives(&[&[1, 2], &[7, 2]], Some(&[7, 2]));
    sum("test_type_check_add_false", "1, 2, 3, Dyn", "1, 2, 3")
        .gives(&[&[1, 2, 3, 4], &[1, 2, 3]], None);
    sum("test_type_check_add_true", "1, 2, Dyn", "1, 2, 3")
        .gives(&[&[1, 2, 3], &[1, 2, 3]], Some(&[1, 2, 3]));
    Program::new("test_type_check_add_with_scalar", &[("y", "2, 3, 4")])
        .function("add", "torch.add", json!([7, of("y")]))
        .gives(&[&[2, 3, 4]], Some(&[2, 3, 4]));
    Program::new("test_ne", &[("x", "1, 2"), ("y", "2, Dyn")])
        .function("ne", "torch.ne", json!([of("x"), of("y")]))
        .gives(&[&[1, 2], &[2, 1]], Some(&[2, 2]))
        .runs("y[1] = 3", false);
}

fn reshape(test: &'static str, annotation: &str, target: &[i64]) -> Program {
    Program::new(test, &[("x", annotation)]).function(
        "reshape",
        "torch.reshape",
        json!([of("x"), tuple(target)]),
    )
}

#[test]
fn a_reshape_keeps_the_number_of_elements() {
    reshape("test_reshape_dyn", "Dyn", &[2, -1])
        .runs("x.rank = 1", true)
        .runs("x.rank = 1, x[0] = 4", true)
        .runs("x.rank = 1, x[0] = 9", false);
    reshape("test_reshape_annotated", "Dyn,", &[2, -1]).runs("x.rank = 2", false);
    reshape("test_reshape_static_target", "Dyn,", &[2, 3])
        .gives(&[&[6]], Some(&[2, 3]))
        .runs("x[0] != 6", false);
    reshape("test_reshape_static_target2", "Dyn", &[2, 3, 1, 1])
        .runs("x.rank = 1, x[0] != 6", false);
    reshape("test_type_check_reshape_true", "1, 6", &[1, 2, 3]).gives(&[&[1, 6]], Some(&[1, 2, 3]));
    reshape("test_type_check_reshape_false", "1, 5", &[1, 2, 3]).runs("", false);
    reshape("test_type_check_reshape_dyn_false", "1, 5", &[1, 2, -1]).runs("", false);
    reshape("test_type_check_reshape_dyn_true", "1, 15", &[1, 5, -1])
        .gives(&[&[1, 15]], Some(&[1, 5, 3]));
    // There the annotation `Dyn, 5` is refused; here it says which sizes run: the even ones.
    reshape(
        "test_type_check_reshape_dyn_true_param_false",
        "Dyn, 5",
        &[1, 2, -1],
    )
    .gives(&[&[3, 5]], None)
    .gives(&[&[4, 5]], Some(&[1, 2, 10]));
    Program::new("test_view", &[("x", "2, 4")])
        .method("view", "view", json!([of("x"), -1, 8]))
        .gives(&[&[2, 4]], Some(&[1, 8]));
    let both = |test, left: &[i64], right: &[i64]| {
        Program::new(test, &[("x", "Dyn"), ("y", "Dyn")])
            .function("a", "torch.reshape", json!([of("x"), tuple(left)]))
            .function("b", "torch.reshape", json!([of("y"), tuple(right)]))
            .function("add", "torch.add", json!([of("a"), of("b")]))
    };
    both("test_add_reshape_1", &[1, 2], &[2, 2]).gives(&[&[2], &[4]], Some(&[2, 2]));
    both("test_add_reshape_2", &[-1, 2], &[2, 2, 2])
        .gives(&[&[4], &[8]], Some(&[2, 2, 2]))
        .gives(&[&[6], &[8]], None);
}

fn flatten(test: &'static str, annotation: &str, (start, end): (i64, i64)) -> Program {
    Program::new(test, &[("x", annotation)]).function(
        "flatten",
        "torch.flatten",
        json!([of("x"), start, end]),
    )
}

#[test]
fn flattened_axes_are_multiplied() {
    flatten("test_type_check_flatten", "2, 3, Dyn, 5", (1, 3))
        .gives(&[&[2, 3, 4, 5]], Some(&[2, 60]));
    flatten("test_type_check_flatten", "2, 3, Dyn", (10, 0)).runs("", false);
    flatten("test_type_check_flatten", "1, 2, 3, 5, Dyn", (1, 2))
        .gives(&[&[1, 2, 3, 5, 7]], Some(&[1, 6, 5, 7]));
    flatten("test_type_check_flatten_2", "1, Dyn, 3, 5, Dyn", (1, 2))
        .gives(&[&[1, 2, 3, 5, 7]], Some(&[1, 6, 5, 7]));
    flatten("test_type_check_flatten3", "2, 3, 4, 5", (1, 3))
        .gives(&[&[2, 3, 4, 5]], Some(&[2, 60]));
    let all = "test_flatten_fully_static";
    flatten(all, "Dyn", (1, 1)).gives(&[&[1, 2, 3, 5]], Some(&[1, 2, 3, 5]));
    flatten(all, "2, 5, 6, 9", (2, 3)).gives(&[&[2, 5, 6, 9]], Some(&[2, 5, 54]));
    flatten(all, "10, 15, 13, 14", (1, 3)).gives(&[&[10, 15, 13, 14]], Some(&[10, 2730]));
    flatten(all, "10, Dyn, 13, 14", (2, 3)).gives(&[&[10, 15, 13, 14]], Some(&[10, 15, 182]));
    flatten(all, "Dyn, Dyn, Dyn, 10", (0, -2)).gives(&[&[2, 2, 10, 10]], Some(&[40, 10]));
}

#[test]
fn axes_are_those_that_the_tensor_has() {
    let transpose = |test, last: i64| {
        Program::new(test, &[("x", "1, 2, 3, 5")]).function(
            "transpose",
            "torch.transpose",
            json!([of("x"), 0, last]),
        )
    };
    transpose("test_type_check_transpose_true", 1).gives(&[&[1, 2, 3, 5]], Some(&[2, 1, 3, 5]));
    transpose("test_type_check_transpose_False", 10).runs("", false);
    let cumsum = |annotation| {
        Program::new("test_cumsum", &[("x", annotation)]).function(
            "t",
            "torch.cumsum",
            json!([of("x"), 3]),
        )
    };
    cumsum("Dyn, 4, 3").runs("", false);
    cumsum("Dyn").runs("", true).runs("x.rank = 3", false);
    cumsum("1, 2, 3, 4").gives(&[&[1, 2, 3, 4]], Some(&[1, 2, 3, 4]));
}

#[test]
fn sizes_are_integers_of_the_program() {
    let entry = |test, annotation, at: i64| {
        Program::new(test, &[("x", annotation)])
            .method("size", "size", json!([of("x")]))
            .function("getitem", "_operator.getitem", json!([of("size"), at]))
    };
    entry("test_size_getitem", "Dyn", -1).runs("x.rank = 4", true);
    // A difference: a tensor of ten axes has a tenth size.
    entry("test_size_getitem", "Dyn", -10)
        .function("ones", "torch.ones", json!([of("getitem")]))
        .runs("x.rank = 4", false)
        .gives(&[&[3, 1, 1, 1, 1, 1, 1, 1, 1, 2]], Some(&[3]));
    let range = |annotation| {
        entry("test_arange", annotation, -1).function(
            "arange",
            "torch.arange",
            json!([of("getitem")]),
        )
    };
    range("2, 4").gives(&[&[2, 4]], Some(&[4]));
    range("Dyn").runs("", true).runs("x.rank = 0", false);
    range("Dyn, Dyn, Dyn, Dyn").runs("", true);
    entry("test_scalar_add", "2, 4", -1)
        .function("arange", "torch.arange", json!([of("getitem")]))
        .function("add", "_operator.add", json!([of("arange"), 1]))
        .gives(&[&[2, 4]], Some(&[4]));
    Program::new("test_size_two_args", &[("x", "Dyn, 2, Dyn")])
        .method("size", "size", json!([of("x"), -1]))
        .function("full", "torch.ones", json!([of("size")]))
        .gives(&[&[3, 2, 9]], Some(&[9]));
}

#[test]
fn conditions_are_decided_by_annotations() {
    let embedded = |test, annotation, target| {
        let table = json!({"num_embeddings": 256_008, "embedding_dim": 1024, "padding_idx": 1});
        Program::new(test, &[("x", annotation)])
            .method("size", "size", json!([of("x")]))
            .function("getitem", "_operator.getitem", json!([of("size"), -1]))
            .method("view", "view", json!([of("x"), -1, of("getitem")]))
            .module("embed", "sparse.Embedding", table, "view")
            .function("mul", "_operator.mul", json!([of("embed"), 32.0]))
            .function("condition", target, json!([of("getitem"), 1]))
    };
    let gt = "_operator.gt";
    embedded("test_conditional", "Dyn, 4", gt).side("", BranchVerdict::Always);
    embedded("test_conditional", "Dyn", gt).side("", BranchVerdict::Depends);
    embedded("test_conditional", "Dyn, Dyn", gt).side("", BranchVerdict::Depends);
    embedded("test_conditional_2", "Dyn, 4", "_operator.lt").side("", BranchVerdict::Never);
    Program::new("test_gt", &[("x", "Dyn, 4")])
        .method("size", "size", json!([of("x")]))
        .function("getitem", "_operator.getitem", json!([of("size"), -1]))
        .function("gt", gt, json!([of("getitem"), 1]))
        .side("", BranchVerdict::Always);
    let table = json!({"num_embeddings": 256_008, "embedding_dim": 1024, "padding_idx": 1});
    Program::new("test_view_mul", &[("x", "2, 4")])
        .method("size", "size", json!([of("x")]))
        .function("getitem", "_operator.getitem", json!([of("size"), -1]))
        .method("view", "view", json!([of("x"), -1, of("getitem")]))
        .module("embed", "sparse.Embedding", table, "view")
        .function("mul", "_operator.mul", json!([of("embed"), 32.0]))
        .gives(&[&[2, 4]], Some(&[2, 4, 1024]));
}
