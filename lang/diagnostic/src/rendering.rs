//! The text of a diagnostic: the source lines of its places, with carets under them.

use std::fmt::Write;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Label, Place, Severity, place};

/// Places that are further apart than this number of bytes are shown in separate snippets, because rendering takes time
/// proportional to the text between the first and the last place of a snippet.
const NEAR: usize = 4096;

pub(super) fn render(diagnostic: &Diagnostic, source: &str, path: &str, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut title = level.primary_title(diagnostic.message.as_str());
    if let Some(code) = &diagnostic.code {
        title = title.id(code.as_str());
    }
    let renderer = match color {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    if diagnostic
        .labels
        .iter()
        .any(|label| label.place.span().is_none())
    {
        let title = renderer.render(&[Group::with_title(title)]).to_string();
        return title + &without_snippets(diagnostic, source, path);
    }
    let elsewhere = diagnostic
        .elsewhere
        .as_deref()
        .map_or_else(Vec::new, |other| {
            snippets(&other.labels, &other.text, &other.file)
        });
    let mut group = title
        .elements(elsewhere)
        .elements(snippets(&diagnostic.labels, source, path));
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.text.as_str()));
    }
    renderer.render(&[group]).to_string()
}

/// Writes the places of a message, of which some are nodes of a graph, as lines, and its help.
fn without_snippets(diagnostic: &Diagnostic, source: &str, path: &str) -> String {
    let mut text = String::new();
    for label in &diagnostic.labels {
        let words = &label.text;
        // Writing to a text does not fail.
        let _ = match &label.place {
            Place::Node(node) => write!(text, "\n  node `{}`: {words}", node.escape_debug()),
            Place::Text(span) => {
                let (line, column) = place(source, span.start);
                write!(text, "\n  {path}:{line}:{column}: {words}")
            }
        };
    }
    if let Some(help) = &diagnostic.help {
        text.push_str("\n  = help: ");
        text.push_str(&help.text);
    }
    text
}

/// Makes the snippets, that of the error first; places that are near each other share one.
fn snippets<'a>(
    labels: &'a [Label],
    source: &'a str,
    path: &'a str,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|place| (labels[*place].span().start, *place));
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for place in order {
        match clusters.last_mut() {
            Some(cluster)
                if labels[place].span().start
                    <= labels[cluster[cluster.len() - 1]].span().end + NEAR =>
            {
                cluster.push(place);
            }
            _ => clusters.push(vec![place]),
        }
    }
    // The header names the place of the error.
    clusters.sort_by_key(|cluster| !cluster.contains(&0));
    clusters
        .iter()
        .map(|cluster| snippet(labels, cluster, source, path))
        .collect()
}

fn snippet<'a>(
    labels: &'a [Label],
    cluster: &[usize],
    source: &'a str,
    path: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    // A place that the text does not have is moved into it.
    let inside = |place: usize| {
        let span = labels[place].span();
        let end = source.floor_char_boundary(span.end);
        source.floor_char_boundary(span.start).min(end)..end
    };
    let spans = || cluster.iter().map(|place| inside(*place));
    let first = spans().map(|span| span.start).min().unwrap_or(0);
    let last = spans().map(|span| span.end).max().unwrap_or(0);
    let from = source[..first].rfind('\n').map_or(0, |newline| newline + 1);
    let to = source[last..]
        .find('\n')
        .map_or(source.len(), |newline| last + newline);
    // The carriage return of a line that ends with both is not shown.
    let to = match source[last..to].ends_with('\r') {
        true => to - 1,
        false => to,
    };
    let annotations = cluster.iter().map(|place| {
        let label = &labels[*place];
        let kind = match place {
            0 => AnnotationKind::Primary,
            _ => AnnotationKind::Context,
        };
        let span = inside(*place);
        kind.span(span.start - from..span.end - from)
            .label(label.text.as_str())
    });
    Snippet::source(&source[from..to])
        .path(path)
        .line_start(source[..from].matches('\n').count() + 1)
        .annotations(annotations)
}
