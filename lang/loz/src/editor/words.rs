//! The words of the language, for editors, and to distinguish the names of a program from those of the language.

use std::collections::BTreeSet;

use crate::parse::prelude;
use crate::parse::token::COMBINATIONS;
use crate::syntax::operator::{FUNCTIONS, INFIX, OF_SPECS, TENSOR_FUNCTIONS};
use crate::syntax::{KEYWORDS, Statement};

/// The words of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The words that begin statements or occur in them. They cannot be names; only `train` and `each` can, where no
    /// section and no evaluation begins with them.
    pub keywords: Vec<&'static str>,
    /// The functions of the language. A tensor may have the name of one: before parentheses it means the function.
    pub functions: Vec<&'static str>,
    /// The functions, of the language and of the prelude, whose last argument may be a spec.
    pub functions_of_specs: Vec<&'static str>,
    /// The operators between two operands.
    pub operators: Vec<&'static str>,
    /// The words that may follow the `=` or `=:` of an assignment: the ways in which a result is combined with the
    /// value that its cell holds.
    pub combinations: Vec<&'static str>,
    /// The names that the prelude defines, in order. A program's own names hide them.
    pub prelude: Vec<String>,
}

/// Lists the words of the language, from the tables that the reader uses.
pub fn words() -> Words {
    let functions = FUNCTIONS.iter().map(|(word, _)| *word);
    Words {
        keywords: KEYWORDS.to_vec(),
        functions: functions.chain(TENSOR_FUNCTIONS).collect(),
        functions_of_specs: OF_SPECS.to_vec(),
        operators: INFIX.iter().map(|(sign, _, _)| *sign).collect(),
        combinations: COMBINATIONS.iter().map(|(sign, _)| *sign).collect(),
        prelude: prelude::with(|read| {
            let names = read
                .statements
                .iter()
                .flat_map(|statement| match statement {
                    Statement::Def(definition) => vec![definition.name.text.to_string()],
                    Statement::Op(definition) => vec![definition.name.text.to_string()],
                    other => other
                        .defines()
                        .iter()
                        .map(|name| name.text.to_string())
                        .collect(),
                });
            names.collect()
        }),
    }
}

thread_local! {
    static NAMES: BTreeSet<String> = {
        let words = words();
        words.functions.into_iter().map(String::from).chain(words.prelude).collect()
    };
}

/// Tells whether a name before parentheses is a function of the language, even if a tensor has the same name.
pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(word, _)| *word == name) || TENSOR_FUNCTIONS.contains(&name)
}

/// Tells whether a name that no text defines has a meaning in the language.
pub(crate) fn is_of_language(name: &str) -> bool {
    NAMES.with(|names| names.contains(name))
}
