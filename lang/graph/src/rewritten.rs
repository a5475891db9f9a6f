//! Models written again with decided conditions replaced. Whoever decides them knows what operators mean; here it is
//! known how a file says it.

use std::collections::BTreeMap;

use crate::content::Rewritten;
use crate::file::Kind;
use crate::{Limits, ModelError, fx, grad, onnx};

/// Replaces decided conditions in the content of a model file.
///
/// In the JSON of torch.fx a name is that of the node that computes the condition: the node is taken out, and its value
/// is written where it was used. In ONNX a name is that of an `If`: the nodes of the branch that is taken stand in its
/// place, and likewise in a `.grad` program. A name that no node has, or that two have, is left alone.
///
/// ```
/// # use std::collections::BTreeMap;
/// let text = br#"{"nodes":[
///     {"name":"x","op":"placeholder","target":"x","args":[]},
///     {"name":"rank","op":"call_method","target":"dim","args":[{"node":"x"}]},
///     {"name":"eq","op":"call_function","target":"_operator.eq","args":[{"node":"rank"},4]},
///     {"name":"output","op":"output","target":"output","args":[{"node":"eq"}]}]}"#;
/// let decided = BTreeMap::from([("eq".to_string(), true)]);
/// let limits = lozenge_graph::Limits::default();
/// let rewritten = lozenge_graph::with_decided(text.to_vec(), &decided, &limits).unwrap();
/// let text = String::from_utf8(rewritten.content).unwrap();
/// assert!(text.contains(r#""args":[true]"#) && !text.contains("_operator.eq"));
/// ```
///
/// # Errors
///
/// Fails for a `.pt2` file, whose format is not written, and for content that is no model.
pub fn with_decided(
    content: Vec<u8>,
    decided: &BTreeMap<String, bool>,
    limits: &Limits,
) -> Result<Rewritten, ModelError> {
    match Kind::of(&content)? {
        Kind::Json => fx::with_decided(&content, decided),
        Kind::Protobuf => onnx::with_decided(&content, decided, limits),
        Kind::Program => grad::with_decided(&content, decided),
        Kind::Zip => {
            let error = ModelError::new("a program of torch.export is not written again");
            Err(error.with_help(
                "the conditions are reported; programs in .grad, ONNX and the JSON of torch.fx can be written",
            ))
        }
    }
}
