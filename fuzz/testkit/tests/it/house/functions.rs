//! Lengths of the functions of a file, in lines of text with their heads. Functions of tests are left out.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, File, ImplItemFn, ItemFn, ItemMod, TraitItemFn};

/// Returns the functions of a file with more lines than `longest`: the name and the number of lines of each.
pub fn longer_than(longest: usize, file: &File) -> Vec<(String, usize)> {
    let mut found = Longer {
        longest,
        functions: Vec::new(),
    };
    found.visit_file(file);
    found.functions
}

struct Longer {
    longest: usize,
    functions: Vec<(String, usize)>,
}

impl Longer {
    /// Measures from the line of the name to the closing brace: documentation and attributes do not count.
    fn measure(&mut self, name: &syn::Ident, block: &syn::Block) {
        let lines = block.span().end().line + 1 - name.span().start().line;
        if lines > self.longest {
            self.functions.push((name.to_string(), lines));
        }
    }
}

pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    })
}

impl<'ast> Visit<'ast> for Longer {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            self.measure(&function.sig.ident, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.measure(&function.sig.ident, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig.ident, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}
