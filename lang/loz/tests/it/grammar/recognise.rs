//! A recogniser that knows only the grammar of the document.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::ebnf::{Grammar, Part};

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Newline,
    Indent,
    Dedent,
    Word(String),
    Number(String),
    Text(String),
    Sign(&'static str),
}

/// The signs. A sign that begins with another one comes before it.
const SIGNS: [&str; 44] = [
    "=:max", "=:min", "=:+", "=:-", "=:*", "=:", "=max", "=min", "=+", "=-", "=*", "==", "=>", "=",
    "->", "...", "..", "<>", "<=", ">=", "!=", "@|", "**", "*.", "*", "+", "-", "/", "(", ")", "[",
    "]", ",", ";", "^", "|", ":", "<", ">", ".", "@", "T", "{", "}",
];

/// Lists the tokens of a text; `lines` says whether line breaks and indentation matter.
pub fn tokens(text: &str, lines: bool) -> Vec<Token> {
    let mut found = Vec::new();
    let (mut open, mut depths) = (0usize, vec![0]);
    for line in text.lines() {
        let mut rest = line.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        let depth = line.len() - rest.len();
        if lines && open == 0 {
            if depth > depths[depths.len() - 1] {
                depths.push(depth);
                found.push(Token::Indent);
            }
            while depth < depths[depths.len() - 1] {
                depths.pop();
                found.push(Token::Dedent);
            }
        }
        while !rest.is_empty() && !rest.starts_with('#') {
            let (token, length) = token(rest);
            match token {
                Token::Sign("(" | "[") => open += 1,
                Token::Sign(")" | "]") => open = open.saturating_sub(1),
                _ => {}
            }
            found.push(token);
            rest = rest[length..].trim_start();
        }
        if lines && open == 0 {
            found.push(Token::Newline);
        }
    }
    found.extend(depths[1..].iter().map(|_| Token::Dedent));
    found
}

fn token(rest: &str) -> (Token, usize) {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let first = rest.chars().next().expect("a character");
    if first == '"' {
        let end = rest[1..].find('"').expect("a closing quote") + 2;
        return (Token::Text(rest[1..end - 1].into()), end);
    }
    if first.is_alphabetic() || first == '_' {
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        return (Token::Word(rest[..end].into()), end);
    }
    if first.is_ascii_digit() {
        let end = number(rest);
        return (Token::Number(rest[..end].into()), end);
    }
    let sign = SIGNS.iter().find(|sign| {
        let after = rest[sign.len().min(rest.len())..].chars().next();
        let word = sign.ends_with(char::is_alphabetic) && after.is_some_and(inside);
        rest.starts_with(**sign) && !word
    });
    let sign = sign.unwrap_or_else(|| panic!("no sign: {rest}"));
    (Token::Sign(sign), sign.len())
}

/// Returns the end of a number: a fraction needs a digit behind its point, an exponent has a sign, and a basis begins
/// with `_`.
fn number(rest: &str) -> usize {
    let digits = |from: usize| {
        let rest = &rest[from..];
        from + rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        end = digits(end + 1);
    }
    if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        if exponent[sign..].starts_with(|c: char| c.is_ascii_digit()) {
            end = digits(end + 1 + sign);
        }
    }
    if rest[end..].starts_with('_') {
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        end += rest[end..]
            .find(|c| !inside(c))
            .unwrap_or(rest[end..].len());
    }
    end
}

/// The possible ends of a part that begins at a given token, each with the terminals and names used up to there. If
/// several derivations have the same end, the first counts.
type Ends = Vec<(usize, Rc<BTreeSet<usize>>)>;

pub struct Recogniser<'g> {
    pub grammar: &'g Grammar,
    pub keywords: Vec<&'static str>,
    /// The numbers of the terminals and names that some text used.
    pub met: BTreeSet<usize>,
    /// The known ends of each rule from each token of the current text.
    known: HashMap<(&'g str, usize), Ends>,
    furthest: usize,
}

impl<'g> Recogniser<'g> {
    pub fn new(grammar: &'g Grammar) -> Self {
        Recogniser {
            grammar,
            keywords: reserved(),
            met: BTreeSet::new(),
            known: HashMap::new(),
            furthest: 0,
        }
    }

