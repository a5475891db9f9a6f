//! `lozenge schema`: the JSON Schema of each command's answers, generated from their types.

use std::borrow::Cow;
use std::fs;
use std::marker::PhantomData;

use lozenge::NewFile;

#[cfg(feature = "oracle")]
use lozenge_fuzz::campaign::State;
#[cfg(feature = "oracle")]
use lozenge_fuzz::subject::checked::Checked;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use crate::args;
#[cfg(feature = "opencl")]
use crate::commands::tune;
#[cfg(feature = "oracle")]
use crate::commands::{batch, campaign, check, claims, corpus};
use crate::commands::{
    bench, constraints, devices, entails, fmt, run, solve, trace, train, verify,
};
#[cfg(feature = "oracle")]
use crate::json;
#[cfg(feature = "oracle")]
use crate::json::PartyDerivations;
use crate::json::lines::{Epoch, Line, Variable};
use crate::json::{Empty, Envelope, Page, Policy, program};
use crate::report::{Problem, to_stdout};
use crate::{axon, models, shapes};

/// Lists each command that answers in JSON with the schema of its answers, and the schema of the answer to bad input. A
/// build without Z3 lacks the commands that ask it.
fn schemas() -> Vec<(&'static str, Schema)> {
    let mut schemas = vec![
        ("bench", of::<bench::Answer>()),
        ("branches", of::<models::BranchesBody>()),
        ("check", of::<Checks>()),
        ("constraints", of::<Or<constraints::Answer, axon::Body>>()),
        ("devices", of::<devices::Answer>()),
        ("entails", of::<entails::Answer>()),
        ("error", plain::<Envelope<Empty>>()),
        ("explain", of::<OrDerivations<Explained>>()),
        ("fmt", of::<fmt::Answer>()),
        ("graph", of::<models::GraphBody>()),
        (
            "infer",
            of::<Or<Or<program::InferAnswer, program::Refused>, axon::Body>>(),
        ),
        ("migrate", of::<models::MigrateBody>()),
        (
            "run",
            of::<Or<Or<run::Answer, program::Refused>, axon::RunBody>>(),
        ),
        ("sizes", of::<models::SizesBody>()),
        ("solve", of::<Solved>()),
        ("solve-line", plain::<SolveLine>()),
        ("train", of::<Or<train::Answer, program::Refused>>()),
        ("trace", of::<OrDerivations<trace::Answer>>()),
        ("train-line", plain::<TrainLine>()),
        #[cfg(feature = "opencl")]
        ("tune", of::<Or<tune::Answer, program::Refused>>()),
        ("verify", of::<verify::Answer>()),
        ("view", of::<Page>()),
    ];
    #[cfg(feature = "oracle")]
    schemas.extend(of_parties());
    schemas.sort_by_key(|(name, _)| *name);
    schemas
}

/// Returns the commands that put an input to several parties.
#[cfg(feature = "oracle")]
fn of_parties() -> Vec<(&'static str, Schema)> {
    vec![
        ("batch", plain::<batch::Answer>()),
        (
            "campaign",
            of::<Or<State, Or<campaign::List, campaign::Replayed>>>(),
        ),
        (
            "claims",
            of::<Or<claims::Table, Or<claims::Found, claims::Strategies>>>(),
        ),
        ("corpus", of::<corpus::Counts>()),
        ("oracle", of::<OrDerivations<json::oracle::Oracle>>()),
    ]
}

/// The answers of `solve`: about a constraint set, and about equations of shapes.
type Solved = Or<solve::Answer, shapes::Answer>;

/// A line of an answer of `solve`: of the list `solution` a variable, of the list `choices` a choice of policy, and the
/// last line is the answer without them.
type SolveLine = Or<Or<Line<Variable<'static>>, Line<Policy>>, Envelope<Solved>>;

/// A line of an answer of `train`: an epoch as soon as it is done, what was printed outside of sections, and at the end
/// each section with its whole curve, and the rest of the answer.
type TrainLine = Or<
    Or<Line<Epoch>, Line<program::PrintedData>>,
    Or<Line<program::SectionData>, Envelope<Or<Rest, program::Refused>>>,
>;

/// The answer of `train` without its lists.
type Rest = train::Answer;

/// The answers of `check`: on a model and on an Axon program, and those of parties.
#[cfg(feature = "oracle")]
type Checks = Or<Or<check::Answer, models::CheckBody>, Or<axon::CheckBody, Checked>>;

/// The answers of `check` without Z3.
#[cfg(not(feature = "oracle"))]
type Checks = Or<models::CheckBody, axon::CheckBody>;

/// The answers of `explain` about sets, programs and models.
type Explained = Or<
    Or<Or<program::Derivations, program::Named>, Or<solve::Answer, program::Refused>>,
    Or<axon::Body, models::ExplainBody>,
>;

/// An answer, or what parties tell of an input of another subject.
#[cfg(feature = "oracle")]
type OrDerivations<Answer> = Or<Answer, PartyDerivations>;

/// An answer: without Z3 there are no other subjects.
#[cfg(not(feature = "oracle"))]
type OrDerivations<Answer> = Answer;

/// The schema of two answers, of which one is given.
struct Or<One, Other>(PhantomData<(One, Other)>);

impl<One: JsonSchema, Other: JsonSchema> JsonSchema for Or<One, Other> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let [one, other] = [
            generator.subschema_for::<One>(),
            generator.subschema_for::<Other>(),
        ];
        json_schema!({ "anyOf": [one, other] })
    }
}

/// Returns the schema of a body in its envelope, or of an envelope with errors only.
fn of<Body: JsonSchema>() -> Schema {
    plain::<Or<Envelope<Body>, Envelope<Empty>>>()
}

fn plain<Type: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Type>()
}

/// Writes a schema, with a note in its first lines that it is generated.
fn text(schema: &Schema) -> String {
    let mut value = json!(schema);
    if let Some(keywords) = value.as_object_mut() {
        let note = json!("@generated by `lozenge schema`");
        keywords.shift_insert(1, "$comment".into(), note);
    }
    format!("{value:#}\n")
}

/// Runs the command.
pub fn schema(args: &args::Schema) -> Result<(), Problem> {
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
