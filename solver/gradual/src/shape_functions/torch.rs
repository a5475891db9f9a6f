//! The operators of PyTorch by name: those of torch.fx and of ATen.
//!
//! One name serves for the function, the method and the operator of ATen, for they take the same arguments. An overload
//! (`mean.dim`) and the underscore of an operator in place (`add_`) are left out.

mod arguments;
mod arithmetic;
mod creation;
mod indexing;
mod layers;
mod layout;
mod modules;
mod reductions;

use super::Function;
use lozenge_graph_vocabulary::Operator;

/// Returns the shape function of a target of torch.fx or of ATen.
pub(super) fn function(operator: &Operator) -> Option<Function> {
    let name = operator.name.as_str();
    if let Some(module) = name.strip_prefix("call_module.") {
        return modules::function(module);
    }
    by_name(short_name(operator))
}

/// Returns the shape function of an operator of the gradual tensor calculus that PyTorch has in another form.
pub(super) fn calculus(operator: &Operator) -> Option<Function> {
    (operator.name == "conv2d").then_some(modules::convolution_of_batches)
}

/// Returns the shape function of an operator of PyTorch that takes graphs as arguments.
pub(super) fn higher_order(operator: &Operator) -> Option<Function> {
    (operator.name == "cond").then_some(super::control::torch_branch)
}

/// Returns the name without its path, its overload and the underscore of an operator in place.
pub(super) fn short_name(operator: &Operator) -> &str {
    let name = operator.name.as_str();
    let name = match operator.domain.as_str() {
        "fx" => {
            let target = name.split_once('.').map_or(name, |(_, target)| target);
            target.rsplit('.').next().unwrap_or(target)
        }
        _ => name.split('.').next().unwrap_or(name),
    };
    if name.starts_with("__") {
        name.trim_matches('_')
    } else {
        name.strip_suffix('_').unwrap_or(name)
    }
}

