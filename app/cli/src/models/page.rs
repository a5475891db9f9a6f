//! `lozenge view` of a model: which sizes it takes, and its layers in order with their types in input symbols, as one page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use lozenge_gradual_solver as gradual;
use lozenge_graph::Limits;
use lozenge_graph_vocabulary::{Graph, Node};
use lozenge_page::{page, with_code};
use lozenge_vocabulary::Verdict;
use maud::{Markup, html};
use serde_json::json;

use crate::args;
use crate::distinct_files::{Named, distinct};
use crate::output_file::OutputFile;
use crate::report::{Problem, Report, Status};
use crate::view::Answer;

/// Runs the command.
///
/// # Errors
/// When the file is no model, or the page cannot be written.
pub fn view(args: &args::View) -> Result<Report, Problem> {
    let graph = lozenge_graph::read_file(&args.file, &Limits::default());
    let graph = Arc::new(graph.map_err(|error| super::problem(&args.file, &error))?);
    let model = Named::new(args.file.display().to_string(), &args.file);
    let page_file = Named::flag("--html", Some(&args.html));
    distinct(&[model], &Vec::from_iter(page_file))?;
    let output = OutputFile::open(Some(&args.html))?;
    let mut answer = gradual::Sizes::of(graph.clone(), &gradual::Options::default());
    let (contents, shown) = contents(&graph, &mut answer, args.max_tensors);
    let text = page(&title(&args.file), &contents);
    output.map_or(Ok(()), |output| output.write(&text))?;
    let verdict = super::verdict(&answer);
    let body = Answer::of_model(args.html.display().to_string(), shown);
    let mut json = json!(body);
    json["verdict"] = json!(verdict);
    Ok(Report {
        text: format!("the page is {}\n", args.html.display()),
        json,
        status: match verdict {
            Verdict::Unsat => Status::Refused,
            Verdict::Unknown => Status::Unknown,
            _ => Status::Good,
        },
    })
}

fn title(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Draws the page, and returns how many layers it shows.
fn contents(graph: &Graph, answer: &mut gradual::Answer, most: usize) -> (Markup, usize) {
    let report = answer.report();
    let concerned = concerned(&report);
    let cases: Vec<BTreeMap<String, String>> = (0..answer.case_count())
        .map(|case| {
            answer
                .node_shapes(case)
                .into_iter()
                .map(|node| (node.name, node.shape))
                .collect()
        })
        .collect();
    let nodes: Vec<&Node> = graph.nodes().map(|(_, node)| node).take(most).collect();
    let left_out = graph.node_count() - nodes.len();
    let text = answer.text();
    let set = text
        .lines()
        .filter(|line| !line.starts_with("warning: "))
        .collect::<Vec<_>>()
        .join("\n");
    let markup = html! {
        p { "Which sizes of its inputs the model takes, and the sizes of its layers as functions of them. Letters are input sizes." }
        pre { (set) }
        @if !report.warnings.is_empty() {
            h2 { "Admitted, and probably not meant" }
            ul { @for warning in &report.warnings { li { (with_code(&told(warning))) } } }
        }
        h2 #layers { "Layers" }
        @if left_out > 0 { p.bad { (left_out) " layers are left out: --max-tensors shows more." } }
        div.scroll { table {
            tr { th { "layer" } th { "operator" } th { "type" } th { "from" } }
            @for node in &nodes { (row(graph, node, &cases, &concerned)) }
        } }
    };
    (markup, nodes.len())
}

/// Writes a warning with its nodes.
fn told(warning: &gradual::Warning) -> String {
    let nodes: Vec<String> = warning
        .nodes
        .iter()
        .map(|node| format!("`{node}`"))
        .collect();
    match nodes.is_empty() {
        true => warning.words.clone(),
        false => format!("{} ({})", warning.words, nodes.join(", ")),
    }
}

/// Returns the nodes that refuse something, or that a warning is about.
fn concerned(report: &gradual::Report) -> BTreeSet<String> {
    let refusing = report
        .core
        .iter()
        .flat_map(|refusal| refusal.nodes.iter().cloned().chain([refusal.node.clone()]));
    let warned = report
        .warnings
        .iter()
        .flat_map(|warning| warning.nodes.iter().cloned());
    refusing.chain(warned).collect()
}

fn row(
    graph: &Graph,
    node: &Node,
    cases: &[BTreeMap<String, String>],
    concerned: &BTreeSet<String>,
) -> Markup {
    let outputs = node
        .outputs
        .iter()
        .flatten()
        .map(|id| graph[*id].name.as_str());
    let types: BTreeSet<&str> = outputs
        .flat_map(|name| {
            cases
                .iter()
                .filter_map(|case| case.get(name))
                .map(String::as_str)
        })
        .collect();
    let is_concerned = concerned.contains(node.name());
    let module = node.place.module.as_ref().map(|module| module.path.clone());
    let source = node
        .place
        .source
        .as_ref()
        .map(|source| format!("{}:{}", source.file, source.line));
    let place = [module, source];
    html! {
        tr {
            td class=[is_concerned.then_some("bad")] { code { (node.name()) } }
            td { code { (node.operator) } }
            td { @for (at, one) in types.iter().enumerate() { @if at > 0 { br; } code { (one) } } }
            td.soft { @for part in place.into_iter().flatten() { (part) " " } }
        }
    }
}
