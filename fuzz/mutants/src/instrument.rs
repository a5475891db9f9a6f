//! A source text with all its changes behind the switch.
//!
//! A function whose body is `{ B }` and that has the changes 3 and 7 becomes
//!
//! ```text
//! { if crate::switch::is(3) { B with 3 } else if crate::switch::is(7) { B with 7 } else { B } }
//! ```
//!
//! A whole body is the smallest piece that can be exchanged for every kind of change: of a pattern, a statement or an
//! operator. Where two bodies would have different types (`impl Trait`), the smallest expression around the change is
//! exchanged instead.

use std::fmt::Write;
use std::ops::Range;

use crate::change::Change;
use crate::functions::Outline;

/// A change with its number in the copy.
pub type Numbered<'a> = (usize, &'a Change);

/// The reason why a change has no place in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// The bytes are not part of a function's body.
    #[error("it is in no function")]
    OutsideFunctions,
    /// The function is evaluated at compile time.
    #[error("its function is a `const fn`, which cannot read the switch")]
    Constant,
    /// The function returns `impl Trait`, and no expression of its body contains the change.
    #[error("its function returns `impl Trait`, and the change is in no expression of it")]
    Opaque,
}

/// A text with its changes, and the places of these.
#[derive(Debug, Default)]
pub struct Instrumented {
    /// The text.
    pub text: String,
    /// The bytes of the text in which an error is the fault of a change, with its number.
    pub places: Vec<(Range<usize>, usize)>,
}

/// A piece of the text, with the changes that replace it.
struct Site<'a> {
    range: Range<usize>,
    is_body: bool,
    changes: Vec<Numbered<'a>>,
}

/// Returns the piece of the text that has to be exchanged for a change: a function's body, or an expression.
///
/// # Errors
/// When there is no such piece.
pub fn site(outline: &Outline, change: &Change) -> Result<(Range<usize>, bool), NoPlace> {
    let function = outline.function(&change.span);
    let function = function.ok_or(NoPlace::OutsideFunctions)?;
    if function.constant {
        return Err(NoPlace::Constant);
    }
    if !function.opaque {
        return Ok((function.body.clone(), true));
    }
    let expression = outline.expression(&change.span, &function.body);
    Ok((expression.ok_or(NoPlace::Opaque)?, false))
}

/// Returns the sites of the changes in the order of the text. Where two sites overlap, as a function inside another
/// function, the outer site has the changes of both.
fn sites<'a>(outline: &Outline, changes: &[Numbered<'a>]) -> Result<Vec<Site<'a>>, NoPlace> {
    let mut all = Vec::new();
    for &(number, change) in changes {
        let (range, is_body) = site(outline, change)?;
        all.push(Site {
            range,
            is_body,
            changes: vec![(number, change)],
        });
    }
    all.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    let mut merged: Vec<Site<'a>> = Vec::new();
    for site in all {
        match merged.last_mut() {
            Some(last) if site.range.end <= last.range.end => last.changes.extend(site.changes),
            _ => merged.push(site),
        }
    }
    Ok(merged)
}

