//! The lifecycle of a server, and the dispatch of requests.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest, Initialize,
    InlayHintRequest, PrepareRenameRequest, References, Rename, Request as _, Shutdown,
};
use lsp_types::{
    CancelParams, CodeActionKind, CodeActionOptions, CodeActionParams,
    CodeActionProviderCapability, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentFormattingParams, DocumentSymbolParams,
    DocumentSymbolResponse, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents,
    HoverParams, HoverProviderCapability, InitializeResult, InlayHint, InlayHintKind,
    InlayHintLabel, InlayHintParams, Location, MarkupContent, MarkupKind, NumberOrString, OneOf,
    Position, PrepareRenameResponse, PublishDiagnosticsParams, ReferenceParams, RenameOptions,
    RenameParams, ServerCapabilities, ServerInfo, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::document::{Document, Found};
use crate::transport::{self, Frame};
use crate::worker::{self, Analysed, Gone, Job};
use crate::{diagnostics, hover, naming, place};

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client had shut it down before it left.
    Orderly,
    /// The client left without shutting it down.
    Abandoned,
}

/// An event that the server handles.
enum Event {
    Frame(Frame),
    /// The input ended.
    Closed(io::Result<()>),
    Analysed(Box<Analysed>),
}

/// Serves one client until it leaves.
///
/// # Errors
/// If the input does not consist of frames, or the output cannot be written.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write) -> io::Result<Ended> {
    let (events, happens) = channel();
    let results = events.clone();
    let jobs = worker::start(move |analysed| {
        let event = Event::Analysed(Box::new(analysed));
        results.send(event).map_err(|_| Gone)
    })?;
    thread::Builder::new()
        .name("input".into())
        .spawn(move || forward(input, &events))?;
    let mut server = Server {
        output,
        jobs,
        documents: HashMap::new(),
        waiting: Vec::new(),
        state: State::New,
    };
    // The thread of the input sends an event when the input ends.
    while let Ok(event) = happens.recv() {
        match event {
            Event::Frame(Frame::Message(message)) => {
                if server.message(message)? {
                    break;
                }
            }
            Event::Frame(Frame::Unreadable(why)) => server.unreadable(&why)?,
            Event::Analysed(analysed) => server.analysed(*analysed)?,
            Event::Closed(ended) => {
                ended?;
                break;
            }
        }
    }
    Ok(match server.state {
        State::ShutDown => Ended::Orderly,
        State::New | State::Running => Ended::Abandoned,
    })
}

fn forward(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let event = match transport::read(&mut input) {
            Ok(Some(frame)) => Event::Frame(frame),
            Ok(None) => Event::Closed(Ok(())),
            Err(error) => Event::Closed(Err(error)),
        };
        let last = matches!(event, Event::Closed(_));
        if events.send(event).is_err() || last {
            return;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Running,
    ShutDown,
}

/// A request that waits until its text has been read.
struct Waiting {
    id: RequestId,
    uri: Uri,
    question: Question,
}

enum Question {
    Hover(Position),
    Hints(lsp_types::Range),
}

struct Server<W> {
    output: W,
    jobs: Sender<Job>,
    documents: HashMap<String, Document>,
    waiting: Vec<Waiting>,
    state: State,
}

/// Why a request has no answer.
struct Failure {
    code: ErrorCode,
    message: String,
}

impl Failure {
    fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        let message = message.into();
        Failure { code, message }
    }
}

type Answer = Result<Value, Failure>;

impl<W: Write> Server<W> {
    fn send(&mut self, message: impl Into<Message>) -> io::Result<()> {
        message.into().write(&mut self.output)?;
        self.output.flush()
    }

