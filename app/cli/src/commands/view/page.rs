//! The page: the program with the tensors that its parts denote, the requirements, the steps of solving, and the loops.

use lozenge_page::drawing;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Shape, TensorId};
use lozenge_vocabulary::program::{Program, Source, Tensor};
use lozenge_vocabulary::{Constraint, Row, RowTerm, Tag};
use maud::{Markup, PreEscaped, html};

use super::{View, annotated, colours, involved, steps};
use crate::loaded::shape_text;

/// The script that reacts to pointer and keys. The page is complete without it.
const SCRIPT: &str = include_str!("view.js");

/// The style of parts that only this page has.
const STYLE: &str = include_str!("view.css");

/// Returns the whole page of the program with this name.
pub fn page(name: &str, view: &View) -> String {
    let contents = html! {
        style { (PreEscaped(STYLE)) }
        (introduction(view))
        @if !view.messages.is_empty() { (messages(view)) }
        div.program {
            section aria-label="program" { (program(view)) }
            aside #panel aria-live="polite" aria-label="the chosen part" {
                p.soft { "Point at a part of the program, or press Tab and the arrow keys: its shape, who asked for each axis, and its loops stand here. Enter keeps it; Escape lets it go." }
            }
        }
        (tensors(view))
        (requirements(view))
        (solving(&view.steps))
        script { (PreEscaped(SCRIPT)) }
    };
    lozenge_page::page(name, &contents)
}

fn introduction(view: &View) -> Markup {
    let (steps, tensors) = (
        view.loaded.program.steps.len(),
        view.loaded.program.tensors.len(),
    );
    html! {
        p {
            "A program, and what lozenge infers of it: " (counted(tensors, "tensor")) ", " (counted(steps, "operation")) ". "
            "A shape is " code { "batch|input->output" } "; broadcasting inserts axes at the marker "
            span.row { span.marker { "⋄" } } ". "
            a href="#tensors" { "Tensors" } ", " a href="#requirements" { "requirements" } ", " a href="#solving" { "solving" } "."
        }
        @if view.tensors() < tensors {
            p.bad { "The first " (view.tensors()) " tensors are shown: --max-tensors shows more." }
        }
    }
}

/// Writes a number with its noun.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn messages(view: &View) -> Markup {
    html! {
        section #messages {
            (colours::message(&view.messages))
            (rows_of_messages(view))
            @if !view.conflict.is_empty() {
                h3 { "These requirements cannot hold together" }
                p { (ORDER) }
                ol.conflict { @for told in &view.conflict {
                    li {
                        pre.told { (told.text.trim_end()) }
                        @if let Some(constraint) = &told.constraint { p.constraint { (drawn(constraint)) } }
                    }
                } }
            }
        }
    }
}

/// Returns the rows of the tensors that each message about shapes that fit is about.
fn rows_of_messages(view: &View) -> Markup {
    let program = &view.loaded.program;
    html! {
        @if let Some(inferred) = &view.inferred {
            @for message in inferred.warnings.iter().filter(|message| message.code.is_some()) {
                div.involved {
                    h3 { (message.code.as_deref().unwrap_or_default()) ": " (message.message) }
                    @for tensor in involved::tensors(program, message) {
                        div { a href={ "#t" (tensor.0) } { (program[tensor].name) } (drawn_shape(&inferred.shapes[tensor.0])) }
                    }
                }
            }
        }
    }
}

fn drawn_shape(shape: &Shape<Row>) -> Markup {
    html! {
        div.shape {
            @for kind in Kind::ALL {
                span.axes { span.soft { (kind.word()) } " " (drawing::row(shape.row(kind))) }
            }
        }
    }
}

