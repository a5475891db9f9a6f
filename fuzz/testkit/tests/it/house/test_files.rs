//! Files below `src` that hold tests alone: modules of other files, behind `cfg(test)`, that are called `tests` or
//! `…_tests`.

use std::path::Path;

use syn::{Expr, File, Item, ItemMod, Lit, Meta};

use super::functions::is_test;

/// Says whether the name of a file makes it one for tests.
pub fn is_for_tests(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    is_called_so(&name) || path.parent().unwrap().ends_with("tests")
}

fn is_called_so(name: &str) -> bool {
    name == "tests" || name.ends_with("_tests")
}

/// Returns the files with such a name that a file declares as modules, and whether only tests see them.
pub fn declared(file: &File) -> Vec<(String, bool)> {
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() => Some(module),
        _ => None,
    });
    let named = modules.map(|module| (stem(module), is_test(&module.attrs)));
    named.filter(|(name, _)| is_called_so(name)).collect()
}

/// Returns the name of a module's file without its ending.
fn stem(module: &ItemMod) -> String {
    let path = module
        .attrs
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
    match path {
        Some(path) => path.trim_end_matches(".rs").to_string(),
        None => module.ident.to_string(),
    }
}
