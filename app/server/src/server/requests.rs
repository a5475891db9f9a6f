//! The answers to requests about texts.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use lsp_server::{ErrorCode, Request, RequestId};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest,
    InlayHintRequest, PrepareRenameRequest, References, Rename, Request as _, SignatureHelpRequest,
};
use lsp_types::{
    CodeActionParams, CompletionParams, DocumentFormattingParams, DocumentSymbolParams,
    DocumentSymbolResponse, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents,
    HoverParams, InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, Location,
    MarkupContent, MarkupKind, Position, PrepareRenameResponse, ReferenceParams, RenameParams,
    SignatureHelpParams, TextDocumentPositionParams, TextEdit, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Server, Waiting};
use crate::diagnostics::{edits, workspace_edit};
use crate::document::{Document, Language};
use crate::{axon, axon_writing, completion, diagnostics, hover, naming, signature};

/// The reason why a request has no answer.
pub(super) struct Failure {
    pub code: ErrorCode,
    pub message: String,
}

impl Failure {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        let message = message.into();
        Failure { code, message }
    }
}

pub(super) type Answer = Result<Value, Failure>;

pub(super) enum Question {
    Hover(Position),
    Hints(lsp_types::Range),
}

impl<W: Write> Server<W> {
    /// Returns the answer to a request about texts; `None` if it has to wait.
    pub(super) fn running(&mut self, request: Request) -> Result<Option<Value>, Failure> {
        let id = request.id;
        let params = request.params;
        let answer = match request.method.as_str() {
            HoverRequest::METHOD => {
                let asked: HoverParams = decoded(params)?;
                let TextDocumentPositionParams {
                    text_document,
                    position,
                } = asked.text_document_position_params;
                return self.question(id, text_document.uri, Question::Hover(position));
            }
            InlayHintRequest::METHOD => {
                let asked: InlayHintParams = decoded(params)?;
                let question = Question::Hints(asked.range);
                return self.question(id, asked.text_document.uri, question);
            }
            Formatting::METHOD => {
                let asked: DocumentFormattingParams = decoded(params)?;
                let document = self.document(&asked.text_document.uri)?;
                encoded(formatted(document))
            }
            DocumentSymbolRequest::METHOD => {
                let asked: DocumentSymbolParams = decoded(params)?;
                let document = self.document(&asked.text_document.uri)?;
                let outline = match document.language {
                    Language::Axon => axon::outline(document),
                    Language::Loz => naming::outline(document),
                };
                encoded(DocumentSymbolResponse::Nested(outline))
            }
            GotoDefinition::METHOD => {
                let asked: GotoDefinitionParams = decoded(params)?;
                let (document, uri, byte) = self.place(asked.text_document_position_params)?;
                let found = match document.language {
                    Language::Axon => axon::definition(document, byte)
                        .map(|range| Location::new(uri.clone(), range)),
                    Language::Loz => naming::definition(&self.documents, (document, &uri, byte)),
                };
                encoded(found.map(GotoDefinitionResponse::Scalar))
            }
            References::METHOD => self.references(decoded(params)?),
            PrepareRenameRequest::METHOD => {
                let asked: TextDocumentPositionParams = decoded(params)?;
                let (document, uri, byte) = self.place(asked)?;
                let at = (document, &uri, byte);
                let range = match document.language {
                    Language::Axon => axon::renamable(document, byte),
                    Language::Loz => naming::renamable_at(&self.documents, at),
                };
                let range = range.map_err(request_failed)?;
                encoded(PrepareRenameResponse::Range(range))
            }
            Rename::METHOD => self.renamed(decoded(params)?),
            Completion::METHOD => self.completed(decoded(params)?),
            SignatureHelpRequest::METHOD => self.header(decoded(params)?),
            CodeActionRequest::METHOD => {
                let asked: CodeActionParams = decoded(params)?;
                let uri = asked.text_document.uri;
                let document = self.document(&uri)?;
                encoded(diagnostics::actions(document, &uri, asked.range))
            }
            method => Err(Failure::new(
                ErrorCode::MethodNotFound,
                format!("there is no request `{method}`"),
            )),
        };
        answer.map(Some)
    }

    /// Lists the places of the name at a place.
    fn references(&self, asked: ReferenceParams) -> Answer {
        let (document, uri, byte) = self.place(asked.text_document_position)?;
        let defined = asked.context.include_declaration;
        let ranges = match document.language {
            Language::Axon => axon::references(document, byte, defined),
            Language::Loz => naming::references(document, byte, defined),
        };
        let ranges = ranges.into_iter();
        let locations = ranges.map(|range| Location::new(uri.clone(), range));
        encoded(locations.collect::<Vec<_>>())
    }

