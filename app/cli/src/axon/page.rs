//! `lozenge view` of an Axon program: its text, its types, what is left to be checked, and what a compiled form depends
//! on, as one page.

use lozenge::axon::Binding;
use lozenge_page::{page, with_code};
use maud::{Markup, html};

use super::Loaded;
use crate::args;
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file::OutputFile;
use crate::json::Page;
use crate::report::{Problem, Report};
use crate::source::Source;

/// Runs the command.
///
/// # Errors
/// When the file is no program, or the page cannot be written.
pub fn view(args: &args::View) -> Result<Report, Problem> {
    let loaded = Loaded::of(&args.file, Default::default())?;
    let program = Named::new(args.file.display().to_string(), &args.file);
    distinct(
        &[program],
        &Vec::from_iter(Named::flag("--html", Some(&args.html))),
    )?;
    let output = OutputFile::open(Some(&args.html))?;
    let name = args.file.file_name().unwrap_or(args.file.as_os_str());
    let text = page(
        &name.to_string_lossy(),
        &contents(&loaded, args.max_tensors),
    );
    output.map_or(Ok(()), |output| output.write(&text))?;
    let file = args.html.display().to_string();
    let shown = format!("the page is {file}\n");
    let bindings = loaded.inferred.bindings.len().min(args.max_tensors);
    Ok(loaded.report(&shown, Page::of_model(file, bindings)))
}

/// Returns the page of a text of this name, with the types of at most so many names.
///
/// # Errors
/// When the text is no program.
pub fn of_text(text: &str, name: &str, most: usize) -> Result<String, Problem> {
    let source = Source {
        name: name.to_string(),
        text: text.to_string(),
    };
    let loaded = Loaded::of_source(source, Default::default())?;
    Ok(page(name, &contents(&loaded, most)))
}

fn contents(loaded: &Loaded, most: usize) -> Markup {
    let bindings = &loaded.inferred.bindings;
    let messages = loaded.messages();
    let messages: Vec<String> = messages
        .map(|message| message.render(&loaded.source.text, &loaded.source.name, false))
        .collect();
    html! {
        p { "An Axon program, the type of each name at its top, and what is left to be checked for each input." }
        @for message in &messages { pre.message { (message.trim_end()) } }
        section aria-label="program" { pre { (loaded.source.text) } }
        @if bindings.len() > most {
            p.bad { (bindings.len() - most) " names are left out: --max-tensors shows more." }
        }
        @for binding in bindings.iter().take(most) { (section(loaded, binding)) }
    }
}

fn section(loaded: &Loaded, binding: &Binding) -> Markup {
    html! {
        section id=(binding.name) {
            h2 { (binding.name) }
            pre { (binding.name) " : " (binding.scheme()) }
            @if !binding.checks.is_empty() {
                div.scroll { table {
                    tr { th { "check" } th { "line" } th { "why" } th { "decided" } }
                    @for check in &binding.checks {
                        tr {
                            td { code { (check.condition) } }
                            td { (loaded.line(&check.span)) }
                            td { (with_code(&check.why)) }
                            td { (check.decided) }
                        }
                    }
                } }
            }
            @if !binding.bytes.is_empty() {
                div.scroll { table {
                    tr { th { "tensor" } th { "bytes" } }
                    @for (tensor, bytes) in &binding.bytes {
                        tr { td { code { (tensor) } } td { code { (bytes) } } }
                    }
                    @if let Some(peak) = &binding.peak {
                        tr { td { "at most at one time" } td { code { (peak) } } }
                    }
                } }
            }
            @if !binding.key.is_empty() {
                p.soft { "Compiled again when one of these changes: " (binding.key.join(", ")) "." }
            }
        }
    }
}
