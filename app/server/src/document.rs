//! A text that is being edited, and what was last inferred about it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use lozenge_lang::Diagnostic;
use lsp_types::{Position, TextDocumentContentChangeEvent};

use crate::analysis::Analysis;
use crate::axon_types::Types;
use crate::lines::Lines;

/// The number of changes after which the shapes from before them are no longer shown.
const MOST_CHANGES: usize = 2_000;

/// A change of a text: the bytes of a range are replaced by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes that were replaced.
    pub before: Range<usize>,
    /// The number of bytes that replace them.
    pub length: usize,
}

impl Change {
    /// Returns the place after the change of a byte of the text before it; `None` if it was replaced.
    fn forwards(&self, byte: usize) -> Option<usize> {
        match byte {
            byte if byte <= self.before.start => Some(byte),
            byte if byte >= self.before.end => {
                Some(byte - self.before.end + self.before.start + self.length)
            }
            _ => None,
        }
    }

    /// Returns the place before the change of a byte of the text after it; `None` if it is new.
    fn backwards(&self, byte: usize) -> Option<usize> {
        match byte {
            byte if byte <= self.before.start => Some(byte),
            byte if byte >= self.before.start + self.length => {
                Some(byte - self.before.start - self.length + self.before.end)
            }
            _ => None,
        }
    }
}

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Programs, `.loz`.
    #[default]
    Loz,
    /// Axon programs, `.axon`.
    Axon,
}

impl Language {
    /// Returns the language of a text, by its address and the word that the client has for it.
    pub fn of(uri: &str, word: &str) -> Language {
        match uri.ends_with(".axon") || word == "axon" {
            true => Language::Axon,
            false => Language::Loz,
        }
    }
}

/// A text with what is known about it.
#[derive(Debug)]
pub struct Document {
    /// The text.
    pub text: String,
    /// The language of the text.
    pub language: Language,
    /// The folder of the text, in which the files that it uses are looked for.
    pub folder: Option<PathBuf>,
    /// The file in which the text is kept, by its canonical path.
    pub(crate) file: Option<PathBuf>,
    /// The files on which its meaning rested when it was last read.
    pub(crate) rests_on: BTreeSet<PathBuf>,
    pub(crate) lines: Lines,
    /// The version that the client gives it.
    pub version: i32,
    /// The number of times that the text was changed.
    pub serial: u64,
    /// The last text that was accepted, with its inferred shapes.
    analysis: Option<Rc<Analysis>>,
    /// The types of the last text of an Axon program.
    types: Option<Rc<Types>>,
    /// The changes since, each with the serial number of the text that it made.
    changes: Vec<(u64, Change)>,
    /// The messages about the last text that was read, and its serial number.
    messages: Option<(u64, Vec<Diagnostic>)>,
    /// The serial number of the last text about which something is known.
    seen: Option<u64>,
}

/// A result about a text. The shapes are sent first, and the messages after them.
#[derive(Debug)]
pub enum Found {
    /// Its shapes.
    Shapes(Analysis),
    /// The types of an Axon program.
    Types(Box<Types>),
    /// It has an error, so its shapes are not known.
    NoShapes,
    /// The messages about it.
    Messages(Vec<Diagnostic>),
}

impl Document {
    /// Returns a text about which nothing is known yet.
    pub fn new(text: String, version: i32) -> Document {
        Document {
            lines: Lines::new(&text),
            text,
            language: Language::default(),
            folder: None,
            file: None,
            rests_on: BTreeSet::new(),
            version,
            serial: 0,
            analysis: None,
            types: None,
            changes: Vec::new(),
            messages: None,
            seen: None,
        }
    }

    /// Applies changes one after the other; each refers to the text that results from the one before it.
    pub fn change(&mut self, changes: Vec<TextDocumentContentChangeEvent>, version: i32) {
        self.version = version;
        self.serial += 1;
        for change in changes {
            let before = match change.range {
                None => 0..self.text.len(),
                Some(range) => {
                    let byte = |position: Position| self.lines.byte(&self.text, position);
                    let (start, end) = (byte(range.start), byte(range.end));
                    start.min(end)..end.max(start)
                }
            };
            let small = smaller(&self.text, &before, &change.text);
            self.text.replace_range(before, &change.text);
            self.lines = Lines::new(&self.text);
            self.changes.push((self.serial, small));
        }
        if self.changes.len() > MOST_CHANGES {
            self.analysis = None;
            self.types = None;
            self.changes.clear();
        }
    }

