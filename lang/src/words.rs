//! The words of the language, for editors, and to distinguish the names of a program from those of the language.

use std::collections::BTreeSet;

use crate::operator::{FUNCTIONS, TENSOR_FUNCTIONS};
use crate::prelude;
use crate::syntax::{KEYWORDS, Statement};

/// The words of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The words that begin statements or occur in them. They cannot be names.
    pub keywords: Vec<&'static str>,
    /// The functions of the language. A tensor may have the name of one: before parentheses it means the function.
    pub functions: Vec<&'static str>,
    /// The names that the prelude defines, in order. A program's own names hide them.
    pub prelude: Vec<String>,
}

/// The words of the language, from the tables that the reader uses.
pub fn words() -> Words {
    let functions = FUNCTIONS.iter().map(|(word, _)| *word);
    Words {
        keywords: KEYWORDS.to_vec(),
        functions: functions.chain(TENSOR_FUNCTIONS).collect(),
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

/// Whether a name before parentheses is a function of the language, even if a tensor has the same name.
pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(word, _)| *word == name) || TENSOR_FUNCTIONS.contains(&name)
}

/// Whether a name that no text defines has a meaning in the language.
pub(crate) fn is_of_language(name: &str) -> bool {
    NAMES.with(|names| names.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{INFIX, OF_SPECS, Primitive};
    use crate::token::COMBINATIONS;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/elaboration.md");

    /// A row of the table: a line of a program on `a`, `b` and `d`, with the operation that it is.
    fn row(line: &str) -> String {
        let text = format!("param a\nparam b\nparam d\n{line}\n");
        let program = crate::parse(&text).unwrap_or_else(|errors| panic!("{line}: {}", errors[0]));
        let [step] = &program.steps[..] else {
            panic!("{line}: {} operations", program.steps.len());
        };
        let slots = step.operation.slots.iter();
        let names: Vec<String> = slots.map(|id| format!("`{}`", program[*id].name)).collect();
        let (written, read) = names.split_first().expect("a result");
        let accumulator = step.operation.accumulator;
        let how = step.logic.word();
        let read = read.join(", ");
        format!("| `{line}` | {written} `{accumulator}` {how} of {read} |\n")
    }

    /// What is said of the spec behind `let c = mean(a)` depends on this.
    #[test]
    fn the_functions_that_take_specs_are_those_that_accept_one() {
        let words = words();
        let functions = words.functions.iter().copied().map(String::from);
        let names: Vec<String> = functions.chain(words.prelude).collect();
        let calls = [
            "a, \"n|->i => n|->\"",
            "a, \"n|->i => n, i|->\"",
            "a, a, \"n|->i; n|->j => n|->i^j\"",
        ];
        for name in &names {
            let accepts = |arguments: &&str| {
                let text = format!("param a\nlet c = {name}({arguments})");
                // A call that gives a function has no operation.
                crate::parse(&text).is_ok_and(|program| !program.steps.is_empty())
            };
            let accepts = calls.iter().any(accepts);
            assert_eq!(OF_SPECS.contains(&name.as_str()), accepts, "{name}");
        }
    }

    /// `LOZENGE_WRITE=1` renews the table.
    #[test]
    fn the_page_of_elaboration_has_a_row_for_each_operation() {
        let mut table = String::from("\n| form | operation |\n|---|---|\n");
        for (sign, _, _) in INFIX {
            table += &row(&format!("let c = a {sign} b"));
        }
        for (word, primitive) in FUNCTIONS {
            let operands = match primitive {
                Primitive::Function(function) => function.arity(),
                _ => 1,
            };
            let operands = ["a", "b", "d"][..operands].join(", ");
            table += &row(&format!("let c = {word}({operands})"));
        }
        let combinations = COMBINATIONS.iter().map(|(sign, _)| *sign);
        for sign in combinations.chain([""]) {
            table += &row(&format!("c =:{sign} a"));
            table += &row(&match sign {
                "" => "d =: a".to_string(),
                sign => format!("d ={sign} a"),
            });
        }
        let page = std::fs::read_to_string(PAGE).expect("the page");
        let (before, rest) = page.split_once("<!-- operations -->\n").expect("the table");
        let (_, after) = rest.split_once("<!-- end -->").expect("its end");
        let renewed = format!("{before}<!-- operations -->\n{table}\n<!-- end -->{after}");
        if std::env::var_os("LOZENGE_WRITE").is_some() {
            std::fs::write(PAGE, &renewed).expect("the page is written");
            return;
        }
        assert!(page == renewed, "docs/elaboration.md has another table");
    }

    /// Other functions and the words of statements occur in the programs of the page, or in its text if they need a file.
    #[test]
    fn the_page_of_elaboration_has_every_word() {
        let page = std::fs::read_to_string(PAGE).expect("the page");
        let blocks = page.split("```loz\n").skip(1);
        let programs = blocks.filter_map(|block| Some(block.split_once("```")?.0));
        let used: String = programs
            .chain(page.lines().filter(|line| line.contains("`use ")))
            .collect();
        let mut all = KEYWORDS.iter().chain(&TENSOR_FUNCTIONS);
        let words: BTreeSet<&str> = used
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        let missing = all.find(|word| !words.contains(**word));
        assert_eq!(missing, None);
    }
}