    /// Renames the name at a place.
    fn renamed(&self, asked: RenameParams) -> Answer {
        let (document, uri, byte) = self.place(asked.text_document_position)?;
        let at = (document, &uri, byte);
        let edits = match document.language {
            Language::Axon => axon::renamed(&document.text, byte, &asked.new_name)
                .map(|changes| workspace_edit(&uri, edits(document, &changes))),
            Language::Loz => naming::renamed(
                &self.documents,
                at,
                &asked.new_name,
                &self.workspace.folders,
            ),
        };
        encoded(edits.map_err(request_failed)?)
    }

    /// Proposes what may be written at a place.
    fn completed(&self, asked: CompletionParams) -> Answer {
        let (document, _, byte) = self.place(asked.text_document_position)?;
        let open = |path: &Path| naming::text_at(&self.documents, path);
        encoded(match document.language {
            Language::Axon => axon_writing::completions(document, byte),
            Language::Loz => completion::completions(document, byte, &open),
        })
    }

    /// Returns the header of the function whose call is written at a place.
    fn header(&self, asked: SignatureHelpParams) -> Answer {
        let (document, _, byte) = self.place(asked.text_document_position_params)?;
        let open = |path: &Path| naming::text_at(&self.documents, path);
        encoded(match document.language {
            Language::Axon => axon_writing::signature(document, byte),
            Language::Loz => signature::signature(document, byte, &open),
        })
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Failure> {
        let document = self.documents.get(uri.as_str());
        document.ok_or_else(|| {
            let message = format!("{} is not open", uri.as_str());
            Failure::new(ErrorCode::InvalidParams, message)
        })
    }

    fn place(&self, asked: TextDocumentPositionParams) -> Result<(&Document, Uri, usize), Failure> {
        let uri = asked.text_document.uri;
        let document = self.document(&uri)?;
        let byte = document.lines.byte(&document.text, asked.position);
        Ok((document, uri, byte))
    }

    /// Answers a request for shapes. It waits until it is known which shapes the current text has, or that it has none.
    pub(super) fn question(
        &mut self,
        id: RequestId,
        uri: Uri,
        question: Question,
    ) -> Result<Option<Value>, Failure> {
        let document = self.document(&uri)?;
        if document.is_fresh() {
            return answered(document, &question).map(Some);
        }
        self.waiting.push(Waiting { id, uri, question });
        Ok(None)
    }
}

fn request_failed(message: String) -> Failure {
    Failure::new(ErrorCode::RequestFailed, message)
}

pub(super) fn decoded<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    let decoded = serde_json::from_value(params);
    decoded.map_err(|error: serde_json::Error| {
        // The error names types of the source behind its reason.
        let reason = error.to_string();
        let reason = reason.split(", expected struct").next().unwrap_or_default();
        Failure::new(
            ErrorCode::InvalidParams,
            format!("the parameters cannot be read: {reason}"),
        )
    })
}

pub(super) fn encoded<T: Serialize>(answer: T) -> Answer {
    let encoded = serde_json::to_value(answer);
    encoded.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

fn answered(document: &Document, question: &Question) -> Answer {
    match question {
        Question::Hover(position) => {
            let byte = document.lines.byte(&document.text, *position);
            let found = match document.language {
                Language::Axon => axon::hover(document, byte),
                Language::Loz => hover::hover(document, byte),
            };
            encoded(found.map(|(value, span)| Hover {
                contents: HoverContents::Markup(MarkupContent {
                    kind: MarkupKind::Markdown,
                    value,
                }),
                range: Some(document.lines.range(&document.text, &span)),
            }))
        }
        Question::Hints(range) => encoded(hints(document, range)),
    }
}

/// Returns the shapes of the definitions in a range that have no written shape.
fn hints(document: &Document, range: &lsp_types::Range) -> Vec<InlayHint> {
    let hints: Vec<(Range<usize>, String)> = match (document.analysis(), document.types()) {
        (_, Some(types)) => types.hints().collect(),
        (Some(analysis), None) => {
            let hints = analysis.hints().into_iter();
            hints.map(|hint| (hint.behind, hint.label)).collect()
        }
        (None, None) => Vec::new(),
    };
    let hints = hints.into_iter().filter_map(|(behind, label)| {
        let span = document.range_now(&behind)?;
        let position = document.lines.position(&document.text, span.end);
        (range.start <= position && position <= range.end).then(|| InlayHint {
            position,
            label: InlayHintLabel::String(label),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
    });
    hints.collect()
}

/// Returns the change of the whole text to its usual layout; `None` if it has this layout already, or cannot be read.
fn formatted(document: &Document) -> Option<Vec<TextEdit>> {
    let laid_out = match document.language {
        Language::Axon => lozenge::axon::format(&document.text),
        Language::Loz => lozenge_lang::format(&document.text),
    };
    let laid_out = laid_out.ok()?;
    if laid_out == document.text {
        return Some(Vec::new());
    }
    Some(vec![TextEdit {
        range: document
            .lines
            .range(&document.text, &(0..document.text.len())),
        new_text: laid_out,
    }])
}
