//! The part of a source file that counts when it is asked whether a decision depends on a change.

#[path = "../../build/code.rs"]
mod code;

use code::code;

const PLAIN: &str = "fn f(a: u32) -> u32 { a + 1 }";

#[test]
fn comments_layout_documentation_and_tests_do_not_count() {
    let written = "//! A module.\n\n/// A function. It has `code`.\nfn f(a: u32)\n-> u32 {\n    // One more.\n    a + 1 /* and no other */\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn g() {}\n}\n";
    assert_eq!(code(written), code(PLAIN));
    assert_eq!(
        code(&format!("#[cfg(test)]\nmod tests;\n{PLAIN}")),
        code(PLAIN)
    );
    assert_eq!(code(&format!("#![doc = \"text\"]{PLAIN}")), code(PLAIN));
}

#[test]
fn code_counts() {
    let others = [
        PLAIN.replace('1', "2"),
        PLAIN.replace("a + 1", "a - 1"),
        PLAIN.replace("a + 1", "(a + 1)"),
        format!("#[inline] {PLAIN}"),
        format!("#[cfg(not(test))] {PLAIN}"),
        format!("{PLAIN} #[cfg(test)] mod tests {{}} fn g() {{}}"),
        "const TEXT: &str = \"// no comment\";".into(),
        "const TEXT: &str = \"// no comment at all\";".into(),
    ];
    let mut codes: Vec<String> = others.iter().map(|text| code(text)).collect();
    codes.push(code(PLAIN));
    let count = codes.len();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), count);
    // A joint and a spaced operator differ.
    assert_ne!(code("a && b"), code("a & & b"));
}

#[test]
fn a_text_that_is_not_rust_counts_as_it_is() {
    assert_eq!(code("fn f( {"), "fn f( {");
}
