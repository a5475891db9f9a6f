//! Comments on functions, which begin with a verb: they say what a call does.

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, File, Ident, ImplItemFn, ItemFn, Lit, Meta, TraitItemFn};

/// Words with which the name of a thing begins. A comment of a test is a statement, which may begin so.
const THINGS: &[&str] = &[
    "The", "A", "An", "All", "Every", "Each", "Its", "One", "Two", "Those", "These",
];

/// Returns the functions of a file whose comments begin with a thing, and the number of all functions with comments.
pub fn described_as_things(file: &File) -> (Vec<String>, usize) {
    let mut found = Described::default();
    found.visit_file(file);
    (found.as_things, found.all)
}

#[derive(Default)]
struct Described {
    as_things: Vec<String>,
    all: usize,
}

impl Described {
    fn look_at(&mut self, name: &Ident, attributes: &[Attribute]) {
        let is_test = attributes
            .iter()
            .any(|attribute| attribute.path().is_ident("test"));
        let Some(words) = attributes.iter().find_map(documentation) else {
            return;
        };
        self.all += 1;
        let first = words.split_whitespace().next().unwrap_or_default();
        if !is_test && THINGS.contains(&first) {
            self.as_things.push(name.to_string());
        }
    }
}

/// Returns the text of an attribute that is a line of documentation.
fn documentation(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Described {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.look_at(&function.sig.ident, &function.attrs);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.look_at(&function.sig.ident, &function.attrs);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        self.look_at(&function.sig.ident, &function.attrs);
        visit::visit_trait_item_fn(self, function);
    }
}

#[test]
fn a_function_that_is_described_as_a_thing_is_found() {
    let text = "/// The sum.\nfn a() {}\n/// Adds.\nfn b() {}\nfn c() {}\n/// A fact.\n#[test]\nfn d() {}\n\
                trait T {\n/// Each one.\nfn e();\n}\nimpl S {\n/// An end.\nfn f() {}\n}\n";
    let file = syn::parse_file(text).unwrap();
    let expected = ["a", "e", "f"].map(String::from).to_vec();
    assert_eq!(described_as_things(&file), (expected, 5));
}
