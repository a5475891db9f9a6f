//! Facts about modules and networks.

use super::building::{Program, of};
use crate::fx::{content, graph};
use lozenge_gradual_solver::{
    BranchVerdict, Given, Migration, Options, Point, Relax, Sizes, Verdict,
};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::Arc;

/// Returns the parameters of a convolution: channels, then kernel, stride, padding, dilation, and groups.
fn conv(
    (inside, outside): (u64, u64),
    [kernel, stride, padding, dilation]: [u64; 4],
    groups: u64,
) -> Json {
    json!({
        "in_channels": inside, "out_channels": outside, "kernel_size": [kernel, kernel],
        "stride": [stride, stride], "padding": [padding, padding], "dilation": [dilation, dilation],
        "groups": groups, "transposed": false, "output_padding": [0, 0], "padding_mode": "zeros", "bias": false,
    })
}

const CONV: &str = "conv.Conv2d";

fn convolution(test: &'static str, annotation: &str, params: Json) -> Program {
    Program::new(test, &[("x", annotation)]).module("conv1", CONV, params, "x")
}

#[test]
fn convolutions_want_their_channels_and_a_kernel_that_fits() {
    let twos = || conv((2, 2), [2, 2, 2, 2], 2);
    convolution("test_conv_dyn", "Dyn", twos())
        .gives(&[&[4, 2, 3, 4]], Some(&[4, 2, 3, 3]))
        .runs("x.rank = 4, x[1] != 2", false)
        .runs("x.rank = 2", false)
        // A difference: an image without a batch.
        .gives(&[&[2, 3, 4]], Some(&[2, 3, 3]));
    convolution(
        "test_conv_static",
        "1, 2, 10, 20",
        conv((2, 2), [2, 3, 2, 2], 1),
    )
    .gives(&[&[1, 2, 10, 20]], Some(&[1, 2, 4, 8]));
    convolution(
        "test_conv_static",
        "1, 2, 10, 20",
        conv((2, 4), [5, 2, 9, 2], 1),
    )
    .gives(&[&[1, 2, 10, 20]], Some(&[1, 4, 10, 15]));
    let fours = || conv((4, 2), [2, 2, 2, 2], 2);
    convolution("test_conv_wrong_example", "Dyn", twos())
        .module("conv2", CONV, fours(), "x")
        .runs("", false);
    convolution("test_conv_right_example_w_arithmetic", "Dyn", fours())
        .gives(&[&[1, 4, 28470, 28470]], Some(&[1, 2, 14236, 14236]))
        .runs("x.rank < 3", false)
        // The same difference.
        .gives(&[&[4, 3, 4]], Some(&[2, 3, 3]));
    convolution(
        "test_conv_intro_example",
        "Dyn",
        conv((512, 512), [3, 1, 0, 1], 1),
    )
    .method("dim", "dim", json!([of("conv1")]))
    .function("eq", "_operator.eq", json!([of("dim"), 4]))
    // And again: of an image without a batch the convolution has rank 3.
    .side("", BranchVerdict::Depends)
    .side("x.rank = 4", BranchVerdict::Always);
    let all = "test_type_check_conv2D_2_fully_static";
    convolution(all, "1, 2, 3, 5", conv((2, 2), [1, 1, 1, 1], 1))
        .gives(&[&[1, 2, 3, 5]], Some(&[1, 2, 5, 7]));
    convolution(all, "2, 5, 6, 9", conv((5, 5), [2, 2, 2, 2], 5))
        .gives(&[&[2, 5, 6, 9]], Some(&[2, 5, 4, 6]));
    convolution(all, "10, 15, 13, 14", conv((15, 15), [3, 3, 3, 3], 5))
        .gives(&[&[10, 15, 13, 14]], Some(&[10, 15, 5, 5]));
    convolution(all, "10, Dyn, 13, 14", conv((15, 15), [3, 2, 3, 3], 5))
        .gives(&[&[10, 15, 13, 14]], Some(&[10, 15, 7, 7]))
        .runs("x[1] = 14", false);
    convolution(all, "Dyn, Dyn, Dyn, 3", conv((2, 2), [3, 2, 3, 3], 2))
        .gives(&[&[1, 2, 2, 3]], Some(&[1, 2, 1, 2]));
    let residual = |planes| {
        convolution(
            "test_type_check_conv2D_2",
            "5, 2, 3, 4",
            conv(planes, [3, 1, 1, 1], 1),
        )
        .function("sum", "_operator.iadd", json!([of("conv1"), of("x")]))
    };
    residual((2, 2)).gives(&[&[5, 2, 3, 4]], Some(&[5, 2, 3, 4]));
    residual((1, 2)).runs("", false);
}

