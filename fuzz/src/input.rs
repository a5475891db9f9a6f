//! The inputs of fuzzing: constraint sets, programs, systems of projection equations, texts. Every input has a readable form.

use std::fmt;

use lozenge_vocabulary::ConstraintSet;

use lozenge_testkit::system::System;

/// The byte that marks a fuzzer's bytes as a readable input: the sign of a comment.
pub const READABLE: u8 = b'#';

/// The line before a text whose notation has no comments.
const HEADING: &str = "#text\n";

/// The sort of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A constraint set, in the constraint notation.
    Set,
    /// A program of the surface language.
    Program,
    /// The projection equations of a closed operation.
    System,
    /// Any text, for a parser.
    Text,
}

impl Kind {
    /// All sorts.
    pub const ALL: [Kind; 4] = [Kind::Set, Kind::Program, Kind::System, Kind::Text];

    /// The extension of a file with such an input.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Set => "rows",
            Kind::Program => "loz",
            Kind::System => "projections",
            Kind::Text => "txt",
        }
    }
}

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A constraint set.
    Set(ConstraintSet),
    /// A program.
    Program(String),
    /// Projection equations.
    System(System),
    /// A text.
    Text(String),
}

impl Input {
    /// The sort of this input.
    pub fn kind(&self) -> Kind {
        match self {
            Input::Set(_) => Kind::Set,
            Input::Program(_) => Kind::Program,
            Input::System(_) => Kind::System,
            Input::Text(_) => Kind::Text,
        }
    }

    /// Reads the readable form. A printed input reads back as the same input.
    ///
    /// # Errors
    /// A message that says what is wrong with the text and where. Programs and texts are taken as they are.
    pub fn read(kind: Kind, text: &str) -> Result<Input, String> {
        Ok(match kind {
            Kind::Set => {
                Input::Set(text.parse().map_err(
                    |error: lozenge_vocabulary::notation::NotationError| error.to_string(),
                )?)
            }
            Kind::Program => Input::Program(text.into()),
            Kind::System => Input::System(text.parse()?),
            Kind::Text => Input::Text(text.into()),
        })
    }

    /// The input whose readable form the bytes are; `None` when they are not marked as readable. The inner `None` stands for a
    /// readable form with a mistake.
    pub fn from_bytes(kind: Kind, data: &[u8]) -> Option<Option<Input>> {
        if data.first() != Some(&READABLE) {
            return None;
        }
        let text = std::str::from_utf8(data).ok();
        Some(text.and_then(|text| match kind {
            Kind::Text => Some(Input::Text(text.strip_prefix(HEADING)?.into())),
            Kind::Set | Kind::Program | Kind::System => Input::read(kind, text).ok(),
        }))
    }

    /// The readable form as bytes for a fuzzer. A program gets a comment as its first line, which is then part of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let heading = match self {
            Input::Text(_) => HEADING,
            Input::Program(text) if text.starts_with('#') => "",
            Input::Program(_) | Input::Set(_) | Input::System(_) => "#\n",
        };
        format!("{heading}{self}").into_bytes()
    }

    /// The size of the input, in constraints, lines, equations or characters.
    pub fn size(&self) -> usize {
        match self {
            Input::Set(set) => set.constraints.len(),
            Input::Program(text) => text.lines().filter(|line| !line.trim().is_empty()).count(),
            Input::System(system) => system.equations.len(),
            Input::Text(text) => text.chars().count(),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Set(set) => set.fmt(f),
            Input::System(system) => system.fmt(f),
            Input::Program(text) | Input::Text(text) => f.write_str(text),
        }
    }
}
