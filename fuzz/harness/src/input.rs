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
    /// What has no notation of its own, such as one operation with closed shapes, as the bytes from which it is drawn.
    Operation,
    /// Any text, for a parser.
    Text,
}

impl Kind {
    /// All sorts.
    pub const ALL: [Kind; 5] = [
        Kind::Set,
        Kind::Program,
        Kind::System,
        Kind::Operation,
        Kind::Text,
    ];

    /// The extension of a file with such an input.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Set => "rows",
            Kind::Program => "loz",
            Kind::System => "projections",
            Kind::Operation => "operation",
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
    /// The bytes from which an operation or something else is drawn. What they are worth depends on the generator.
    Operation(Vec<u8>),
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
            Input::Operation(_) => Kind::Operation,
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
            Kind::Operation => Input::Operation(hexadecimal(text)?),
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
            _ => Input::read(kind, text).ok(),
        }))
    }

    /// The readable form as bytes for a fuzzer. A program gets a comment as its first line, which is then part of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let heading = match self {
            Input::Text(_) => HEADING,
            Input::Program(text) if text.starts_with('#') => "",
            _ => "#\n",
        };
        format!("{heading}{self}").into_bytes()
    }

    /// How large it is: constraints, statements, equations, bytes, characters.
    pub fn size(&self) -> usize {
        match self {
            Input::Set(set) => set.constraints.len(),
            Input::Program(text) => text.lines().filter(|line| !line.trim().is_empty()).count(),
            Input::System(system) => system.equations.len(),
            Input::Operation(bytes) => bytes.len(),
            Input::Text(text) => text.chars().count(),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Set(set) => set.fmt(f),
            Input::System(system) => system.fmt(f),
            Input::Operation(bytes) => {
                for line in bytes.chunks(32) {
                    for byte in line {
                        write!(f, "{byte:02x}")?;
                    }
                    writeln!(f)?;
                }
                Ok(())
            }
            Input::Program(text) | Input::Text(text) => f.write_str(text),
        }
    }
}

/// The bytes of a text of hexadecimal digits, with comments between the lines.
fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let digits: Vec<char> = lines
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect();
    let byte = |pair: &[char]| {
        let text: String = pair.iter().collect();
        match pair.len() {
            2 => u8::from_str_radix(&text, 16).map_err(|error| format!("`{text}`: {error}")),
            _ => Err(format!("`{text}` is half a byte")),
        }
    };
    digits.chunks(2).map(byte).collect()
}
