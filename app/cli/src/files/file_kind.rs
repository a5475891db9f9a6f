//! The kinds of files, told from their names and first bytes.

/// A kind of file. No two have one noun.
#[derive(Clone, Copy)]
pub struct FileKind {
    /// One such file, in words: `a program`.
    pub noun: &'static str,
    /// The extension of its name, without the dot; none where the first bytes tell it.
    pub extension: Option<&'static str>,
    /// The commands beside `lozenge check` that take such a file.
    commands: &'static [&'static str],
}

/// A program.
pub const PROGRAM: FileKind = FileKind {
    noun: "a program",
    extension: Some("loz"),
    commands: &["infer"],
};

/// A program of the language Axon.
pub const AXON: FileKind = FileKind {
    noun: "an Axon program",
    extension: Some("axon"),
    commands: &["infer", "run"],
};

/// A constraint set.
pub const SET: FileKind = FileKind {
    noun: "a constraint set",
    extension: Some("rows"),
    commands: &["solve"],
};

/// A set of equations of shapes.
pub const SHAPES: FileKind = FileKind {
    noun: "a set of equations of shapes",
    extension: Some("shapes"),
    commands: &["solve"],
};

/// A model of another framework.
pub const MODEL: FileKind = FileKind {
    noun: "a model",
    extension: None,
    commands: &["sizes"],
};

impl FileKind {
    /// Commands that take a file, in words.
    pub fn commands(&self, file: &str) -> String {
        let commands = self.commands.iter().chain(&["check"]);
        let commands: Vec<String> = commands
            .map(|command| format!("`lozenge {command} {file}`"))
            .collect();
        commands.join(" or ")
    }
}

/// Returns the kind of a file with this extension that begins with these bytes; `None` if they do not tell. A text
/// without a name is a program if its first lines are those of one.
pub fn recognised(extension: Option<&str>, start: &[u8]) -> Option<FileKind> {
    match extension {
        extension if extension.is_some() && extension == PROGRAM.extension => Some(PROGRAM),
        extension if extension.is_some() && extension == SET.extension => Some(SET),
        extension if extension.is_some() && extension == SHAPES.extension => Some(SHAPES),
        extension if extension.is_some() && extension == AXON.extension => Some(AXON),
        _ => other(extension, start).or_else(|| is_model(start).then_some(MODEL)),
    }
}

/// Tells whether a file that begins like this is a model: an archive, an object of JSON, or bytes that no text has.
fn is_model(start: &[u8]) -> bool {
    let first = &start[..start.len().min(64)];
    first.starts_with(b"PK")
        || first.trim_ascii_start().starts_with(b"{")
        || first.iter().any(|byte| *byte < b'\t')
}

/// Returns the kind of a text without a name, such as standard input: a program is told by its first lines.
pub fn without_a_name(start: &[u8]) -> Option<FileKind> {
    let text = String::from_utf8_lossy(start);
    match binds_a_function(&text) {
        true => Some(AXON),
        false => has_statements(&text).then_some(PROGRAM),
    }
}

/// Tells whether the first line of a text that is no comment binds a function, as in `f = fn(x) { x }`, which no other
/// kind of text does.
fn binds_a_function(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let behind = first.and_then(|line| line.split_once('='));
    let behind = behind.and_then(|(_, rest)| rest.trim_start().strip_prefix("fn"));
    behind.is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// Returns another subject of the harness.
#[cfg(feature = "oracle")]
fn other(extension: Option<&str>, start: &[u8]) -> Option<FileKind> {
    let subject = lozenge_fuzz::subjects::recognised(extension, start)?;
    Some(FileKind {
        noun: subject.noun(),
        extension: Some(subject.extension()),
        commands: &[],
    })
}

/// Finds none: without Z3 there is no harness.
#[cfg(not(feature = "oracle"))]
fn other(_: Option<&str>, _: &[u8]) -> Option<FileKind> {
    None
}

/// Says whether the first line that tells programs from constraint sets is a statement of a program.
fn has_statements(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.lines().find_map(is_statement).unwrap_or_default()
}

/// Says whether a line is a statement of a program; `None` for a line that may stand in either, such as `param w`. A
/// constraint has a relation behind its first name, and a statement has another word or an assignment there.
fn is_statement(line: &str) -> Option<bool> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let rest = line.trim_start_matches(is_part);
    let first = &line[..line.len() - rest.len()];
    let (rest, spaced) = (rest.trim_start(), rest.starts_with(' '));
    match first {
        "" => (!line.is_empty()).then_some(false),
        "leaf" | "interior" => Some(false),
        "param" => rest.contains([':', '=']).then_some(true),
        _ if rest.starts_with('=') => {
            let assigns = [":", "+", "-", "*", "max ", "min "];
            Some(assigns.iter().any(|way| rest[1..].starts_with(way)))
        }
        _ => Some(
            spaced && rest.starts_with(|c: char| is_part(c) || c == '"') || rest.starts_with('('),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axon_program_is_told_by_its_first_function() {
        for (text, is_axon) in [
            ("# softmax\n\nf = fn (x : f32 s) {\n", true),
            ("\u{feff}f=fn(x) { x }", true),
            ("fn = 3", false),
            ("f =: fnord(x)", false),
            ("let f = fn(x)", true),
            ("a = 3", false),
        ] {
            assert_eq!(binds_a_function(text), is_axon, "{text}");
        }
    }

    #[test]
    fn a_program_is_told_from_a_constraint_set_by_its_first_lines() {
        for program in [
            "data x : 3 = range(3)\n",
            "\u{feff}# a comment\n\nparam w\nlet y = w * x\n",
            "param w : 3->4\n",
            "y =: a \"i => i\"",
            "y =+ a",
            "y =* a",
            "use \"f.loz\"",
            "train 3 steps:\n",
            "prm q",
            "f(x)",
        ] {
            assert!(has_statements(program), "{program}");
        }
        for set in [
            "",
            "# nothing\n",
            "a = 3",
            "a=3",
            "data <= 3",
            "let = 3",
            "param w\n3 <= w",
            "param <w>",
            "leaf a, b",
            "interior a",
            "<r> ~ [3, 5]",
            "[3] <= <r>",
            "3 <= a",
            "1_ <= a",
        ] {
            assert!(!has_statements(set), "{set}");
        }
    }
}
