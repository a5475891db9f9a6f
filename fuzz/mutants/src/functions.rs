//! The functions of a source text, and where their bodies are.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ImplItemFn, ItemFn, ReturnType, Signature, TraitItemFn, Type};

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The bytes of the body, braces included.
    pub body: Range<usize>,
    /// True if the function returns `impl Trait`, so that two bodies may have different types.
    pub opaque: bool,
    /// True if the body is evaluated at compile time, where there is no switch to read.
    pub constant: bool,
}

/// The outline of a source text that is needed for placing changes.
#[derive(Debug, Default)]
pub struct Outline {
    functions: Vec<Function>,
    expressions: Vec<Range<usize>>,
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

impl Outline {
    /// Reads a source text.
    ///
    /// # Errors
    /// When it cannot be parsed as Rust.
    pub fn of(text: &str) -> Result<Outline, syn::Error> {
        let mut outline = Outline::default();
        outline.visit_file(&syn::parse_file(text)?);
        Ok(outline)
    }

    /// Returns the innermost function whose body contains these bytes.
    pub fn function(&self, span: &Range<usize>) -> Option<&Function> {
        let holding = self.functions.iter().filter(|function| {
            let inside = function.body.start + 1..function.body.end - 1;
            contains(&inside, span)
        });
        holding.min_by_key(|function| function.body.len())
    }

    /// Returns the smallest expression within the given bytes that contains these.
    pub fn expression(&self, span: &Range<usize>, within: &Range<usize>) -> Option<Range<usize>> {
        let holding = self.expressions.iter();
        let holding = holding.filter(|range| contains(range, span) && contains(within, range));
        holding.min_by_key(|range| range.len()).cloned()
    }

    fn function_of(&mut self, signature: &Signature, block: &Block) {
        self.functions.push(Function {
            body: block.span().byte_range(),
            opaque: is_opaque(&signature.output),
            constant: signature.constness.is_some(),
        });
    }
}

/// Says whether a return type contains `impl Trait`.
fn is_opaque(output: &ReturnType) -> bool {
    struct Opaque(bool);
    impl Visit<'_> for Opaque {
        fn visit_type(&mut self, node: &Type) {
            self.0 |= matches!(node, Type::ImplTrait(_));
            visit::visit_type(self, node);
        }
    }
    let mut opaque = Opaque(false);
    opaque.visit_return_type(output);
    opaque.0
}

impl Visit<'_> for Outline {
    fn visit_item_fn(&mut self, node: &ItemFn) {
        self.function_of(&node.sig, &node.block);
        visit::visit_item_fn(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &ImplItemFn) {
        self.function_of(&node.sig, &node.block);
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_trait_item_fn(&mut self, node: &TraitItemFn) {
        if let Some(block) = &node.default {
            self.function_of(&node.sig, block);
        }
        visit::visit_trait_item_fn(self, node);
    }

    fn visit_expr(&mut self, node: &Expr) {
        self.expressions.push(node.span().byte_range());
        visit::visit_expr(self, node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
const fn two() -> u8 { 2 }
struct S;
impl S {
    fn evens(&self) -> impl Iterator<Item = u8> { (0..9).map(|n| n * two()) }
}
fn outer() -> u8 {
    fn inner() -> u8 { 3 }
    inner()
}
";

    fn at(piece: &str) -> Range<usize> {
        let start = TEXT.find(piece).unwrap();
        start..start + piece.len()
    }

    #[test]
    fn the_innermost_function_is_found() {
        let outline = Outline::of(TEXT).unwrap();
        let body = |piece: &str| &TEXT[outline.function(&at(piece)).unwrap().body.clone()];
        assert_eq!(
            body("3 }\n").trim(),
            body("inner()\n"),
            "a brace belongs to no body"
        );
        assert_eq!(body("3"), "{ 3 }");
        assert!(body("    inner()").contains("fn inner"));
        assert!(outline.function(&at("2 }")).is_none());
        assert!(outline.function(&at("2")).unwrap().constant);
        assert!(outline.function(&at("struct S")).is_none());
    }

    #[test]
    fn what_has_a_type_of_its_own_is_switched_in_an_expression() {
        let outline = Outline::of(TEXT).unwrap();
        let function = outline.function(&at("n * two()")).unwrap();
        assert!(function.opaque);
        let expression = outline.expression(&at("* "), &function.body);
        assert_eq!(expression, Some(at("n * two()")));
    }
}
