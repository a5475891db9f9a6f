//! The programs of `torch.export`: a zip archive in which one JSON text holds the program.

mod archive;
mod argument;
mod reader;
mod schema;
mod symbol;

use std::io::{Read, Seek};

use lozenge_graph_vocabulary::Graph;

use crate::{Limits, ModelError};

/// The major version of the form that is read. Minor versions add fields.
const MAJOR: i64 = 8;

/// Reads a `.pt2` file. Neither weights nor pickles in it are opened.
pub(crate) fn read(file: impl Read + Seek, limits: &Limits) -> Result<Graph, ModelError> {
    let text = archive::program(file, limits)?;
    let header: schema::Header = crate::json::read(&text)?;
    let (major, minor) = (header.schema_version.major, header.schema_version.minor);
    if major != MAJOR {
        let message = format!(
            "the program is of version {major}.{minor} of its form, and version {MAJOR} is read"
        );
        let help = "torch.export of PyTorch 2.7 and later writes version 8";
        return Err(ModelError::new(message).with_help(help));
    }
    let program: schema::Program = crate::json::read(&text)?;
    reader::Reader::new(limits).read(&program)
}