/// Draws a shape whose axes have the colours of the loops over them. Rows without axes are left out.
fn coloured_shape(shape: &Shape<Row>, colours: &[Option<usize>]) -> Markup {
    let mut colours = colours.iter().copied();
    let mut classes = |axes: &[Dim]| -> Vec<(String, String)> {
        let class = |colour: Option<Option<usize>>| match colour.flatten() {
            Some(number) => format!("axis{number}"),
            None => String::new(),
        };
        let axes = axes.iter();
        axes.map(|axis| (axis.to_string(), class(colours.next())))
            .collect()
    };
    let rows = Kind::ALL.map(|kind| {
        let row = shape.row(kind);
        (kind, classes(&row.leading), classes(&row.trailing))
    });
    let axes = rows
        .iter()
        .map(|(_, leading, trailing)| leading.len() + trailing.len());
    html! {
        div.shape {
            @if axes.sum::<usize>() == 0 { span.soft { "one number: no axes" } }
            @for (kind, leading, trailing) in rows.iter().filter(|(_, a, b)| !a.is_empty() || !b.is_empty()) {
                span.axes { span.soft { (kind.word()) } " " span.row {
                    @for (axis, class) in leading { span class=(class) { (axis) } }
                    span.marker title="broadcasting inserts axes here" { "⋄" }
                    @for (axis, class) in trailing { span class=(class) { (axis) } }
                } }
            }
        }
    }
}

/// Draws the axes that a shape has in the program, where no shapes fit it.
fn written_shape(shape: &Shape<RowTerm>) -> Markup {
    let has_axes = |row: &RowTerm| !row.leading.is_empty() || !row.trailing.is_empty();
    html! {
        @if shape.rows().into_iter().any(&has_axes) {
            div.shape {
                span.soft { "as it is written:" }
                @for kind in Kind::ALL {
                    @if has_axes(shape.row(kind)) {
                        span.axes { span.soft { (kind.word()) } " " (written_row(shape.row(kind))) }
                    }
                }
            }
        }
    }
}

/// Draws a row; dots stand for the part that the program leaves open.
fn written_row(row: &RowTerm) -> Markup {
    let rest = if row.var.is_some() { "…" } else { "⋄" };
    html! {
        span.row {
            @for axis in &row.leading { span { (axis) } }
            span.marker { (rest) }
            @for axis in &row.trailing { span { (axis) } }
        }
    }
}

fn program(view: &View) -> Markup {
    let source = &view.loaded.source.text;
    let shown = |tensor: TensorId| tensor.0 < view.tensors();
    let shape = |tensor: TensorId| {
        let inferred = view.inferred.as_ref()?;
        Some(annotated::brief(&shape_text(&inferred.shapes[tensor.0])))
    };
    html! {
        div.listing {
            pre.gutter aria-hidden="true" {
                @for (line, _) in source.lines().enumerate() { a id={ "L" (line + 1) } href={ "#L" (line + 1) } { (line + 1) } "\n" }
            }
            pre.source { (annotated::text(&view.loaded.program, source, shown, shape)) }
        }
    }
}

fn tensors(view: &View) -> Markup {
    let program = &view.loaded.program;
    html! {
        section #tensors {
            h2 { "Tensors" }
            form.filter role="search" {
                input type="search" name="words" placeholder="search tensors" aria-label="search tensors";
                " " label { input type="checkbox" name="all"; " unnamed parts, too" }
                " " output.soft name="shown" {}
            }
            @for (number, tensor) in program.tensors.iter().enumerate().take(view.limit) {
                (card(view, TensorId(number), tensor))
            }
        }
    }
}