fn by_name(name: &str) -> Option<Function> {
    Some(match name {
        "relu" | "relu6" | "gelu" | "silu" | "sigmoid" | "tanh" | "exp" | "expm1" | "log"
        | "log1p" | "log2" | "sqrt" | "rsqrt" | "sin" | "cos" | "tan" | "erf" | "elu" | "selu"
        | "mish" | "hardtanh" | "hardswish" | "hardsigmoid" | "leaky_relu" | "softplus"
        | "clamp" | "clamp_min" | "clamp_max" | "clip" | "logical_not" | "bitwise_not"
        | "round" | "sign" | "reciprocal" | "isnan" | "isinf" | "isfinite" | "dropout"
        | "native_dropout" | "zeros_like" | "ones_like" | "empty_like" | "full_like"
        | "rand_like" | "randn_like" | "fill" | "copy" | "type_as" | "square" | "logsigmoid"
        | "log_sigmoid" | "bernoulli" | "atan" | "asin" | "acos" | "sinh" | "cosh" | "zero"
        | "feature_dropout" | "alpha_dropout" | "dropout2d" | "nan_to_num" => arithmetic::keep,
        "contiguous" | "clone" | "detach" | "alias" | "lift_fresh_copy" | "lift_fresh"
        | "requires_grad" | "cpu" | "cuda" => arithmetic::identity,
        "to" | "int" | "long" | "float" | "half" | "double" | "bool" | "_to_copy" => {
            arithmetic::convert
        }
        "neg" | "abs" | "floor" | "ceil" => arithmetic::unary,
        "softmax" | "log_softmax" | "_softmax" | "_log_softmax" | "cumsum" | "cumprod"
        | "logcumsumexp" | "softmin" => arithmetic::along_axis,
        "add" | "iadd" | "sub" | "rsub" | "mul" | "imul" | "div" | "truediv" | "floordiv"
        | "floor_divide" | "pow" | "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "maximum"
        | "minimum" | "remainder" | "fmod" | "mod" | "and" | "or" | "xor" | "bitwise_and"
        | "bitwise_or" | "bitwise_xor" | "logical_and" | "logical_or" | "logical_xor" | "atan2"
        | "sym_max" | "sym_min" | "true_divide" | "divide" | "multiply" | "subtract"
        | "greater" | "less" => arithmetic::binary,
        "where" | "addcmul" | "addcdiv" | "lerp" => arithmetic::several,
        "tril" | "triu" => arithmetic::triangle,
        "masked_fill" | "masked_scatter" => arithmetic::masked,
        "not" | "sym_not" => arithmetic::not,
        "linear" => layers::linear,
        "matmul" => layers::matmul,
        "mm" => layers::matrices,
        "bmm" => layers::batched,
        "addmm" => layers::added_matrices,
        "baddbmm" => layers::added_batched,
        "einsum" => layers::einsum,
        "scaled_dot_product_attention" => layers::attention,
        "conv1d" | "conv2d" | "conv3d" | "convolution" | "_convolution" | "conv_transpose1d"
        | "conv_transpose2d" | "conv_transpose3d" => layers::convolution,
        "max_pool1d"
        | "max_pool2d"
        | "max_pool3d"
        | "avg_pool1d"
        | "avg_pool2d"
        | "avg_pool3d"
        | "max_pool2d_with_indices" => layers::pool,
        "adaptive_avg_pool1d"
        | "adaptive_avg_pool2d"
        | "adaptive_avg_pool3d"
        | "_adaptive_avg_pool2d"
        | "adaptive_max_pool1d"
        | "adaptive_max_pool2d"
        | "adaptive_max_pool3d" => layers::adaptive_pool,
        "layer_norm" | "native_layer_norm" | "rms_norm" => layers::layer_norm,
        "batch_norm"
        | "_native_batch_norm_legit_no_training"
        | "native_batch_norm"
        | "instance_norm" => layers::batch_norm,
        "group_norm" | "native_group_norm" => layers::group_norm,
        "embedding" => layers::embedding,
        "upsample_nearest1d"
        | "upsample_nearest2d"
        | "upsample_nearest3d"
        | "upsample_bilinear2d"
        | "upsample_linear1d"
        | "upsample_bicubic2d"
        | "interpolate" => layers::upsample,
        "view" | "reshape" | "_unsafe_view" | "view_copy" => layout::reshape,
        "view_as" | "reshape_as" => layout::reshape_as,
        "flatten" => layout::flatten,
        "unflatten" => layout::unflatten,
        "permute" => layout::permute,
        "transpose" | "swapaxes" => layout::transpose,
        "t" => layout::turned,
        "unsqueeze" => layout::unsqueeze,
        "squeeze" => layout::squeeze,
        "expand" => layout::expand,
        "expand_as" => layout::expand_as,
        "repeat" | "tile" => layout::repeat,
        "cat" | "concat" => layout::join,
        "stack" => layout::stack,
        "split" | "split_with_sizes" => layout::split,
        "chunk" => layout::chunk,
        "unbind" => layout::unbind,
        "roll" | "flip" => layout::kept_axes,
        "pad" | "constant_pad_nd" => layout::pad,
        "slice" => indexing::slice,
        "select" => indexing::select,
        "getitem" => indexing::item,
        "index" => indexing::index,
        "index_select" => indexing::index_select,
        "gather" => indexing::gather,
        "scatter" | "scatter_add" | "index_put" | "index_copy" | "index_add" | "slice_scatter"
        | "select_scatter" => arithmetic::keep,
        "topk" => indexing::top_k,
        "sort" => indexing::sort,
        "argsort" => arithmetic::keep,
        "size" | "sym_size" => creation::size,
        "dim" | "ndimension" => creation::rank,
        "numel" | "sym_numel" => creation::count,
        "getattr" => creation::attribute,
        "arange" => creation::range,
        "zeros" | "ones" | "empty" | "rand" | "randn" => creation::of_sizes,
        "full" => creation::full,
        "new_zeros" | "new_ones" | "new_empty" | "new_full" => creation::new_of_sizes,
        "scalar_tensor" | "tensor" => creation::scalar,
        "_assert_scalar" | "_assert_async" | "_assert" => creation::assert,
        "sym_constrain_range_for_size"
        | "sym_constrain_range"
        | "_assert_tensor_metadata"
        | "_set_grad_enabled" => creation::nothing,
        "mean" | "sum" | "prod" | "amax" | "amin" | "any" | "all" | "norm"
        | "linalg_vector_norm" | "logsumexp" | "std" | "var" | "nansum" => reductions::over,
        "max" | "min" | "median" => reductions::extreme,
        "argmax" | "argmin" => reductions::place,
        _ => return None,
    })
}