    /// Notes that a file on which the text rests has changed: what is known of it is old.
    pub(crate) fn rests_on_change(&mut self) {
        self.serial += 1;
    }

    /// Stores a result about a text of this document, and returns the analysis that it replaces: to drop one of a long
    /// text takes several milliseconds, for which those who wait for the new one should not wait.
    pub fn analysed(&mut self, serial: u64, found: Found) -> Option<Rc<Analysis>> {
        self.seen = Some(serial);
        match found {
            Found::Shapes(analysis) => {
                self.changes.retain(|(made, _)| *made > serial);
                return self.analysis.replace(Rc::new(analysis));
            }
            Found::Types(types) => {
                self.changes.retain(|(made, _)| *made > serial);
                self.types = Some(Rc::from(types));
            }
            Found::NoShapes => {}
            Found::Messages(messages) => self.messages = Some((serial, messages)),
        }
        None
    }

    /// Says whether it is known which shapes the current text has, or that it has none.
    pub fn is_fresh(&self) -> bool {
        self.seen == Some(self.serial)
    }

    /// Returns the messages about the current text, if it was read.
    pub(crate) fn messages(&self) -> Option<&[Diagnostic]> {
        match &self.messages {
            Some((serial, messages)) if *serial == self.serial => Some(messages),
            _ => None,
        }
    }

    /// Returns the last analysis.
    pub fn analysis(&self) -> Option<Rc<Analysis>> {
        self.analysis.clone()
    }

    /// Returns the last types of an Axon program.
    pub(crate) fn types(&self) -> Option<Rc<Types>> {
        self.types.clone()
    }

    /// Says whether the text changed since the last analysis.
    pub(crate) fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Returns the place that a byte of the current text had when shapes were last inferred; `None` if it is new.
    pub(crate) fn then(&self, byte: usize) -> Option<usize> {
        let changes = self.changes.iter().rev();
        changes
            .map(|(_, change)| change)
            .try_fold(byte, |byte, change| change.backwards(byte))
    }

    /// Returns the present place of a byte of the text whose shapes were last inferred; `None` if it is gone.
    pub(crate) fn now(&self, byte: usize) -> Option<usize> {
        let changes = self.changes.iter();
        changes
            .map(|(_, change)| change)
            .try_fold(byte, |byte, change| change.forwards(byte))
    }

    /// Returns the present place of a range of the text; `None` if one of its ends is gone.
    pub(crate) fn range_now(&self, span: &Range<usize>) -> Option<Range<usize>> {
        Some(self.now(span.start)?..self.now(span.end)?)
    }
}

/// Returns a change without the common prefix and suffix of its two texts, so that a client that sends the whole text
/// does not change all of it.
fn smaller(text: &str, before: &Range<usize>, after: &str) -> Change {
    let old = &text.as_bytes()[before.clone()];
    let new = after.as_bytes();
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    Change {
        before: before.start + start..before.end - end,
        length: new.len() - start - end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: range.map(|[a, b, c, d]| {
                lsp_types::Range::new(Position::new(a, b), Position::new(c, d))
            }),
            range_length: None,
            text: text.into(),
        }
    }

    #[test]
    fn changes_are_applied_one_after_the_other_and_places_follow() {
        let mut document = Document::new("aé𝛼b\ncd\n".into(), 1);
        document.change(
            vec![
                event(Some([0, 4, 0, 5]), "xyz"),
                event(Some([1, 0, 1, 0]), "é"),
            ],
            2,
        );
        assert_eq!(document.text, "aé𝛼xyz\nécd\n");
        // The `d` and the `a` are where they were; the `é` before them is new.
        assert_eq!(document.now(10), Some("aé𝛼xyz\néc".len()));
        assert_eq!(document.then("aé𝛼xyz\néc".len()), Some(10));
        assert_eq!([document.now(0), document.then(0)], [Some(0), Some(0)]);
        assert_eq!(document.then(8), None);
        assert_eq!(document.version, 2);
    }

    #[test]
    fn a_text_that_is_sent_whole_is_a_small_change() {
        let mut document = Document::new("let a = 1\nlet b = 2\n".into(), 1);
        document.change(vec![event(None, "let a = 10\nlet b = 2\n")], 2);
        assert_eq!(document.now(14), Some(15));
        document.change(vec![event(Some([9, 0, 3, 7]), "é")], 3);
        assert_eq!(document.text, "let a = 10\nlet b = 2\né");
    }
}