fn reshaped(test: &'static str, x: &str, y: Option<&str>, target: &[i64]) -> Program {
    let inputs: Vec<(&str, &str)> = [Some(("x", x)), y.map(|y| ("y", y))]
        .into_iter()
        .flatten()
        .collect();
    let program = Program::new(test, &inputs)
        .function(
            "reshape",
            "torch.reshape",
            json!([of("x"), {"tuple": target}]),
        )
        .module("conv1", CONV, conv((2, 2), [2, 3, 2, 2], 2), "reshape");
    match y {
        Some(_) => program.function("add", "torch.add", json!([of("conv1"), of("y")])),
        None => program,
    }
}

#[test]
fn a_convolution_of_what_is_reshaped_is_added() {
    let image: &[i64] = &[1, 2, 10, 20];
    reshaped("test_conv_reshape0", "Dyn", None, image).gives(&[&[20, 20]], Some(&[1, 2, 4, 8]));
    reshaped("test_conv_reshape1", "20, 20", None, &[1, -1, 10, 20])
        .gives(&[&[20, 20]], Some(&[1, 2, 4, 8]));
    // There an image without a batch is refused; here the channels are, which are 1.
    reshaped("test_conv_reshape_unsat", "Dyn", None, &[1, 2, 10]).runs("", false);
    reshaped("test_conv_reshape_add_0", "Dyn", Some("Dyn"), image).runs("", true);
    reshaped("test_conv_reshape_add_0_2", "Dyn", Some("4, 1"), image)
        .gives(&[&[20, 20], &[4, 1]], Some(&[1, 2, 4, 8]));
    reshaped("test_conv_reshape_add_0_3", "Dyn", Some("11, 1"), image).runs("", false);
    reshaped(
        "test_conv_reshape_add_1",
        "Dyn",
        Some("1, 2, 10, 20"),
        image,
    )
    .runs("", false);
}

/// Returns the parameters of a pool: kernel, stride, padding, dilation.
fn pool([kernel, stride, padding, dilation]: [u64; 4]) -> Json {
    json!({
        "kernel_size": kernel, "stride": stride, "padding": padding, "dilation": dilation,
        "ceil_mode": false, "return_indices": false,
    })
}

#[test]
fn pools_halve_and_pad() {
    let pooled = |test, annotation: &str, params| {
        Program::new(test, &[("x", annotation)]).module("pool", "pooling.MaxPool2d", params, "x")
    };
    pooled(
        "test_type_typechecl_maxpool2d_3dinput",
        "64, 8, 8",
        pool([5, 8, 0, 1]),
    )
    .gives(&[&[64, 8, 8]], Some(&[64, 1, 1]));
    let all = "test_type_maxpool2d_fully_static";
    pooled(all, "Dyn, Dyn, 3, 5", pool([2, 1, 1, 1])).gives(&[&[1, 2, 3, 5]], Some(&[1, 2, 4, 6]));
    pooled(all, "2, 5, 6, 9", pool([4, 2, 2, 2])).gives(&[&[2, 5, 6, 9]], Some(&[2, 5, 2, 4]));
    pooled(all, "10, 15, 13, 14", pool([6, 3, 3, 3]))
        .gives(&[&[10, 15, 13, 14]], Some(&[10, 15, 2, 2]));
    pooled(all, "10, Dyn, 13, 14", pool([6, 2, 3, 3]))
        .gives(&[&[10, 15, 13, 14]], Some(&[10, 15, 2, 3]));
    pooled(all, "Dyn, Dyn, Dyn, 10", pool([3, 1, 1, 2]))
        .gives(&[&[2, 2, 10, 10]], Some(&[2, 2, 8, 8]));
}

#[test]
fn norms_and_tables_want_their_sizes() {
    let norm = |annotation| {
        let params = json!({"normalized_shape": [1024], "elementwise_affine": true, "eps": 1e-5, "bias": true});
        Program::new("test_layer_norm", &[("x", annotation)]).module(
            "l",
            "normalization.LayerNorm",
            params,
            "x",
        )
    };
    norm("Dyn").gives(&[&[1024]], Some(&[1024]));
    norm("10, 10").runs("", false);
    norm("10, 1024").gives(&[&[10, 1024]], Some(&[10, 1024]));
    let table = |annotation| {
        let params = json!({"num_embeddings": 256_008, "embedding_dim": 1024, "padding_idx": 1});
        Program::new("test_embedding", &[("x", annotation)]).module(
            "embedding",
            "sparse.Embedding",
            params,
            "x",
        )
    };
    table("2, 4").gives(&[&[2, 4]], Some(&[2, 4, 1024]));
    table("Dyn, Dyn").runs("", true);
    table("Dyn").runs("", true);
    let batch = |test, annotation| {
        let params = json!({"num_features": 2, "affine": true, "eps": 1e-5, "bias": true});
        Program::new(test, &[("x", annotation)])
            .module("bn1", "batchnorm.BatchNorm2d", params, "x")
            .function("sum", "_operator.iadd", json!([of("bn1"), of("x")]))
    };
    batch("test_type_check_batch_norm_2D", "2, 2, 5, 4")
        .gives(&[&[2, 2, 5, 4]], Some(&[2, 2, 5, 4]));
    batch("test_type_check_batch_norm_2D_false", "2, 2, 5").runs("", false);
}

