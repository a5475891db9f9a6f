//! The frame of a generated page: one self-contained file, light and dark, with one style sheet for all reports.
//!
//! The pages are those of programs, of runs, of claims and of campaigns.
//!
//! Text is written through `maud`, which escapes it; a report adds only what is inside `main`.

pub mod drawing;

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style sheet of every report.
const STYLE: &str = include_str!("style.css");

/// Returns a whole page with this title, which is also its first heading, and these contents.
pub fn page(title: &str, contents: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (title) }
                    (contents)
                }
            }
        }
    };
    page.into_string()
}

/// Returns a text, with the parts between backquotes marked up as code.
pub fn with_code(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}

/// Returns a number with thin spaces between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_nothing_is_fetched() {
        let page = page("<r> & \"s\"", &html! { p { (with_code("a `b < c`")) } });
        assert!(page.starts_with("<!DOCTYPE html>"));
        assert!(
            page.contains("<h1>&lt;r&gt; &amp; &quot;s&quot;</h1>"),
            "{page}"
        );
        assert!(page.contains("<p>a <code>b &lt; c</code></p>"), "{page}");
        assert!(!page.contains("http"), "the page fetches something");
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        let spaced = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(
            spaced,
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }
}
