//! Messages about a text, and the changes that repair it.

use std::path::Path;

use lozenge_lang::{Diagnostic, Elsewhere, Severity};
use lozenge_vocabulary::program::Span;
use lsp_types::{
    CodeAction, CodeActionKind, DiagnosticRelatedInformation, DiagnosticSeverity, Location,
    NumberOrString, TextEdit, Uri, WorkspaceEdit,
};

use crate::document::Document;
use crate::lines::Lines;
use crate::place;

/// Returns a message in the form of the protocol. Its first place is that of the message, the others are related
/// information.
pub(crate) fn of(document: &Document, uri: &Uri, message: &Diagnostic) -> lsp_types::Diagnostic {
    let range = |span: &Span| document.lines.range(&document.text, span);
    let mut text = message.message.clone();
    let mut labels = message.labels.iter();
    if let Some(own) = labels.next().filter(|label| !label.text.is_empty()) {
        text.push_str(&format!("\n{}", own.text));
    }
    if let Some(help) = &message.help {
        text.push_str(&format!("\nhelp: {}", help.text));
    }
    let related = labels.map(|label| DiagnosticRelatedInformation {
        location: Location::new(uri.clone(), range(&label.span())),
        message: label.text.clone(),
    });
    let mut related: Vec<DiagnosticRelatedInformation> = related.collect();
    if let Some(other) = &message.elsewhere {
        text.push_str(&format!("\nin {}, line {}", other.file, other.line));
        related.extend(in_file(other));
    }
    lsp_types::Diagnostic {
        range: range(&message.span()),
        severity: Some(match message.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: message.code.clone().map(NumberOrString::String),
        source: Some("lozenge".into()),
        message: text,
        related_information: Some(related),
        ..lsp_types::Diagnostic::default()
    }
}

/// Places of a file that the program uses.
fn in_file(other: &Elsewhere) -> Vec<DiagnosticRelatedInformation> {
    let uri = place::uri(Path::new(&other.file)).and_then(|uri| uri.parse::<Uri>().ok());
    let Some(uri) = uri else {
        return Vec::new();
    };
    let lines = Lines::new(&other.text);
    let labels = other.labels.iter();
    let related = labels.map(|label| DiagnosticRelatedInformation {
        location: Location::new(uri.clone(), lines.range(&other.text, &label.span())),
        message: label.text.clone(),
    });
    related.collect()
}

/// Returns the code actions for a range: the helps that change the text, of the messages that touch the range. Each of
/// these changes was tested by inference.
pub(crate) fn actions(document: &Document, uri: &Uri, range: lsp_types::Range) -> Vec<CodeAction> {
    let touches = |other: &lsp_types::Range| other.start <= range.end && range.start <= other.end;
    let messages = document.messages().unwrap_or_default().iter();
    let found = messages.filter_map(|message| {
        let help = message
            .help
            .as_ref()
            .filter(|help| !help.edits.is_empty())?;
        let shown = of(document, uri, message);
        touches(&shown.range).then(|| CodeAction {
            title: help.text.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown]),
            edit: Some(workspace_edit(uri, edits(document, &help.edits))),
            is_preferred: Some(true),
            ..CodeAction::default()
        })
    });
    found.collect()
}

/// Changes of a document's text in the form of the protocol.
pub(crate) fn edits(document: &Document, edits: &[lozenge_lang::Edit]) -> Vec<TextEdit> {
    let edit = |edit: &lozenge_lang::Edit| TextEdit {
        range: document.lines.range(&document.text, &edit.span),
        new_text: edit.text.clone(),
    };
    edits.iter().map(edit).collect()
}

/// Changes of one document.
// A `Uri` contains a cell that does not affect its hash.
#[allow(clippy::mutable_key_type)]
pub(crate) fn workspace_edit(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit {
        changes: Some([(uri.clone(), edits)].into()),
        ..WorkspaceEdit::default()
    }
}