#[test]
fn layers_behind_each_other_want_what_the_last_one_wants() {
    let network = |test, annotation| {
        let linear = json!({"in_features": 5, "out_features": 120, "bias": true});
        Program::new(test, &[("x", annotation)])
            .module("conv1", CONV, conv((3, 6), [5, 1, 0, 1], 1), "x")
            .module("pool", "pooling.MaxPool2d", pool([2, 2, 0, 1]), "conv1")
            .module("conv2", CONV, conv((6, 16), [5, 1, 0, 1], 1), "pool")
            .module("pool_1", "pooling.MaxPool2d", pool([2, 2, 0, 1]), "conv2")
            .module("fc1", "linear.Linear", linear, "pool_1")
            .module(
                "pool2",
                "pooling.AdaptiveAvgPool2d",
                json!({"output_size": [6, 7]}),
                "fc1",
            )
            .function("flatten", "torch.flatten", json!([of("pool2"), 1]))
    };
    network("test_conv2D_maxpool2d_flatten", "4, 3, 32, 32")
        .gives(&[&[4, 3, 32, 32]], Some(&[4, 672]));
    network("test_type_check_conv2D_maxpool2d_flatten", "4, 3, 32, 32").runs("", true);
    network("test_conv2D_maxpool2d_flatten_unsat", "4, 3, 32, 45").runs("", false);
    network("test_conv2D_maxpool2d_flatten_dyn", "Dyn, 3, 32, 32").runs("", true);
    network(
        "test_type_check_symbolic_inferenceconv2D_maxpool2d_flatten",
        "4, 3, Dyn, Dyn",
    )
    .runs("x[3] = 32", true)
    .runs("x[3] = 36", false);
    let norm = json!({"num_features": 2, "affine": true, "eps": 1e-5, "bias": true});
    Program::new("test_typecheck_basicblock", &[("x", "2, 2, 4, 5")])
        .module("conv1", CONV, conv((2, 2), [3, 1, 1, 1], 1), "x")
        .module("bn1", "batchnorm.BatchNorm2d", norm.clone(), "conv1")
        .module("relu", "activation.ReLU", json!({"inplace": true}), "bn1")
        .module("conv2", CONV, conv((2, 2), [3, 1, 1, 1], 1), "relu")
        .module("bn2", "batchnorm.BatchNorm2d", norm, "conv2")
        .function("sum", "_operator.iadd", json!([of("bn2"), of("x")]))
        .module("relu_1", "activation.ReLU", json!({"inplace": true}), "sum")
        .gives(&[&[2, 2, 4, 5]], Some(&[2, 2, 4, 5]));
}

fn example(name: &str) -> lozenge_graph_vocabulary::Graph {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fx");
    graph(content(&folder.join(format!("{name}.json.gz"))))
}

/// The tests `test_resnet50` of both files, `test_resnet50_unsat`, `test_resnet502`, `test_resnet503` and
/// `test_alexnet1` to `4`.
#[test]
fn networks_take_images_and_keep_their_number() {
    let network = |name: &str, conditions: &str| {
        let conditions = lozenge_gradual_vocabulary::conditions(conditions).expect("conditions");
        let options = Options {
            relax: Relax::Nothing,
            conditions,
        };
        Migration::of(Arc::new(example(name)), &options)
    };
    assert_eq!(network("ResNet50", "x.rank = 3").verdict, Verdict::Unsat);
    let images = network("ResNet50", "x[0] > 4, x[2] = 224, x[3] = 224");
    assert_eq!(images.verdict, Verdict::Sat);
    let output = images.nodes.iter().find(|node| node.name == "fc");
    assert_eq!(output.map(|node| node.shape.as_str()), Some("[x[0], 1000]"));
    let given = |sizes: &[u64]| Point::from([("x".to_owned(), Given::Sizes(sizes.to_vec()))]);
    for (name, sizes, output) in [
        ("ResNet50", [1, 3, 224, 224], [1, 1000]),
        ("AlexNet", [10, 3, 227, 227], [10, 1000]),
    ] {
        let answer = Sizes::at(&example(name), &Options::default(), &given(&sizes));
        assert_eq!(answer.admitted, Some(true), "{name}");
        assert_eq!(answer.outputs[0].1.as_deref(), Some(&output[..]), "{name}");
    }
    for (conditions, expected) in [
        (
            "x.rank = 4, x[1] = 4, x[2] = 227, x[3] = 227",
            Verdict::Unsat,
        ),
        ("x.rank = 4, x[2] = 227, x[3] = 227", Verdict::Sat),
        ("x.rank = 3, x[2] = 227", Verdict::Unsat),
    ] {
        assert_eq!(
            network("AlexNet", conditions).verdict,
            expected,
            "{conditions}"
        );
    }
}