/// Returns the card with everything known about a tensor.
fn card(view: &View, id: TensorId, tensor: &Tensor) -> Markup {
    let (line, _) = view.loaded.place(&tensor.span);
    let program = &view.loaded.program;
    let written = view
        .loaded
        .source
        .text
        .get(tensor.span.clone())
        .unwrap_or_default();
    let shape = view
        .inferred
        .as_ref()
        .map(|inferred| &inferred.shapes[id.0]);
    let nests = view.inferred.iter().flat_map(|inferred| {
        program
            .steps
            .iter()
            .zip(&inferred.nests)
            .zip(&inferred.contracted)
    });
    let nests = nests.filter(|((step, _), _)| step.operation.slots[0] == id);
    let nests = nests.map(|(both, contracted)| {
        let text = lozenge::nest_text(both.0, both.1);
        (both, contracted, text)
    });
    let nests: Vec<_> = nests.collect();
    let last = nests.last();
    let colours = last.map_or_else(Vec::new, |(_, _, text)| colours::axes(text));
    html! {
        article.tensor id={ "t" (id.0) } data-named[involved::is_named(tensor, written)] {
            h3 { a href={ "#t" (id.0) } { (tensor.name) } }
            " " span.soft { (kind_of(program, tensor)) ", line " a href={ "#L" (line) } { (line) } @if *written != *tensor.name { ": " code { (first_line(written)) } } }
            @match shape {
                Some(shape) => (coloured_shape(shape, &colours)),
                None => (written_shape(&tensor.shape)),
            }
            @for ((step, _), contracted, text) in &nests {
                details open {
                    summary { "loops of line " (view.loaded.place(&step.span).0) " (" (step.logic.word()) ")" }
                    @for contracted in *contracted { p.soft { (contracted) } }
                    (colours::nest(text, !contracted.is_empty()))
                }
            }
            @for derivation in view.derivations.get(id.0).into_iter().flatten() {
                details {
                    summary { "why these " (derivation.kind.word()) " axes" }
                    pre.told { (derivation.text.trim_end()) }
                }
            }
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn kind_of(program: &Program, tensor: &Tensor) -> &'static str {
    match (&tensor.source, tensor.tag) {
        (Source::Data(_), _) => "data",
        (Source::Param(parameter), _) if parameter.state => "state",
        (Source::Param(_), _) => "parameter",
        (Source::Constant(_), _) => "constant",
        (Source::Intermediate, Tag::Leaf) => "a leaf",
        (Source::Intermediate, _)
            if program
                .losses
                .iter()
                .any(|(loss, _)| program[*loss].name == tensor.name) =>
        {
            "a loss"
        }
        (Source::Intermediate, _) => "computed",
    }
}

/// The signs between two rows.
const ORDER: &str = "⊑ allows broadcasting: the left side is the result. ≈ does not.";

fn requirements(view: &View) -> Markup {
    let constraints = view.loaded.constraints();
    let (program, source) = (&view.loaded.program, &view.loaded.source.text);
    let all = constraints.set.constraints.iter().zip(&constraints.origins);
    html! {
        section #requirements {
            h2 { "What the operations require" }
            p { "Each operation relates the rows of its tensors. " (ORDER) }
            div.scroll { table {
                thead { tr { th { "line" } th { "in words" } th { "constraint" } } }
                tbody {
                    @for (constraint, origin) in all.take(view.limit) {
                        @let line = view.loaded.place(&origin.span).0;
                        tr {
                            td.n { a href={ "#L" (line) } { (line) } }
                            td { (colours::words(&lozenge::requirement_words(program, source, origin.step, origin.requirement).unwrap_or_else(|| origin.words.clone()))) }
                            td { (drawn(constraint)) }
                        }
                    }
                }
            } }
            @if constraints.origins.len() > view.limit { p.bad { "The first " (view.limit) " are shown: --max-tensors shows more." } }
        }
    }
}

fn drawn(constraint: &Constraint) -> Markup {
    match constraint {
        Constraint::RowEq(a, b) => {
            html! { (drawing::row_term(a)) span.op { "≈" } (drawing::row_term(b)) }
        }
        Constraint::RowLe(a, b) => {
            html! { (drawing::row_term(a)) span.op { "⊑" } (drawing::row_term(b)) }
        }
        other => html! { code { (other) } },
    }
}

fn solving(run: &steps::Steps) -> Markup {
    let data = serde_json::to_string(run).unwrap_or_default();
    // Text inside a script is not escaped, and `<` could end the script.
    let data = data.replace('<', "\\u003c");
    html! {
        section #solving {
            h2 { "Solving, step by step" }
            p { "The rules of the paper, one at a time. A rule takes a requirement, and binds a row or an axis, keeps a bound, or gives smaller requirements." }
            div.stepper role="group" aria-label="steps" hidden {
                button type="button" name="first" aria-label="first step" { "⏮" }
                button type="button" name="back" aria-label="one step back" { "◀" }
                input type="range" name="at" min="0" max=(run.steps.len()) value="0" aria-label="step";
                button type="button" name="forward" aria-label="one step forward" { "▶" }
                button type="button" name="last" aria-label="last step" { "⏭" }
                output name="step" {}
            }
            div.configuration hidden {
                div { h3 { "This step" } div #effect aria-live="polite" {} }
                div { h3 { "Known after it" } div.scroll { table #bindings {} } }
            }
            details {
                summary { "all " (run.steps.len()) " steps" }
                ol.steps {
                    @for step in &run.steps {
                        li { @for (at, line) in step.lines.iter().enumerate() { @if at > 0 { br; } (line.rule) " " (line.on) " " (line.effect) } }
                    }
                }
            }
            p { (run.end) }
            script #run type="application/json" { (PreEscaped(data)) }
        }
    }
}
