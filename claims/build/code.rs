//! The part of a source file that counts: its tokens. Comments, documentation, layout and code for tests alone do not
//! count.

use std::iter::Peekable;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Returns the code of a file as a text that is the same wherever the code is. A text that is not Rust counts as it is.
pub fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    match text.parse::<TokenStream>() {
        Ok(tokens) => write(tokens, &mut code),
        Err(_) => code.push_str(text),
    }
    code
}

fn write(tokens: TokenStream, code: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let Some(attribute) = attribute(&token, &mut tokens) {
            match attribute {
                Attribute::Documentation => {}
                Attribute::OnlyForTests => skip_item(&mut tokens),
                Attribute::Other(group) => {
                    code.push('#');
                    write_group(&group, code);
                }
            }
            continue;
        }
        match &token {
            TokenTree::Group(group) => write_group(group, code),
            TokenTree::Punct(punct) => {
                code.push(punct.as_char());
                if punct.spacing() == Spacing::Alone {
                    code.push(' ');
                }
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                code.push_str(&token.to_string());
                code.push(' ');
            }
        }
    }
}

fn write_group(group: &Group, code: &mut String) {
    let [open, close] = match group.delimiter() {
        Delimiter::Parenthesis => ['(', ')'],
        Delimiter::Brace => ['{', '}'],
        Delimiter::Bracket => ['[', ']'],
        Delimiter::None => [' ', ' '],
    };
    code.push(open);
    write(group.stream(), code);
    code.push(close);
}

enum Attribute {
    Documentation,
    OnlyForTests,
    Other(Group),
}

/// Returns the attribute that begins with a token, if one does; the rest of it is taken.
fn attribute(token: &TokenTree, tokens: &mut Peekable<IntoIter>) -> Option<Attribute> {
    let is = |token: &TokenTree, wanted: char| match token {
        TokenTree::Punct(punct) => punct.as_char() == wanted,
        _ => false,
    };
    if !is(token, '#') {
        return None;
    }
    tokens.next_if(|token| is(token, '!'));
    let in_brackets = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Bracket,
        _ => false,
    };
    let TokenTree::Group(group) = tokens.next_if(in_brackets)? else {
        return None;
    };
    let mut text = group.stream().to_string();
    text.retain(|c| !c.is_whitespace());
    Some(match text.as_str() {
        "cfg(test)" => Attribute::OnlyForTests,
        text if text.starts_with("doc=") => Attribute::Documentation,
        _ => Attribute::Other(group),
    })
}

/// Takes an item: up to its body, or to the semicolon where it has none.
fn skip_item(tokens: &mut Peekable<IntoIter>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(punct) if punct.as_char() == ';' => return,
            _ => {}
        }
    }
}
