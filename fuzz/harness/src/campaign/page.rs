//! The report of a campaign as one page: self-contained, light and dark.

mod plots;

use std::collections::BTreeMap;

use lozenge_page::{grouped, with_code};
use maud::{Markup, PreEscaped, html};

use super::{Found, State, Tally};
use crate::known_difference::KnownDifference;
use crate::subjects::{differences, named};

/// The date and the commit of a report.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The day, as in 2026-01-31.
    pub date: String,
    /// The commit of the program, where it is known.
    pub commit: Option<String>,
}

/// Shows the targets of the chosen kinds that contain the search words.
const SCRIPT: &str = include_str!("page/search.js");

fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Renders the page.
pub fn page(state: &State, provenance: &Provenance) -> String {
    let contents = html! {
        (introduction(state, provenance))
        (overview(state))
        (legend())
        (disagreements(state))
        @for (name, tally) in &state.tallies { (section(name, tally)) }
        (classes(state))
        (rules(state))
        script { (PreEscaped(SCRIPT)) }
    };
    lozenge_page::page("A fuzzing campaign", &contents)
}

fn introduction(state: &State, provenance: &Provenance) -> Markup {
    html! {
        p {
            "Independent parties are asked the same questions about inputs that are made at random, and their answers are held against each "
            "other. An input is made from the seed and its number alone, so that everything here can be seen again: "
            code { "lozenge campaign TARGET --seed " (state.seed) }
            "."
        }
        p.soft {
            "Made on " (provenance.date)
            @if let Some(commit) = &provenance.commit { " from commit " code { (commit) } }
            ". Seed " (state.seed) ", " (grouped(state.inputs())) " inputs in " (format!("{:.0}", state.seconds)) " seconds"
            @if state.shard != super::Shard::WHOLE { ", the part " (state.shard) " of a campaign" }
            "."
        }
    }
}

fn legend() -> Markup {
    let words = [
        ("useful", "inputs that got past the first step of solving"),
        (
            "differ, named",
            "the parties differ in a way that has a name, an argument and a witness below",
        ),
        (
            "unknown",
            "a party reached one of its limits; it is never counted as agreement",
        ),
        ("disagree", "a defect of one of the parties"),
    ];
    html! {
        dl.legend { @for (word, meaning) in words { dt { (word) } dd { (meaning) } } }
    }
}

fn overview(state: &State) -> Markup {
    html! {
        form class="filter" role="search" {
            @for (kind, words) in [("differ", "with named differences"), ("unknown", "with unknown answers"), ("disagree", "with disagreements")] {
                label { input type="checkbox" name="kind" value=(kind); " only " (words) }
            }
            input type="search" name="words" placeholder="search targets" aria-label="search targets";
            " " output.soft name="shown" {}
        }
        div.scroll { table {
            thead { tr {
                th { "target" }
                @for heading in ["inputs", "a second", "useful", "differ, named", "unknown", "disagree"] { th.n { (heading) } }
            } }
            tbody { @for (name, tally) in &state.tallies { (line(name, tally)) } }
        } }
    }
}

fn line(name: &str, tally: &Tally) -> Markup {
    let differ: u64 = differing(tally).map(|(_, count)| count).sum();
    let unknown = tally.outcomes.get("unknown").copied().unwrap_or_default();
    let bad = tally.disagreements();
    let kinds = [("differ", differ), ("unknown", unknown), ("disagree", bad)];
    let kinds: Vec<&str> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, _)| *kind)
        .collect();
    html! {
        tr data-target=(name) data-kinds=(kinds.join(" ")) {
            td { a href={ "#" (name) } { (name) } }
            td.n { (grouped(tally.inputs)) }
            td.n { (grouped(tally.rate() as u64)) }
            td.n { (share(tally.useful, tally.inputs)) }
            td.n { (grouped(differ)) }
            td.n { (grouped(unknown)) }
            td.n.bad[bad > 0] { (bad) }
        }
    }
}

