//! Inference in a thread of its own. Of several states of one text only the last that waits is read.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use lozenge_lang::Diagnostic;

use crate::analysis::Analysis;

/// How much stack reading a program may take.
const STACK: usize = 1 << 25;

/// A text to be read.
pub(crate) struct Job {
    pub uri: String,
    pub serial: u64,
    pub text: String,
    /// Where its files lie.
    pub folder: Option<PathBuf>,
}

/// What was found out about a text.
pub(crate) struct Analysed {
    pub uri: String,
    pub serial: u64,
    pub analysis: Option<Analysis>,
    pub messages: Vec<Diagnostic>,
}

/// Nobody waits for results any more.
pub(crate) struct Gone;

/// Starts the thread. It gives what it finds out to `done`, and ends when nobody can give it work any more.
///
/// # Errors
/// When the system has no thread left.
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
