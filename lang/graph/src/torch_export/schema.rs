//! The form of a program in JSON, as far as it is read. Fields that are not named here are skipped.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

/// The head of a file, which tells the version.
#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) schema_version: Version,
}

#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) major: i64,
    #[serde(default)]
    pub(super) minor: i64,
}

#[derive(Deserialize)]
pub(super) struct Program<'a> {
    #[serde(borrow)]
    pub(super) graph_module: GraphModule<'a>,
    #[serde(default)]
    pub(super) range_constraints: serde_json::Map<String, Json>,
    #[serde(default)]
    pub(super) guards_code: Vec<String>,
    #[serde(default)]
    pub(super) torch_version: String,
}

#[derive(Deserialize)]
pub(super) struct GraphModule<'a> {
    #[serde(borrow)]
    pub(super) graph: Graph<'a>,
    pub(super) signature: Signature,
}

/// A graph. Its nodes are read when their turn comes.
#[derive(Deserialize)]
pub(super) struct Graph<'a> {
    pub(super) inputs: Vec<Json>,
    pub(super) outputs: Vec<Json>,
    #[serde(borrow)]
    pub(super) nodes: Vec<&'a RawValue>,
    #[serde(default)]
    pub(super) tensor_values: HashMap<String, Tensor>,
    #[serde(default)]
    pub(super) sym_int_values: HashMap<String, Size>,
}

/// The description of a tensor in the file.
#[derive(Deserialize)]
pub(super) struct Tensor {
    pub(super) dtype: i64,
    pub(super) sizes: Vec<Size>,
}

/// A size: a number, or a term in symbols.
#[derive(Deserialize)]
pub(super) struct Size {
    #[serde(default)]
    pub(super) as_int: Option<i64>,
    #[serde(default)]
    pub(super) as_expr: Option<Expression>,
}

#[derive(Deserialize)]
pub(super) struct Expression {
    pub(super) expr_str: String,
}

/// The roles of inputs and outputs, each an object whose one key is the role.
#[derive(Deserialize)]
pub(super) struct Signature {
    pub(super) input_specs: Vec<Json>,
    pub(super) output_specs: Vec<Json>,
}

#[derive(Deserialize)]
pub(super) struct Node<'a> {
    pub(super) target: String,
    #[serde(default, borrow)]
    pub(super) inputs: Vec<NamedArgument<'a>>,
    #[serde(default)]
    pub(super) outputs: Vec<Json>,
    #[serde(default)]
    pub(super) metadata: HashMap<String, Json>,
    #[serde(default)]
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct NamedArgument<'a> {
    #[serde(default)]
    pub(super) name: String,
    /// The argument. It may hold a whole graph, so it is read when its turn comes.
    #[serde(borrow)]
    pub(super) arg: &'a RawValue,
}

/// An argument that is a graph: `{"as_graph": {"name": …, "graph": …}}`.
#[derive(Deserialize)]
pub(super) struct GraphArgument<'a> {
    #[serde(borrow)]
    pub(super) as_graph: NamedGraph<'a>,
}

#[derive(Deserialize)]
pub(super) struct NamedGraph<'a> {
    #[serde(default)]
    pub(super) name: String,
    #[serde(borrow)]
    pub(super) graph: Graph<'a>,
}
