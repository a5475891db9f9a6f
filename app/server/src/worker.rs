//! Inference in a thread of its own. Of several waiting versions of one text only the last is read.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use lozenge::Surroundings;
use lozenge_lang::{Diagnostic, rests_on};

use crate::analysis::Analysis;
use crate::axon_types::Types;
use crate::document::{Found, Language};

/// The stack of the thread, in bytes.
const STACK: usize = 1 << 25;

/// A text to be read.
pub(crate) struct Job {
    pub uri: String,
    pub serial: u64,
    pub text: String,
    pub language: Language,
    /// The folder in which the files that it uses are looked for.
    pub folder: Option<PathBuf>,
}

/// The texts of the files that are open, as they are when a job is begun.
pub(crate) type OpenTexts = Arc<Mutex<Arc<BTreeMap<PathBuf, Arc<str>>>>>;

/// The results about a text.
pub(crate) struct Analysed {
    pub uri: String,
    pub serial: u64,
    /// The files on which the text rests.
    pub rests_on: BTreeSet<PathBuf>,
    pub found: Found,
}

/// The receiver of the results is gone.
pub(crate) struct Gone;

/// Starts the thread. It passes its results to `done`, and ends when no one can send it jobs any more.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn start(
    open: OpenTexts,
    done: impl Fn(Analysed) -> Result<(), Gone> + Send + 'static,
) -> std::io::Result<Sender<Job>> {
    let (jobs, waiting) = channel();
    let builder = thread::Builder::new()
        .name("inference".into())
        .stack_size(STACK);
    builder.spawn(move || work(&waiting, &open, done))?;
    Ok(jobs)
}

/// The jobs that were not started yet, at most one for each text.
struct Jobs<'w> {
    waiting: &'w Receiver<Job>,
    next: Vec<Job>,
}

impl Jobs<'_> {
    /// Receives the waiting jobs. Of several versions of one text the last is kept.
    fn receive(&mut self) {
        while let Ok(job) = self.waiting.try_recv() {
            self.next.retain(|other| other.uri != job.uri);
            self.next.push(job);
        }
    }

    /// Takes the next job; `None` when no one can send any more.
    fn take(&mut self) -> Option<Job> {
        if self.next.is_empty() {
            self.next.push(self.waiting.recv().ok()?);
        }
        self.receive();
        Some(self.next.remove(0))
    }
}

fn work(waiting: &Receiver<Job>, open: &OpenTexts, done: impl Fn(Analysed) -> Result<(), Gone>) {
    let next = Vec::new();
    let mut jobs = Jobs { waiting, next };
    while let Some(job) = jobs.take() {
        let texts = open.lock().map(|texts| texts.clone());
        if read(job, texts.unwrap_or_default(), &mut jobs, &done).is_err() {
            return;
        }
    }
}

/// Passes on the shapes of a text, and then, unless it has changed meanwhile, its messages.
fn read(
    job: Job,
    texts: Arc<BTreeMap<PathBuf, Arc<str>>>,
    jobs: &mut Jobs<'_>,
    done: &impl Fn(Analysed) -> Result<(), Gone>,
) -> Result<(), Gone> {
    let Job {
        uri,
        serial,
        text,
        language,
        folder,
    } = job;
    let surroundings = Surroundings {
        folder,
        texts,
        ..Surroundings::default()
    };
    // An Axon program stands alone.
    let files = match language {
        Language::Axon => BTreeSet::new(),
        Language::Loz => caught(|| rests_on(&text, &surroundings)).unwrap_or_default(),
    };
    let tell = |found| {
        done(Analysed {
            uri: uri.clone(),
            serial,
            rests_on: files.clone(),
            found,
        })
    };
    if language == Language::Axon {
        let (found, messages) = match caught(|| Types::of(&text)) {
            Some(Ok((types, messages))) => (Found::Types(Box::new(types)), messages),
            Some(Err(messages)) => (Found::NoShapes, messages),
            None => (Found::NoShapes, vec![defect()]),
        };
        tell(found)?;
        return tell(Found::Messages(messages));
    }
    let first = caught(|| Analysis::of(text, surroundings));
    tell(match &first {
        Some(Ok(analysis)) => Found::Shapes(analysis.clone()),
        Some(Err(_)) | None => Found::NoShapes,
    })?;
    jobs.receive();
    if jobs.next.iter().any(|newer| newer.uri == uri) {
        return Ok(());
    }
    let messages = first.and_then(|first| {
        caught(|| match first {
            Ok(analysis) => analysis.rest().messages(),
            Err(pending) => pending.messages(),
        })
    });
    tell(Found::Messages(messages.unwrap_or_else(|| vec![defect()])))
}

/// Makes the message about a text that could not be read.
fn defect() -> Diagnostic {
    Diagnostic::new(0..0, "lozenge could not read this text", "a defect")
        .help("this is a mistake of lozenge: report it with the text")
}

fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}
