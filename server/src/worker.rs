//! Inference in a thread of its own. Of several waiting versions of one text only the last is read.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use lozenge_lang::Diagnostic;

use crate::analysis::Analysis;

/// The stack of the thread, in bytes.
const STACK: usize = 1 << 25;

/// A text to be read.
pub(crate) struct Job {
    pub uri: String,
    pub serial: u64,
    pub text: String,
    /// The folder in which the files that it uses are looked for.
    pub folder: Option<PathBuf>,
}

/// The results about a text.
pub(crate) struct Analysed {
    pub uri: String,
    pub serial: u64,
    pub analysis: Option<Analysis>,
    pub messages: Vec<Diagnostic>,
}

/// The receiver of the results is gone.
pub(crate) struct Gone;

/// Starts the thread. It passes its results to `done`, and ends when no one can send it jobs any more.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn start(
    done: impl Fn(Analysed) -> Result<(), Gone> + Send + 'static,
) -> std::io::Result<Sender<Job>> {
    let (jobs, waiting) = channel();
    let builder = thread::Builder::new()
        .name("inference".into())
        .stack_size(STACK);
    builder.spawn(move || work(&waiting, done))?;
    Ok(jobs)
}

fn work(waiting: &Receiver<Job>, done: impl Fn(Analysed) -> Result<(), Gone>) {
    let mut jobs: Vec<Job> = Vec::new();
    loop {
        if jobs.is_empty() {
            match waiting.recv() {
                Ok(job) => jobs.push(job),
                Err(_) => return,
            }
        }
        while let Ok(job) = waiting.try_recv() {
            jobs.retain(|other| other.uri != job.uri);
            jobs.push(job);
        }
        if done(read(jobs.remove(0))).is_err() {
            return;
        }
    }
}

fn read(job: Job) -> Analysed {
    let Job {
        uri,
        serial,
        text,
        folder,
    } = job;
    let found = catch_unwind(AssertUnwindSafe(|| Analysis::of(text, folder)));
    let (analysis, messages) = found.unwrap_or_else(|_| {
        let error = Diagnostic::new(0..0, "lozenge could not read this text", "a defect")
            .help("this is a mistake of lozenge: report it with the text");
        (None, vec![error])
    });
    Analysed {
        uri,
        serial,
        analysis,
        messages,
    }
}
