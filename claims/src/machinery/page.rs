//! The table as one page: self-contained, light and dark, with a legend, contents, a filter by kind and a search.

use lozenge_page::{grouped, with_code};
use maud::{Markup, PreEscaped, html};

use super::claim::Heading;
use super::effort::Effort;
use super::entry::{Entry, Read};
use super::finding::Evidence;
use super::theorems::statement;

/// The effort, date and commit from which a page was made.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The extent of the searches.
    pub effort: Effort,
    /// The day, as in 2026-01-31.
    pub date: String,
    /// The commit of the program, where it is known.
    pub commit: Option<String>,
}

/// Draws a witness; `None` where it can only be shown as text.
pub type Drawing = fn(&str) -> Option<Markup>;

/// Renders the page of the entries of one or more documents.
pub fn page(
    headings: &[Heading],
    provenance: &Provenance,
    entries: &[Entry],
    drawing: Drawing,
) -> String {
    let contents = html! {
        @for heading in headings { (introduction(heading)) }
        (origin(provenance))
        (legend(entries))
        (filter())
        (contents(entries))
        @for (title, entries) in sections(entries) {
            section id=(anchor(title)) {
                h2 { (title) }
                @for entry in entries { (article(entry, drawing)) }
            }
        }
        script { (PreEscaped(SCRIPT)) }
    };
    let titles: Vec<&str> = headings.iter().map(|heading| heading.title).collect();
    lozenge_page::page(&titles.join(" · "), &contents)
}

/// Shows the entries of the chosen kinds that contain the search words.
const SCRIPT: &str = include_str!("page/filter.js");

fn introduction(heading: &Heading) -> Markup {
    html! {
        p {
            "Every numbered statement of "
            @match heading.link {
                Some(link) => a href=(link) { cite { (heading.document) } },
                None => cite { (heading.document) },
            }
            @if let Some(authors) = heading.authors { " by " (authors) }
            ", as printed, with the evidence for or against it. " (with_signs(heading.introduction))
        }
    }
}

/// Shows a text with parts in backticks as code, and parts between asterisks emphasised.
fn with_signs(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else {
                @for (at, part) in part.split('*').enumerate() {
                    @if at % 2 == 1 { em { (part) } } @else { (part) }
                }
            }
        }
    }
}

fn origin(provenance: &Provenance) -> Markup {
    html! {
        p.soft {
            "Made on " (provenance.date)
            @if let Some(commit) = &provenance.commit { " from commit " code { (commit) } }
            @match provenance.effort {
                Effort::Quick => { " by a " strong { "quick run" } ", which searches as little as the tests do: bounds and scopes are smaller than those of a full run." }
                Effort::Full => " by a full run.",
                Effort::Long => " by a long run.",
            }
        }
    }
}

fn legend(entries: &[Entry]) -> Markup {
    html! {
        dl.legend {
            @for kind in Evidence::ALL {
                @let count = entries.iter().filter(|e| e.evidence == kind).count();
                dt class=(kind.word()) { (count) " " (kind.word()) }
                dd { (kind.meaning()) }
            }
        }
    }
}

fn filter() -> Markup {
    html! {
        form class="filter" role="search" {
            @for kind in Evidence::ALL {
                label { input type="checkbox" name="kind" value=(kind.word()) checked; " " (kind.word()) }
            }
            input type="search" name="words" placeholder="search statements and witnesses" aria-label="search statements and witnesses";
            " " output.soft name="shown" {}
        }
    }
}

fn contents(entries: &[Entry]) -> Markup {
    html! {
        nav aria-label="contents" {
            @for (title, entries) in sections(entries) {
                details {
                    summary { a href={ "#" (anchor(title)) } { (title) } ", " (entries.len()) " entries" }
                    ul {
                        @for entry in entries {
                            li { a class=(entry.evidence.word()) href={ "#" (anchor(&entry.id)) } { (entry.id) } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the entries by section, in their order.
fn sections(entries: &[Entry]) -> Vec<(&str, &[Entry])> {
    entries
        .chunk_by(|a, b| a.section == b.section)
        .map(|chunk| (chunk[0].section.as_str(), chunk))
        .collect()
}

/// Returns a name for links: letters and digits, and a hyphen for each run of other characters.
fn anchor(id: &str) -> String {
    let words = id.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn article(entry: &Entry, drawing: Drawing) -> Markup {
    let kind = entry.evidence.word();
    let anchor = anchor(&entry.id);
    let class = if entry.repairs.is_some() {
        "repair"
    } else {
        "printed"
    };
    html! {
        article id=(anchor) class=(class) data-kind=(kind) {
            h3 { a href={ "#" (anchor) } { (entry.id) } }
            span class={ "kind " (kind) } { (entry.evidence_in_words()) }
            p { (entry.statement) }
            p.scope { (with_code(&entry.scope)) " (" (counted(entry.instances)) ", " (format!("{:.2}", entry.seconds)) " s)" }
            @if let Some(rules) = &entry.rules { p.scope { "Rules: " (rules) "." } }
            @for name in entry.theorems() {
                details { summary { "theorem " (name) } pre { (statement(name).unwrap_or_default()) } }
            }
            @if let Some(witness) = &entry.witness { (against(entry, witness, drawing)) }
        }
    }
}

fn against(entry: &Entry, witness: &str, drawing: Drawing) -> Markup {
    html! {
        @match drawing(witness) {
            Some(drawn) => (drawn),
            None => pre { (witness) },
        }
        @if let Some(why) = &entry.why { p.seen { (with_code(why)) } }
        @if !entry.readings.is_empty() {
            details {
                summary { "what each set of rules makes of it" }
                ul { @for read in &entry.readings { li { (reading(read)) } } }
            }
        }
        @if let Some(repair) = &entry.repaired_by {
            p { "Repaired: " a href={ "#" (anchor(repair)) } { (repair) } }
        }
    }
}

fn reading(read: &Read) -> Markup {
    html! {
        (read.rules) ": " (with_code(&read.outcome))
        @match read.refutes {
            Some(true) => ", which refutes the statement",
            Some(false) => ", which does not refute the statement",
            None => "",
        }
    }
}

fn counted(instances: u64) -> String {
    match instances {
        1 => "1 instance".into(),
        _ => format!("{} instances", grouped(instances)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_an_introduction_are_shown_and_not_printed() {
        let shown = with_signs("Rules run *as printed*, `<r>` is *one* row, `a * b` a product.")
            .into_string();
        let expected = "Rules run <em>as printed</em>, <code>&lt;r&gt;</code> is <em>one</em> row, <code>a * b</code> a product.";
        assert_eq!(shown, expected);
    }

    #[test]
    fn an_anchor_tells_the_parts_of_a_claim_apart() {
        let ids = ["Prop. 2.10(i)", "Prop. 2.10(ii)", "Prop. 2.10(i) repaired"];
        assert_eq!(
            ids.map(anchor),
            ["Prop-2-10-i", "Prop-2-10-ii", "Prop-2-10-i-repaired"]
        );
    }
}
