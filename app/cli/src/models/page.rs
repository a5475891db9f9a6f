//! `lozenge view` of a model: which sizes it takes, and its layers in order with their types in input symbols, as one
//! page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use lozenge_gradual_solver as gradual;
use lozenge_graph_vocabulary::{Argument, BodyId, Graph, Node, NodeId};
use lozenge_page::{page, with_code};
use maud::{Markup, html};

use crate::args;
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file::OutputFile;
use crate::json::Page;
use crate::report::{Problem, Report};

/// Runs the command.
///
/// # Errors
/// When the file is no model, or the page cannot be written.
pub fn view(args: &args::View) -> Result<Report, Problem> {
    let graph = Arc::new(super::read_plainly(&args.file)?);
    let model = Named::new(args.file.display().to_string(), &args.file);
    let page_file = Named::flag("--html", Some(&args.html));
    distinct(&[model], &Vec::from_iter(page_file))?;
    let output = OutputFile::open(Some(&args.html))?;
    let mut answer = gradual::Sizes::of(graph.clone(), &gradual::Options::default());
    let (contents, shown) = contents(&graph, &mut answer, args.max_tensors);
    let text = page(&title(&args.file), &contents);
    output.map_or(Ok(()), |output| output.write(&text))?;
    let verdict = super::verdict(&answer);
    let body = Page::of_model(args.html.display().to_string(), shown);
    let text = format!("the page is {}\n", args.html.display());
    Ok(Report::judged(verdict, text, body))
}

fn title(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Draws the page, and returns how many layers it shows.
fn contents(graph: &Graph, answer: &mut gradual::Answer, most: usize) -> (Markup, usize) {
    let report = answer.report();
    let layers = Layers::of(graph, answer, &report);
    let order = in_order(graph, most);
    let left_out = graph.node_count() - order.len();
    let markup = html! {
        p { "Which sizes of its inputs the model takes, and the sizes of its layers as functions of them. Letters are input sizes." }
        @for case in &report.cases { pre.told { (case) } }
        (refusals(&report))
        @for remark in report.remarks().lines() { p { (with_code(remark)) } }
        h2 #layers { "Layers" }
        @if left_out > 0 { p.bad { (left_out) " layers are left out: --max-tensors shows more." } }
        ol.layers {
            @for place in &order { (layers.row(place)) }
        }
    };
    (markup, order.len())
}

/// Lists who restricts which size or, where nothing is admitted, who refuses all, each with a link to its layer.
fn refusals(report: &gradual::Report) -> Markup {
    let causes = report.cases.iter().flat_map(|case| &case.why);
    let restricting =
        causes.flat_map(|cause| cause.nodes.iter().map(|node| (Some(&cause.axis), node)));
    let all = restricting.chain(report.core.iter().map(|refusal| (None, refusal)));
    let mut all = all.peekable();
    let is_refused = report.cases.is_empty() && report.limits.is_empty();
    html! {
        @if is_refused { p.bad { "No sizes are admitted." } }
        @if all.peek().is_some() {
            h2 { @if is_refused { "Who refuses" } @else { "Who restricts the sizes" } }
            ul { @for (axis, refusal) in all { li {
                @if let Some(axis) = axis { code { (axis) } ": " }
                @if !refusal.node.is_empty() { a href={ "#" (anchor(&refusal.node)) } { code { (refusal.node) } } ": " }
                (with_code(&refusal.words))
            } } }
        }
    }
}

/// Gives the name of a layer in links: letters and digits, and the number of any other character.
fn anchor(node: &str) -> String {
    let mut anchor = String::from("layer-");
    for sign in node.chars() {
        match sign.is_ascii_alphanumeric() {
            true => anchor.push(sign),
            false => anchor.extend(
                ['-', '_']
                    .into_iter()
                    .chain((sign as u32).to_string().chars()),
            ),
        }
    }
    anchor
}

/// A node among the layers.
struct Place<'g> {
    node: NodeId,
    /// The number of bodies around it.
    level: usize,
    /// The name of the branch that begins with it.
    branch: Option<&'g str>,
}

