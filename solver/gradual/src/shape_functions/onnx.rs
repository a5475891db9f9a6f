//! The operators of ONNX by name.

mod sequence;
mod state;
mod unpool;

use super::{
    Function, attention, control, creation, data, index, layout, linear, loss, normalise, parts,
    pointwise, quantised, recurrent, reduce, resize, sizes, slice, spectrum, window,
};

/// Returns the shape function of an operator of the standard domain.
pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "MatMul" => linear::onnx_matmul,
        "Gemm" => linear::onnx_gemm,
        "Einsum" => linear::onnx_einsum,
        "QLinearMatMul" => quantised::matmul,
        "MatMulInteger" => quantised::integer_matmul,
        "DynamicQuantizeLinear" => quantised::measured,
        "Attention" => attention::onnx,
        "RotaryEmbedding" => attention::rotary,
        "NegativeLogLikelihoodLoss" | "SoftmaxCrossEntropyLoss" => loss::onnx,
        "Conv" | "ConvInteger" | "QLinearConv" => window::onnx_convolution,
        "ConvTranspose" => window::onnx_transposed,
        "DeformConv" => unpool::deformed,
        "MaxUnpool" => unpool::onnx,
        "LinearAttention" => state::linear_attention,
        "CausalConvWithState" => state::causal,
        "MaxPool" | "AveragePool" | "LpPool" => window::onnx_pool,
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => window::global,
        "BatchNormalization" | "InstanceNormalization" => normalise::onnx_by_channel,
        "LayerNormalization" | "RMSNormalization" => normalise::onnx_layer,
        "GroupNormalization" => normalise::onnx_group,
        "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceL1"
        | "ReduceL2" | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceSumSquare" => reduce::onnx,
        "ArgMax" | "ArgMin" => reduce::onnx_place,
        "Reshape" => layout::onnx_reshape,
        "Flatten" => layout::onnx_flatten,
        "Transpose" => layout::onnx_transpose,
        "Squeeze" => layout::onnx_squeeze,
        "Unsqueeze" => layout::onnx_unsqueeze,
        "Expand" => layout::onnx_expand,
        "Tile" => parts::onnx_tile,
        "Concat" => parts::onnx_concat,
        "Split" => parts::onnx_split,
        "Pad" => parts::onnx_pad,
        "DepthToSpace" | "SpaceToDepth" => parts::onnx_blocks,
        "Slice" => slice::onnx,
        "Gather" => index::gather,
        "GatherElements" => index::gather_elements,
        "GatherND" => index::gather_nd,
        "Scatter" | "ScatterElements" | "ScatterND" => index::scatter,
        "NonZero" => data::places,
        "Compress" => data::compressed,
        "Unique" => data::different,
        "NonMaxSuppression" => data::suppressed,
        "RoiAlign" | "MaxRoiPool" => data::regions,
        "OneHot" => index::one_hot,
        "TopK" => index::top_k,
        "Shape" => sizes::shape,
        "Size" => sizes::size,
        "Constant" => sizes::constant,
        "ConstantOfShape" => sizes::constant_of_shape,
        "Range" => sizes::onnx_range,
        "RandomNormal" | "RandomUniform" => creation::random,
        "Multinomial" => creation::drawn,
        "HannWindow" | "HammingWindow" | "BlackmanWindow" => creation::window,
        "AffineGrid" => creation::affine_grid,
        "CenterCropPad" => creation::cropped,
        "Col2Im" => creation::image,
        "Det" => creation::determinant,
        "DFT" => spectrum::fourier,
        "STFT" => spectrum::frames,
        "Resize" | "Upsample" => resize::onnx,
        "GridSample" => resize::grid,
        "LSTM" | "GRU" | "RNN" => recurrent::onnx,
        "If" => control::branch,
        "Loop" => control::repeat,
        "Scan" => control::scan,
        _ => return of_sequences(name).or_else(|| of_elements(name)),
    })
}

/// Returns the function of an operator on sequences, or on values that may be missing.
fn of_sequences(name: &str) -> Option<Function> {
    Some(match name {
        "SequenceConstruct" => sequence::constructed,
        "SequenceEmpty" => sequence::empty,
        "SequenceInsert" => sequence::inserted,
        "SequenceErase" => sequence::erased,
        "SequenceAt" => sequence::element,
        "SequenceLength" => sequence::length,
        "SequenceMap" => sequence::mapped,
        "SplitToSequence" => sequence::split,
        "ConcatFromSequence" => sequence::joined,
        "Optional" => sequence::optional,
        "OptionalHasElement" => sequence::has_element,
        "OptionalGetElement" => sequence::taken,
        _ => return None,
    })
}

/// Returns the shape function of an operator of the domain for operators that are tried out.
pub(super) fn tried_out(name: &str) -> Option<Function> {
    (name == "FlexAttention").then_some(attention::modified)
}

/// Returns the function of an operator that computes element by element, or along axes that it keeps.
fn of_elements(name: &str) -> Option<Function> {
    Some(match name {
        "Acos" | "Acosh" | "Asin" | "Asinh" | "Atan" | "Atanh" | "Bernoulli" | "BitwiseNot"
        | "Celu" | "Cos" | "Cosh" | "Elu" | "Erf" | "Exp" | "Gelu" | "HardSigmoid"
        | "HardSwish" | "IsInf" | "IsNaN" | "LeakyRelu" | "Log" | "Mish" | "RandomNormalLike"
        | "RandomUniformLike" | "Reciprocal" | "Relu" | "Selu" | "Shrink" | "Sigmoid" | "Sin"
        | "Sinh" | "Softplus" | "Softsign" | "Swish" | "Tan" | "Tanh" | "ThresholdedRelu" => {
            pointwise::keep
        }
        "Identity" | "Dropout" => dropout_or_identity,
        "Neg" | "Abs" | "Floor" | "Ceil" | "Round" | "Sqrt" | "Not" | "Sign" => pointwise::unary,
        "Clip" => pointwise::clipped,
        "Cast" | "CastLike" => pointwise::cast,
        "Softmax" | "LogSoftmax" | "Hardmax" | "LpNormalization" => pointwise::along_axis,
        "CumSum" | "CumProd" => pointwise::accumulate,
        "BitCast" => pointwise::keep,
        "TensorScatter" => attention::updated,
        "LRN" | "Trilu" | "EyeLike" => pointwise::keep_rank,
        "MeanVarianceNormalization" => pointwise::over_axes,
        "QuantizeLinear" | "DequantizeLinear" => pointwise::scaled,
        "ReverseSequence" => pointwise::reversed,
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "Max" | "Min" | "Mean" | "Sum"
        | "Where" | "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" | "And"
        | "Or" | "Xor" | "BitShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" => {
            pointwise::broadcast
        }
        "PRelu" => pointwise::slope,
        "SwiGLU" => pointwise::gated,
        _ => return None,
    })
}

/// Computes `Dropout`, which has a mask as its second output.
fn dropout_or_identity(call: &mut super::Call) -> Result<Vec<crate::value::Value>, super::Stop> {
    let outputs = pointwise::identity(call)?;
    let mask = pointwise::keep(call)?;
    Ok(outputs.into_iter().chain(mask).collect())
}