    fn answer(&mut self, id: RequestId, answer: Answer) -> io::Result<()> {
        self.send(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(failure) => Response::new_err(id, failure.code as i32, failure.message),
        })
    }

    /// Answers content that is not a message, without the number of a request, which is unknown.
    fn unreadable(&mut self, why: &str) -> io::Result<()> {
        let error = json!({"code": ErrorCode::ParseError as i32, "message": why});
        let content = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
        write!(
            self.output,
            "Content-Length: {}\r\n\r\n{content}",
            content.len()
        )?;
        self.output.flush()
    }

    /// Whether the client asks the server to end.
    fn message(&mut self, message: Message) -> io::Result<bool> {
        match message {
            Message::Notification(notification) if notification.method == Exit::METHOD => {
                return Ok(true);
            }
            Message::Notification(notification) if self.state == State::Running => {
                self.notified(notification)?;
            }
            Message::Request(request) => self.requested(request)?,
            // The server sends no requests, so no response is expected.
            Message::Notification(_) | Message::Response(_) => {}
        }
        Ok(false)
    }

    fn requested(&mut self, request: Request) -> io::Result<()> {
        let id = request.id.clone();
        let answer = match (self.state, request.method.as_str()) {
            (State::New, Initialize::METHOD) => {
                self.state = State::Running;
                encoded(initialized())
            }
            (State::New, _) => Err(Failure::new(
                ErrorCode::ServerNotInitialized,
                "the first request is `initialize`",
            )),
            (State::ShutDown, _) => Err(Failure::new(
                ErrorCode::InvalidRequest,
                "the server was shut down",
            )),
            (State::Running, Initialize::METHOD) => Err(Failure::new(
                ErrorCode::InvalidRequest,
                "the server is initialized already",
            )),
            (State::Running, Shutdown::METHOD) => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Running, _) => match self.running(request) {
                Ok(Some(answer)) => Ok(answer),
                Ok(None) => return Ok(()),
                Err(failure) => Err(failure),
            },
        };
        self.answer(id, answer)
    }

    /// The answer to a request about texts; `None` if it has to wait.
    fn running(&mut self, request: Request) -> Result<Option<Value>, Failure> {
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
                encoded(DocumentSymbolResponse::Nested(naming::outline(document)))
            }
            GotoDefinition::METHOD => {
                let asked: GotoDefinitionParams = decoded(params)?;
                let (document, uri, byte) = self.place(asked.text_document_position_params)?;
                let found = naming::definition(document, &uri, byte);
                encoded(found.map(GotoDefinitionResponse::Scalar))
            }
            References::METHOD => {
                let asked: ReferenceParams = decoded(params)?;
                let (document, uri, byte) = self.place(asked.text_document_position)?;
                let defined = asked.context.include_declaration;
                let ranges = naming::references(document, byte, defined).into_iter();
                let locations = ranges.map(|range| Location::new(uri.clone(), range));
                encoded(locations.collect::<Vec<_>>())
            }
            PrepareRenameRequest::METHOD => {
                let asked: TextDocumentPositionParams = decoded(params)?;
                let (document, uri, byte) = self.place(asked)?;
                let at = (document, &uri, byte);
                let range = naming::renamable_at(&self.documents, at).map_err(request_failed)?;
                encoded(PrepareRenameResponse::Range(range))
            }
            Rename::METHOD => {
                let asked: RenameParams = decoded(params)?;
                let (document, uri, byte) = self.place(asked.text_document_position)?;
                let at = (document, &uri, byte);
                let edits = naming::renamed(&self.documents, at, &asked.new_name);
                encoded(edits.map_err(request_failed)?)
            }
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

    /// A request for shapes. It waits until it is known which shapes the current text has, or that it has none.
    fn question(
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

    fn notified(&mut self, notification: Notification) -> io::Result<()> {
        let params = notification.params;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Ok(DidOpenTextDocumentParams { text_document }) = decoded(params) {
                    let uri = text_document.uri.as_str().to_string();
                    let mut document = Document::new(text_document.text, text_document.version);
                    document.folder =
                        place::path(&uri).and_then(|path| path.parent().map(Path::to_path_buf));
                    self.documents.insert(uri.clone(), document);
                    self.read(uri);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(changed) = decoded::<DidChangeTextDocumentParams>(params) {
                    let uri = changed.text_document.uri.as_str().to_string();
                    if let Some(document) = self.documents.get_mut(&uri) {
                        document.change(changed.content_changes, changed.text_document.version);
                        self.read(uri);
                    }
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(DidCloseTextDocumentParams { text_document }) = decoded(params) {
                    return self.closed(text_document.uri);
                }
            }
            Cancel::METHOD => {
                if let Ok(CancelParams { id }) = decoded(params) {
                    return self.cancelled(match id {
                        NumberOrString::Number(number) => number.into(),
                        NumberOrString::String(text) => text.into(),
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Queues the current text to be read.
    fn read(&mut self, uri: String) {
        if let Some(document) = self.documents.get(&uri) {
            let (serial, text) = (document.serial, document.text.clone());
            let folder = document.folder.clone();
            // The thread outlives the server, so that sending does not fail.
            let _ = self.jobs.send(Job {
                uri,
                serial,
                text,
                folder,
            });
        }
    }

    fn closed(&mut self, uri: Uri) -> io::Result<()> {
        self.documents.remove(uri.as_str());
        let (gone, stay) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.uri.as_str() == uri.as_str());
        self.waiting = stay;
        for waiting in gone {
            let Waiting { id, .. } = waiting;
            self.answer(
                id,
                Err(Failure::new(
                    ErrorCode::ContentModified,
                    "the text was closed",
                )),
            )?;
        }
        self.publish(uri, Vec::new(), None)
    }

    fn cancelled(&mut self, id: RequestId) -> io::Result<()> {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.id != id);
        match self.waiting.len() < before {
            true => {
                let failure = Failure::new(ErrorCode::RequestCanceled, "cancelled by the client");
                self.answer(id, Err(failure))
            }
            false => Ok(()),
        }
    }

    fn publish(
        &mut self,
        uri: Uri,
        diagnostics: Vec<lsp_types::Diagnostic>,
        version: Option<i32>,
    ) -> io::Result<()> {
        let params = PublishDiagnosticsParams {
            uri,
            diagnostics,
            version,
        };
        let method = PublishDiagnostics::METHOD.to_string();
        self.send(Notification::new(method, params))
    }

    /// Handles the results about a text: publishes the messages, and answers the requests that waited for them.
    fn analysed(&mut self, analysed: Analysed) -> io::Result<()> {
        let Analysed { uri, serial, found } = analysed;
        let (Some(document), Ok(parsed)) = (self.documents.get_mut(&uri), uri.parse::<Uri>())
        else {
            return Ok(());
        };
        // A text that was closed and opened again starts a new count.
        if serial > document.serial {
            return Ok(());
        }
        let new_messages = matches!(found, Found::Messages(_));
        let replaced = document.analysed(serial, found);
        if let Some(messages) = document.messages().filter(|_| new_messages) {
            let shown = messages
                .iter()
                .map(|message| diagnostics::of(document, &parsed, message));
            let (shown, version) = (shown.collect(), document.version);
            self.publish(parsed, shown, Some(version))?;
        }
        let waiting = std::mem::take(&mut self.waiting);
        for Waiting {
            id,
            uri: asked,
            question,
        } in waiting
        {
            let about = asked.as_str() == uri;
            match self
                .documents
                .get(&uri)
                .filter(|_| about && self.state == State::Running)
            {
                None => self.waiting.push(Waiting {
                    id,
                    uri: asked,
                    question,
                }),
                Some(_) => match self.question(id.clone(), asked, question) {
                    Ok(None) => {}
                    Ok(Some(value)) => self.answer(id, Ok(value))?,
                    Err(failure) => self.answer(id, Err(failure))?,
                },
            }
        }
        // The requests are answered by now.
        drop(replaced);
        Ok(())
    }
}

fn request_failed(message: String) -> Failure {
    Failure::new(ErrorCode::RequestFailed, message)
}

fn decoded<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    let decoded = serde_json::from_value(params);
    decoded.map_err(|error| Failure::new(ErrorCode::InvalidParams, error.to_string()))
}

fn encoded<T: Serialize>(answer: T) -> Answer {
    let encoded = serde_json::to_value(answer);
    encoded.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

fn answered(document: &Document, question: &Question) -> Answer {
    match question {
        Question::Hover(position) => {
            let byte = document.lines.byte(&document.text, *position);
            encoded(hover::hover(document, byte).map(|(value, span)| Hover {
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

/// The shapes of the definitions in a range that have no written shape.
fn hints(document: &Document, range: &lsp_types::Range) -> Vec<InlayHint> {
    let Some(analysis) = document.analysis() else {
        return Vec::new();
    };
    let hints = analysis.hints().into_iter().filter_map(|hint| {
        let span = document.range_now(&hint.behind)?;
        let position = document.lines.position(&document.text, span.end);
        (range.start <= position && position <= range.end).then(|| InlayHint {
            position,
            label: InlayHintLabel::String(hint.label),
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

/// The change of the whole text to its usual layout; `None` if it has this layout already, or cannot be read.
fn formatted(document: &Document) -> Option<Vec<TextEdit>> {
    let laid_out = lozenge_lang::format(&document.text).ok()?;
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

fn initialized() -> InitializeResult {
    InitializeResult {
        capabilities: ServerCapabilities {
            text_document_sync: Some(TextDocumentSyncCapability::Kind(
                TextDocumentSyncKind::INCREMENTAL,
            )),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            inlay_hint_provider: Some(OneOf::Left(true)),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: Default::default(),
            })),
            document_formatting_provider: Some(OneOf::Left(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            })),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "lozenge".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
    }
}