/// Gives the nodes in the order in which they are computed, at most so many: those of a branch stand behind the node
/// that chooses it.
fn in_order(graph: &Graph, most: usize) -> Vec<Place<'_>> {
    let mut order = Vec::new();
    let mut open = vec![(BodyId::MAIN, 0, 0, None)];
    while let Some((body, index, level, branch)) = open.pop() {
        let Some(node) = graph[body].nodes.get(index as usize) else {
            continue;
        };
        if order.len() == most {
            break;
        }
        order.push(Place {
            node: NodeId { body, index },
            level,
            branch,
        });
        open.push((body, index + 1, level, None));
        let inner = bodies(node).into_iter().rev();
        open.extend(inner.map(|(name, body)| (body, 0, level + 1, Some(name))));
    }
    order
}

/// Gives the bodies that a node holds, with the names that they have there.
fn bodies(node: &Node) -> Vec<(&str, BodyId)> {
    let unnamed = node.arguments.iter().map(|argument| ("", argument));
    let named = node.keywords.iter().chain(&node.attributes);
    let all = unnamed.chain(named.map(|(name, argument)| (name.as_str(), argument)));
    let bodies = all.filter_map(|(name, argument)| match argument {
        Argument::Body(body) => Some((name, *body)),
        _ => None,
    });
    bodies.collect()
}

/// The text beside layers.
struct Layers<'g> {
    graph: &'g Graph,
    /// The shapes of values in each case, by their names.
    cases: Vec<BTreeMap<String, String>>,
    /// The layers that refuse something or that a warning is about, with the words.
    marked: BTreeMap<String, Vec<String>>,
}

impl<'g> Layers<'g> {
    fn of(graph: &'g Graph, answer: &gradual::Answer, report: &gradual::Report) -> Layers<'g> {
        let shapes = |case| {
            let shapes = answer.node_shapes(case).into_iter();
            shapes.map(|node| (node.name, node.shape)).collect()
        };
        let mut marked: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut mark = |nodes: &[String], words: String| {
            for node in nodes {
                let known = marked.entry(node.clone()).or_default();
                if !known.contains(&words) {
                    known.push(words.clone());
                }
            }
        };
        for cause in report.cases.iter().flat_map(|case| &case.why) {
            for refusal in &cause.nodes {
                mark(
                    &refusal.nodes,
                    format!("restricts {}: {}", cause.axis, refusal.words),
                );
            }
        }
        for refusal in &report.core {
            mark(&refusal.nodes, format!("refuses: {}", refusal.words));
        }
        for warning in &report.warnings {
            mark(&warning.nodes, format!("warning: {}", warning.words));
        }
        for (operator, node) in &report.unknown {
            mark(
                std::slice::from_ref(node),
                format!("{operator} is not known"),
            );
        }
        Layers {
            graph,
            cases: (0..answer.case_count()).map(shapes).collect(),
            marked,
        }
    }

    fn row(&self, at: &Place) -> Markup {
        let node = &self.graph[at.node];
        let outputs: Vec<&str> = node
            .outputs
            .iter()
            .flatten()
            .map(|id| self.graph[*id].name.as_str())
            .collect();
        let types: BTreeSet<&str> = outputs
            .iter()
            .flat_map(|name| self.cases.iter().filter_map(|case| case.get(*name)))
            .map(String::as_str)
            .collect();
        let marks = self.marked.get(node.name()).map_or(&[][..], Vec::as_slice);
        let is_branch = !bodies(node).is_empty();
        let is_left_out = at.level > 0 && types.is_empty() && !self.cases.is_empty();
        let module = node.place.module.as_ref().map(|module| module.path.clone());
        let source = node.place.source.as_ref();
        let source = source.map(|source| format!("{}:{}", source.file, source.line));
        let place: Vec<String> = [module, source].into_iter().flatten().collect();
        html! {
            li id=(anchor(node.name())) class=[(!marks.is_empty()).then_some("marked")] style={ "--level: " (at.level) } {
                @if let Some(branch) = at.branch { span.why.branch { "branch " code { (branch) } } }
                code.name { (node.name()) }
                code.soft { (node.operator) }
                span { @for (at, one) in types.iter().enumerate() { @if at > 0 { br; } code { (one) } } }
                @if is_branch { span.why { "branches: the layers of each branch follow" } }
                @if is_left_out { span.why.soft { "no admitted size comes here" } }
                @for mark in marks { span.why.bad { (with_code(mark)) } }
                @if !place.is_empty() { span.why.soft { (place.join(" ")) } }
            }
        }
    }
}