/// Puts the changes of one file into its text.
///
/// # Errors
/// When a change has no place, which [`site`] reports for each one.
pub fn instrumented(
    text: &str,
    outline: &Outline,
    changes: &[Numbered<'_>],
) -> Result<Instrumented, NoPlace> {
    let mut out = Instrumented::default();
    let mut end = 0;
    for site in sites(outline, changes)? {
        out.text.push_str(&text[end..site.range.start]);
        switched(text, &site, &mut out);
        end = site.range.end;
    }
    out.text.push_str(&text[end..]);
    Ok(out)
}

fn switched(text: &str, site: &Site<'_>, out: &mut Instrumented) {
    let (open, close) = if site.is_body {
        ("{ ", " }")
    } else {
        ("(", ")")
    };
    let braced = |piece: &str| match site.is_body {
        true => piece.to_owned(),
        false => format!("{{ {piece} }}"),
    };
    out.text.push_str(open);
    for (number, change) in &site.changes {
        let _ = write!(out.text, "if crate::switch::is({number}) ");
        let start = out.text.len();
        let before = &text[site.range.start..change.span.start];
        let after = &text[change.span.end..site.range.end];
        let piece = [before, &change.replacement, after].concat();
        out.text.push_str(&braced(&piece));
        out.places.push((start..out.text.len(), *number));
        out.text.push_str("\nelse ");
    }
    let start = out.text.len();
    out.text.push_str(&braced(&text[site.range.clone()]));
    // The first piece gives an expression its type. Where the unchanged one has another, the change is the reason.
    if let (false, Some((number, _))) = (site.is_body, site.changes.first()) {
        out.places.push((start..out.text.len(), *number));
    }
    out.text.push_str(close);
}

/// Returns the module that is appended to a crate of the copy. It reads the switch once: `LOZENGE_CHANGE` names the
/// change that is on. If `LOZENGE_REACHED` names a file, the numbers of the changes that are reached are written to it,
/// each once.
pub fn switch_module(changes: &[Numbered<'_>]) -> String {
    let last = changes.iter().map(|(number, _)| *number).max().unwrap_or(0);
    let mut names = String::new();
    for (number, change) in changes {
        let _ = writeln!(names, "    ({number}, {:?}),", change.name);
    }
    format!(
        "
/// Chooses the change that is on.
#[allow(missing_docs, dead_code, clippy::all)]
pub mod switch {{
    use std::io::Write;
    use std::sync::LazyLock;
    use std::sync::atomic::{{AtomicBool, Ordering}};

    static ON: LazyLock<usize> = LazyLock::new(|| {{
        let name = std::env::var(\"LOZENGE_CHANGE\").unwrap_or_default();
        NAMES.iter().find(|(_, known)| *known == name).map_or(usize::MAX, |(number, _)| *number)
    }});
    static REACHED: LazyLock<Option<std::path::PathBuf>> =
        LazyLock::new(|| std::env::var_os(\"LOZENGE_REACHED\").map(Into::into));
    static SEEN: [AtomicBool; {last} + 1] = [const {{ AtomicBool::new(false) }}; {last} + 1];

    #[inline]
    pub fn is(number: usize) -> bool {{
        if let Some(path) = &*REACHED {{
            if !SEEN[number].swap(true, Ordering::Relaxed) {{
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                file.and_then(|mut file| file.write_all(format!(\"{{number}}\\n\").as_bytes()))
                    .expect(\"the file of what is reached\");
            }}
        }}
        *ON == number
    }}

    const NAMES: &[(usize, &str)] = &[
{names}    ];
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(text: &str, find: &str, replacement: &str) -> Change {
        let start = text.find(find).unwrap();
        Change {
            name: find.into(),
            file: "lib.rs".into(),
            span: start..start + find.len(),
            replacement: replacement.into(),
        }
    }

    #[test]
    fn each_change_gets_a_body_of_its_own() {
        let text = "fn f(a: u8) -> u8 { a + 1 }\nfn g() {}\n";
        let changes = [change(text, "+", "-"), change(text, "1", "2")];
        let numbered: Vec<Numbered<'_>> = changes.iter().enumerate().collect();
        let out = instrumented(text, &Outline::of(text).unwrap(), &numbered).unwrap();
        assert_eq!(
            out.text,
            "fn f(a: u8) -> u8 { if crate::switch::is(0) { a - 1 }\nelse if crate::switch::is(1) { a + 2 }\nelse { a + 1 } }\n\
             fn g() {}\n"
        );
        let pieces = out
            .places
            .iter()
            .map(|(range, number)| (&out.text[range.clone()], *number));
        assert_eq!(
            pieces.collect::<Vec<_>>(),
            [("{ a - 1 }", 0), ("{ a + 2 }", 1)]
        );
    }

    #[test]
    fn an_opaque_function_is_changed_in_an_expression() {
        let text = "fn f() -> impl Iterator<Item = u8> { (0..3).map(|n| n + 1) }\n";
        let changes = [change(text, "+", "-")];
        let numbered: Vec<Numbered<'_>> = changes.iter().enumerate().collect();
        let out = instrumented(text, &Outline::of(text).unwrap(), &numbered).unwrap();
        assert_eq!(
            out.text,
            "fn f() -> impl Iterator<Item = u8> { (0..3).map(|n| (if crate::switch::is(0) { n - 1 }\nelse { n + 1 })) }\n"
        );
        let blamed = |piece: &str| {
            let at = out.text.find(piece).unwrap();
            let mut places = out.places.iter();
            places
                .find(|(range, _)| range.contains(&at))
                .map(|(_, number)| *number)
        };
        assert_eq!(blamed("n - 1"), Some(0));
        // Its type may differ from that of the change.
        assert_eq!(blamed("n + 1"), Some(0));
    }

    #[test]
    fn a_change_outside_functions_has_no_place() {
        let text = "const N: u8 = 1;\nconst fn f() -> u8 { 2 }\n";
        let outline = Outline::of(text).unwrap();
        assert_eq!(
            site(&outline, &change(text, "1", "3")),
            Err(NoPlace::OutsideFunctions)
        );
        assert_eq!(
            site(&outline, &change(text, "2", "3")),
            Err(NoPlace::Constant)
        );
    }

    #[test]
    fn the_switch_is_rust() {
        let text = "fn f() -> u8 { 1 }";
        let changes = [change(text, "1", "2")];
        let module = switch_module(&[(4, &changes[0])]);
        syn::parse_file(&module).unwrap();
        assert!(module.contains("(4, \"1\")"));
    }
}
