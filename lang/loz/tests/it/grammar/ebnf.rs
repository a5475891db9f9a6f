//! The grammar as written in the document.
//!
//! The crate `ebnf` was considered and not tried: it reads another dialect, and its expressions have no numbers by
//! which a test could record that a terminal of the document was used.

/// A part of a rule. Each occurrence of a terminal or of a name has a number, by which a test records that it was used.
#[derive(Debug)]
pub enum Part {
    /// A quoted sign or word.
    Sign(usize, String),
    /// The name of a rule, or of a class of words.
    Name(usize, String),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Optional(Box<Part>),
    Repeated(Box<Part>),
}

/// The rules in the order of the text.
#[derive(Debug)]
pub struct Grammar {
    pub rules: Vec<(String, Part)>,
    /// The number of occurrences of terminals and names.
    pub numbered: usize,
}

impl Grammar {
    pub fn rule(&self, name: &str) -> Option<&Part> {
        let found = self.rules.iter().find(|(rule, _)| rule == name);
        found.map(|(_, part)| part)
    }
}

struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    numbered: usize,
}

/// Reads the grammar of a document: its block of EBNF.
pub fn read(document: &str) -> Grammar {
    let start = document.find("```ebnf\n").expect("a grammar") + "```ebnf\n".len();
    let text = document[start..].split("```").next().expect("its end");
    let mut reader = Reader {
        words: text.split_whitespace().collect(),
        at: 0,
        numbered: 0,
    };
    let mut rules = Vec::new();
    while reader.at < reader.words.len() {
        let name = reader.next().to_string();
        assert_eq!(reader.next(), "=", "after {name}");
        let part = reader.choice();
        assert_eq!(reader.next(), ";", "after the rule {name}");
        rules.push((name, part));
    }
    Grammar {
        rules,
        numbered: reader.numbered,
    }
}

impl<'a> Reader<'a> {
    fn peek(&self) -> &'a str {
        self.words[self.at]
    }

    fn next(&mut self) -> &'a str {
        self.at += 1;
        self.words[self.at - 1]
    }

    fn choice(&mut self) -> Part {
        let mut all = vec![self.sequence()];
        while self.peek() == "|" {
            self.next();
            all.push(self.sequence());
        }
        match all.len() {
            1 => all.remove(0),
            _ => Part::Choice(all),
        }
    }

    fn sequence(&mut self) -> Part {
        let mut all = Vec::new();
        while !["|", "]", "}", ")", ";"].contains(&self.peek()) {
            all.push(self.part());
        }
        match all.len() {
            1 => all.remove(0),
            _ => Part::Sequence(all),
        }
    }

    fn part(&mut self) -> Part {
        let word = self.next();
        match word {
            "[" => Part::Optional(Box::new(self.closed("]"))),
            "{" => Part::Repeated(Box::new(self.closed("}"))),
            "(" => self.closed(")"),
            word => {
                self.numbered += 1;
                let number = self.numbered - 1;
                match word
                    .strip_prefix('"')
                    .and_then(|word| word.strip_suffix('"'))
                {
                    Some(sign) => Part::Sign(number, sign.to_string()),
                    None => Part::Name(number, word.to_string()),
                }
            }
        }
    }

    fn closed(&mut self, bracket: &str) -> Part {
        let part = self.choice();
        assert_eq!(self.next(), bracket);
        part
    }
}
