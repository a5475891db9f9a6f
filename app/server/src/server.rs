//! The lifecycle of a server, and the notifications of its client.

mod capabilities;
mod requests;

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use lozenge_lang::identity;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders,
    DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit, Initialized,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{Initialize, RegisterCapability, Request as _, Shutdown};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, NumberOrString, PublishDiagnosticsParams, Uri,
};
use serde_json::{Value, json};

use capabilities::initialized;
use requests::{Answer, Failure, Question, decoded, encoded};

use crate::document::{Document, Found, Language};
use crate::transport::{self, Frame};
use crate::worker::{self, Analysed, Gone, Job, OpenTexts};
use crate::workspace::{Workspace, watchers, when_ended};
use crate::{diagnostics, place};

/// The end of a server.
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
    let ended = events.clone();
    let open = OpenTexts::default();
    let jobs = worker::start(open.clone(), move |analysed| {
        let event = Event::Analysed(Box::new(analysed));
        results.send(event).map_err(|_| Gone)
    })?;
    thread::Builder::new()
        .name("input".into())
        .spawn(move || forward(input, &events))?;
    let mut server = Server {
        output,
        jobs,
        open,
        documents: HashMap::new(),
        waiting: Vec::new(),
        workspace: Workspace::default(),
        ended,
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

struct Server<W> {
    output: W,
    jobs: Sender<Job>,
    /// The texts of the documents by their files, for the thread that reads them.
    open: OpenTexts,
    documents: HashMap<String, Document>,
    waiting: Vec<Waiting>,
    /// The description that the client gave of itself.
    workspace: Workspace,
    /// The way in which the end of the client's process is told.
    ended: Sender<Event>,
    state: State,
}

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

    /// Answers a message, and returns true if the client asks the server to end.
    fn message(&mut self, message: Message) -> io::Result<bool> {
        match message {
            Message::Notification(notification) if notification.method == Exit::METHOD => {
                return Ok(true);
            }
            Message::Notification(notification) if self.state == State::Running => {
                self.notified(notification)?;
            }
            Message::Request(request) => self.requested(request)?,
            // The only request that the server sends is that files be watched, which need not be answered.
            Message::Notification(_) | Message::Response(_) => {}
        }
        Ok(false)
    }

    fn requested(&mut self, request: Request) -> io::Result<()> {
        let id = request.id.clone();
        let answer = match (self.state, request.method.as_str()) {
            (State::New, Initialize::METHOD) => {
                self.state = State::Running;
                self.begun(request.params)?;
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

    fn notified(&mut self, notification: Notification) -> io::Result<()> {
        let params = notification.params;
        match notification.method.as_str() {
            Initialized::METHOD if self.workspace.watches => {
                let method = RegisterCapability::METHOD.to_string();
                return self.send(Request::new("watch".to_string().into(), method, watchers()));
            }
            DidOpenTextDocument::METHOD => {
                if let Ok(DidOpenTextDocumentParams { text_document }) = decoded(params) {
                    let uri = text_document.uri.as_str().to_string();
                    let mut document = Document::new(text_document.text, text_document.version);
                    document.language = Language::of(&uri, &text_document.language_id);
                    let path = place::path(&uri);
                    document.file = path.as_deref().map(identity);
                    document.folder = path.and_then(|path| path.parent().map(Path::to_path_buf));
                    self.documents.insert(uri.clone(), document);
                    self.read(uri);
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Ok(DidSaveTextDocumentParams { text_document, .. }) = decoded(params) {
                    self.file_changed(&text_document.uri);
                }
            }
            DidChangeWatchedFiles::METHOD => {
                if let Ok(DidChangeWatchedFilesParams { changes }) = decoded(params) {
                    changes
                        .iter()
                        .for_each(|change| self.file_changed(&change.uri));
                }
            }
            DidChangeWorkspaceFolders::METHOD => {
                if let Ok(DidChangeWorkspaceFoldersParams { event }) = decoded(params) {
                    self.workspace.change(&event.added, &event.removed);
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

    /// Notes what the client says of itself.
    fn begun(&mut self, params: Value) -> io::Result<()> {
        if let Ok(params) = serde_json::from_value(params) {
            self.workspace = Workspace::of(&params);
        }
        let Some(process) = self.workspace.process else {
            return Ok(());
        };
        let ended = self.ended.clone();
        when_ended(process, move || {
            // A server that is gone need not be told.
            let _ = ended.send(Event::Closed(Ok(())));
        })
    }

    /// Reads a text that has changed, and those that rest on its file.
    fn read(&mut self, uri: String) {
        self.share_texts();
        let file = self
            .documents
            .get(&uri)
            .and_then(|document| document.file.clone());
        self.queue(uri.clone());
        if let Some(file) = file {
            self.read_users(&file, Some(&uri));
        }
    }

    /// Reads the texts that rest on a file, which has changed on the disk.
    fn file_changed(&mut self, uri: &Uri) {
        if let Some(path) = place::path(uri.as_str()) {
            self.read_users(&identity(&path), None);
        }
    }

    /// Reads the texts that rest on a file, and those of which it is not known yet, but for one.
    fn read_users(&mut self, file: &Path, but: Option<&str>) {
        let users = self.documents.iter().filter(|(uri, document)| {
            let may_rest = document.rests_on.contains(file) || !document.is_fresh();
            Some(uri.as_str()) != but && may_rest
        });
        let mut users: Vec<String> = users.map(|(uri, _)| uri.clone()).collect();
        users.sort_unstable();
        for uri in users {
            if let Some(document) = self.documents.get_mut(&uri) {
                document.rests_on_change();
            }
            self.queue(uri);
        }
    }

    /// Gives the texts of the open files to the thread that reads programs.
    fn share_texts(&mut self) {
        let documents = self.documents.values();
        let texts = documents.filter_map(|document| {
            let text: Arc<str> = document.text.as_str().into();
            Some((document.file.clone()?, text))
        });
        let texts = Arc::new(texts.collect());
        if let Ok(mut open) = self.open.lock() {
            *open = texts;
        }
    }

    /// Queues the current text to be read.
    fn queue(&mut self, uri: String) {
        if let Some(document) = self.documents.get(&uri) {
            let (serial, text) = (document.serial, document.text.clone());
            let (folder, language) = (document.folder.clone(), document.language);
            // The thread outlives the server, so that sending does not fail.
            let _ = self.jobs.send(Job {
                uri,
                serial,
                text,
                language,
                folder,
            });
        }
    }

    fn closed(&mut self, uri: Uri) -> io::Result<()> {
        let closed = self.documents.remove(uri.as_str());
        self.share_texts();
        // From now on the file on the disk counts.
        if let Some(file) = closed.and_then(|document| document.file) {
            self.read_users(&file, None);
        }
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
        let Analysed {
            uri,
            serial,
            rests_on,
            found,
        } = analysed;
        let (Some(document), Ok(parsed)) = (self.documents.get_mut(&uri), uri.parse::<Uri>())
        else {
            return Ok(());
        };
        // A text that was closed and opened again starts a new count.
        if serial > document.serial {
            return Ok(());
        }
        document.rests_on = rests_on;
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
