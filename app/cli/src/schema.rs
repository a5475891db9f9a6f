//! `lozenge schema`: the JSON Schema of each command's answers, generated from their types.

use std::fs;

use lozenge::NewFile;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::json;

use crate::args;
use crate::json::{Envelope, bodies, checking, lines, oracle, program};
use crate::report::{Problem, to_stdout};
use crate::{axon, entails, fmt, models, shapes, solve, verify, view};

/// Each command that answers in JSON with the schema of its answers, and the schema of the answer to bad input.
fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("batch", plain::<bodies::BatchLine>()),
        ("bench", of::<bodies::Bench>()),
        ("branches", of::<models::BranchesBody>()),
        ("campaign", of::<checking::Campaign>()),
        ("check", of::<Checked>()),
        ("claims", of::<checking::Claims>()),
        (
            "constraints",
            of::<Either<bodies::Constraints, axon::Body>>(),
        ),
        ("corpus", of::<bodies::Corpus>()),
        ("devices", of::<bodies::Devices>()),
        ("entails", of::<entails::Answer>()),
        ("error", plain::<Envelope<bodies::Nothing>>()),
        ("explain", of::<Explained>()),
        ("fmt", of::<fmt::Answer>()),
        ("graph", of::<models::GraphBody>()),
        ("infer", of::<Either<program::InferAnswer, axon::Body>>()),
        ("migrate", of::<models::MigrateBody>()),
        ("oracle", of::<oracle::Oracle>()),
        ("run", of::<Either<program::RunAnswer, axon::RunBody>>()),
        ("sizes", of::<models::SizesBody>()),
        ("solve", of::<Solved>()),
        ("solve-line", plain::<lines::SolveLine<Solved>>()),
        ("trace", of::<bodies::Trace>()),
        ("train", of::<program::TrainAnswer>()),
        (
            "train-line",
            plain::<lines::TrainLine<program::TrainAnswer>>(),
        ),
        ("tune", of::<bodies::Tune>()),
        ("verify", of::<verify::Answer>()),
        ("view", of::<view::Answer>()),
    ]
}

/// The answer of `solve`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
enum Solved {
    /// About a constraint set.
    Rows(Box<solve::Answer>),
    /// About equations of shapes.
    Shapes(Box<shapes::Answer>),
}

/// The answer of a command that takes programs of both languages.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
enum Either<Program, Axon> {
    /// About a program.
    Program(Program),
    /// About an Axon program.
    Axon(Axon),
}

/// The answer of `check`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
enum Checked {
    /// About a constraint set or a program.
    Parties(Box<bodies::Check>),
    /// About a model.
    Model(models::CheckBody),
    /// About an Axon program.
    Axon(axon::CheckBody),
    /// About an input of another subject.
    Other(bodies::CheckOther),
}

/// The answer of `explain`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
enum Explained {
    /// About a constraint set, a program or a rule.
    Set(Box<program::ExplainAnswer>),
    /// About an Axon program.
    Axon(Box<axon::Body>),
    /// About a model.
    Model(models::ExplainBody),
}

/// The schema of a body in its envelope, or of an envelope with errors only.
fn of<Body: JsonSchema>() -> Schema {
    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[expect(dead_code, reason = "describes answers")]
    enum Answer<Body> {
        /// The answer to input that could be used.
        Answered(Envelope<Body>),
        /// The answer to input that could not.
        BadInput(Envelope<bodies::Nothing>),
    }
    plain::<Answer<Body>>()
}

fn plain<Type: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Type>()
}

/// Runs the command.
pub fn schema(args: &args::Schema) -> Result<(), Problem> {
    let text = |schema: &Schema| format!("{:#}\n", json!(schema));
    let schemas = schemas();
    if let Some(folder) = &args.folder {
        let write = || {
            fs::create_dir_all(folder)?;
            schemas.iter().try_for_each(|(name, schema)| {
                NewFile::replace(&folder.join(format!("{name}.json")), text(schema))
            })
        };
        return write().map_err(|error: std::io::Error| {
            Problem::new(format!("{} cannot be written: {error}", folder.display()))
        });
    }
    let Some(wanted) = &args.command else {
        let names: String = schemas
            .iter()
            .map(|(name, _)| format!("{name}\n"))
            .collect();
        return to_stdout(|out| out.write_all(names.as_bytes()));
    };
    match schemas.iter().find(|(name, _)| name == wanted) {
        Some((_, schema)) => to_stdout(|out| out.write_all(text(schema).as_bytes())),
        None => Err(Problem::new(format!(
            "there is no schema for `{wanted}`: `lozenge schema` lists those that there are"
        ))),
    }
}