fn differing(tally: &Tally) -> impl Iterator<Item = (&'static KnownDifference, u64)> + '_ {
    differences().filter_map(|class| {
        let count = tally.outcomes.get(class.name)?;
        Some((class, *count))
    })
}

fn disagreements(state: &State) -> Markup {
    html! { @for (name, found) in state.disagreements() { (disagreement(name, found)) } }
}

fn disagreement(name: &str, found: &Found) -> Markup {
    let id = format!("{name}-{}", found.index);
    html! {
        article id=(id) {
            h3.bad { a href={ "#" (id) } { (name) ", input " (found.index) } ": " (found.disagreement.check) }
            pre { (found.input) }
            pre { (found.disagreement) }
        }
    }
}

fn classes(state: &State) -> Markup {
    let count = |name: &str| -> u64 {
        let tallies = state.tallies.values();
        tallies.filter_map(|tally| tally.outcomes.get(name)).sum()
    };
    html! {
        h2 #differences { "Named differences" }
        div.scroll { table {
            thead { tr { th { "name" } th.n { "count" } th { "why it is no defect" } } }
            tbody { @for row in differences() {
                tr id={ "difference-" (row.name) } {
                    td { a href={ "#difference-" (row.name) } { (row.name) } }
                    td.n { (grouped(count(row.name))) }
                    td.soft { (with_code(row.argument)) }
                }
            } }
        } }
    }
}

/// Returns every rule with the number of times that it fired and failed, so that a rule that no input reached is
/// noticed.
fn rules(state: &State) -> Markup {
    let sum = |of: fn(&Tally) -> &BTreeMap<String, u64>, rule: &str| -> u64 {
        let counts = state.tallies.values();
        counts.filter_map(|tally| of(tally).get(rule)).sum()
    };
    let counts = |name: &'static str| plots::Fired {
        name,
        fired: sum(|tally| &tally.fired, name),
        failed: sum(|tally| &tally.failed, name),
    };
    html! {
        h2 #rules { "Rules" }
        p.soft { "How often each fired and, in brackets, failed, on one input in sixteen. The bars are logarithmic." }
        (plots::fired(&state.rules().into_iter().map(counts).collect::<Vec<_>>()))
    }
}

fn section(name: &str, tally: &Tally) -> Markup {
    let about = named(name).map_or("", |target| target.about());
    html! {
        section id=(name) data-target=(name) {
            h2 { a href={ "#" (name) } { (name) } }
            p.soft { (about) }
            div.plots {
                (plots::rate(&tally.samples))
                (plots::sizes(&tally.sizes))
            }
            (plots::shares("answers", &tally.answers, tally.inputs))
            (plots::shares("outcomes", &tally.outcomes, tally.inputs))
            @if !tally.limits.is_empty() { (plots::shares("limits", &tally.limits, tally.limits.values().sum())) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Disagreement;

    #[test]
    fn what_was_found_is_on_the_page_and_escaped() {
        let mut state = State::new(3);
        let mut tally = Tally {
            inputs: 4,
            ..Tally::default()
        };
        tally.outcomes.insert("agree".into(), 3);
        tally.outcomes.insert("disagree: verdict".into(), 1);
        tally.sizes = BTreeMap::from([(0, 1), (30, 3)]);
        tally.samples = vec![(0.0, 0), (0.5, 2), (1.0, 4)];
        tally.found = vec![Found {
            index: 2,
            input: "<r> <= [1_]".into(),
            disagreement: Disagreement::new("verdict"),
            stuck: false,
        }];
        state.tallies.insert("spec_solver".into(), tally);
        let provenance = Provenance {
            date: "2026-01-31".into(),
            commit: None,
        };
        let page = page(&state, &provenance);
        for wanted in [
            "id=\"spec_solver-2\"",
            "&lt;r&gt; &lt;= [1_]",
            "Made on 2026-01-31",
            "<td class=\"n bad\">1</td>",
            "<polyline class=\"curve\" points=\"200.0,15.0 350.0,15.0\"",
        ] {
            assert!(page.contains(wanted), "{wanted}: {page}");
        }
    }
}
