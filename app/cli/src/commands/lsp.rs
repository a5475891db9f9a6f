//! `lozenge lsp`: the language server over standard input and output.

use std::io::{self, BufReader, ErrorKind};

use lozenge_server::{Ended, serve};

use crate::report::{Problem, Status};

/// Runs the command until the client leaves. The protocol determines the exit status.
pub fn lsp() -> Result<Status, Problem> {
    match serve(BufReader::new(io::stdin()), io::stdout().lock()) {
        Ok(Ended::Orderly) => Ok(Status::Good),
        Ok(Ended::Abandoned) => Ok(Status::Refused),
        // A client that has gone away needs no more answers.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Status::Refused),
        Err(error) => Err(Problem::new(format!(
            "the messages of the editor cannot be read: {error}: start `lozenge lsp` from an editor, as docs/editors.md says"
        ))),
    }
}