    /// Checks that a text matches a rule.
    ///
    /// # Errors
    /// The place from which the text no longer matches.
    pub fn read(&mut self, rule: &str, text: &str) -> Result<(), String> {
        let tokens = tokens(text, rule == "program");
        self.furthest = 0;
        self.known.clear();
        let part = self.grammar.rule(rule).expect("the rule is there");
        let ends = self.ends(part, &tokens, 0);
        match ends.into_iter().find(|(end, _)| *end == tokens.len()) {
            Some((_, met)) => {
                self.met.extend(met.iter());
                Ok(())
            }
            None => {
                let from = self.furthest.min(tokens.len());
                let to = (from + 4).min(tokens.len());
                Err(format!(
                    "no `{rule}` from {:?} in\n{text}",
                    &tokens[from..to]
                ))
            }
        }
    }

    fn ends(&mut self, part: &'g Part, tokens: &[Token], at: usize) -> Ends {
        self.furthest = self.furthest.max(at);
        let here = || vec![(at, Rc::default())];
        match part {
            Part::Sign(number, sign) => one(*number, tokens, at, |token| match token {
                Token::Sign(found) => found == sign,
                Token::Word(word) | Token::Number(word) => word == sign,
                _ => false,
            }),
            Part::Name(number, name) => match self.grammar.rule(name) {
                Some(rule) => {
                    let key = (name.as_str(), at);
                    let found = match self.known.get(&key) {
                        Some(known) => known.clone(),
                        None => {
                            let found = self.ends(rule, tokens, at);
                            self.known.insert(key, found.clone());
                            found
                        }
                    };
                    let with = found.into_iter().map(|(end, met)| {
                        let mut met = met.as_ref().clone();
                        met.insert(*number);
                        (end, Rc::new(met))
                    });
                    with.collect()
                }
                None => one(*number, tokens, at, |token| is(token, name, &self.keywords)),
            },
            Part::Sequence(parts) => {
                let mut reached = here();
                for part in parts {
                    let mut next = Ends::new();
                    for (at, before) in reached {
                        let ends = self.ends(part, tokens, at);
                        merge(&mut next, &before, ends);
                    }
                    reached = next;
                }
                reached
            }
            Part::Choice(parts) => {
                let mut reached = Ends::new();
                for part in parts {
                    let ends = self.ends(part, tokens, at);
                    merge(&mut reached, &Rc::default(), ends);
                }
                reached
            }
            Part::Optional(part) => {
                let mut reached = self.ends(part, tokens, at);
                merge(&mut reached, &Rc::default(), here());
                reached
            }
            Part::Repeated(part) => {
                let mut reached = here();
                let mut next = 0;
                while let Some((at, before)) = reached.get(next).cloned() {
                    let ends = self.ends(part, tokens, at);
                    merge(&mut reached, &before, ends);
                    next += 1;
                }
                reached
            }
        }
    }
}

/// Adds ends that are not known yet.
fn merge(known: &mut Ends, before: &Rc<BTreeSet<usize>>, ends: Ends) {
    for (end, met) in ends {
        if known.iter().all(|(other, _)| *other != end) {
            let met = met.union(before).copied().collect();
            known.push((end, Rc::new(met)));
        }
    }
}

fn one(number: usize, tokens: &[Token], at: usize, fits: impl Fn(&Token) -> bool) -> Ends {
    match tokens.get(at).is_some_and(fits) {
        true => vec![(at + 1, Rc::new(BTreeSet::from([number])))],
        false => Ends::new(),
    }
}

/// Lists the keywords that are never names.
fn reserved() -> Vec<&'static str> {
    let mut keywords = lozenge_lang::words().keywords;
    keywords.retain(|word| !matches!(*word, "train" | "each"));
    keywords
}

/// Tells whether a token belongs to a class of words.
fn is(token: &Token, class: &str, keywords: &[&str]) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    match (class, token) {
        ("NEWLINE", Token::Newline) | ("INDENT", Token::Indent) | ("DEDENT", Token::Dedent) => true,
        ("NAME", Token::Word(word)) => !keywords.contains(&word.as_str()),
        ("BASIS", Token::Word(word)) => word.starts_with('_'),
        ("STRING", Token::Text(_)) => true,
        ("INT", Token::Number(text)) => digits(text),
        ("NUMBER", Token::Number(text)) => !text.contains('_'),
        ("SIZE", Token::Number(text)) => {
            let (size, basis) = text.split_once('_').unwrap_or((text, "default"));
            digits(size) && !basis.is_empty()
        }
        ("NAME" | "BASIS" | "STRING" | "INT" | "NUMBER" | "SIZE", _)
        | ("NEWLINE" | "INDENT" | "DEDENT", _) => false,
        (other, _) => panic!("there is no rule and no class `{other}`"),
    }
}
