//! The command line as a whole: its version, its help by purpose, completions and manual pages.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Args, Command, Completions, Manual};
use crate::report::{Problem, to_stdout};

/// The groups of commands by purpose, in the order of the help. A test checks that each command is in one group.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "For programs (.loz)",
        &[
            "infer",
            "run",
            "train",
            "tune",
            "view",
            "fmt",
            "constraints",
            "lsp",
            "devices",
        ],
    ),
    (
        "For models (.onnx, .pt2, torch.fx, .grad)",
        &["sizes", "migrate", "branches", "graph"],
    ),
    (
        "For constraint sets (.rows) and programs",
        &["solve", "explain", "trace", "entails", "verify"],
    ),
    (
        "For checking lozenge",
        &[
            "check", "batch", "oracle", "claims", "campaign", "corpus", "bench",
        ],
    ),
    ("For tools", &["schema", "completions", "man"]),
];

/// Reads the words of a command line, of which the first is the name of the program.
///
/// # Errors
/// When it is not valid, or asks for help or the version.
pub fn parse(words: &[OsString]) -> Result<Args, clap::Error> {
    let matches = whole().try_get_matches_from(words)?;
    Args::from_arg_matches(&matches)
}

/// Returns the command line with its version and its help.
fn whole() -> clap::Command {
    let command = Args::command().version(VERSION.as_str());
    let commands = commands_by_purpose(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}Options:\n{{options}}{{after-help}}"
    ))
}

/// Returns a line for each command, under the heading of its group.
fn commands_by_purpose(command: &clap::Command) -> String {
    let line = |name: &str| {
        let about = command
            .find_subcommand(name)
            .and_then(|command| command.get_about());
        let about = about.map(ToString::to_string).unwrap_or_default();
        format!("  {name:<12} {about}\n")
    };
    let group = |(heading, names): &(&str, &[&str])| {
        let lines: String = names.iter().map(|name| line(name)).collect();
        format!("{heading}:\n{lines}\n")
    };
    GROUPS.iter().map(group).collect()
}

static VERSION: LazyLock<String> = LazyLock::new(version);

/// Returns the version of the package, the commit from which it was built if that is known, and the version of Z3.
fn version() -> String {
    let mut parts = Vec::new();
    if let Some(commit) = option_env!("LOZENGE_COMMIT") {
        parts.push(format!("commit {commit}"));
    }
    #[cfg(feature = "oracle")]
    parts.push(format!("Z3 {}", z3::full_version()));
    #[cfg(not(feature = "oracle"))]
    parts.push("without Z3".to_string());
    format!("{} ({})", env!("CARGO_PKG_VERSION"), parts.join(", "))
}

/// Writes the completions of a shell.
pub fn completions(args: &Completions) -> Result<(), Problem> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut whole(), "lozenge", &mut script);
    to_stdout(|out| out.write_all(&script))
}

/// Writes the manual page of the program or, into a folder, the pages of all commands.
pub fn manual(args: &Manual) -> Result<(), Problem> {
    match &args.folder {
        None => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(whole()).render(&mut page);
            rendered.map_err(|error| Problem::new(format!("the manual page: {error}")))?;
            to_stdout(|out| out.write_all(&page))
        }
        Some(folder) => pages(folder).map_err(|error| {
            Problem::new(format!("{} cannot be written: {error}", folder.display()))
        }),
    }
}

fn pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(whole(), folder)
}

impl Command {
    /// Returns the word that chooses the command.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Solve(_) => "solve",
            Command::Entails(_) => "entails",
            Command::Verify(_) => "verify",
            Command::Trace(_) => "trace",
            Command::Oracle(_) => "oracle",
            Command::Explain(_) => "explain",
            Command::Check(_) => "check",
            Command::Batch(_) => "batch",
            Command::Infer(_) => "infer",
            Command::View(_) => "view",
            Command::Constraints(_) => "constraints",
            Command::Fmt(_) => "fmt",
            Command::Lsp { .. } => "lsp",
            Command::Run(_) => "run",
            Command::Train(_) => "train",
            Command::Tune(_) => "tune",
            Command::Sizes(_) => "sizes",
            Command::Migrate(_) => "migrate",
            Command::Branches(_) => "branches",
            Command::Graph(_) => "graph",
            Command::Devices(_) => "devices",
            Command::Bench(_) => "bench",
            Command::Claims(_) => "claims",
            Command::Campaign(_) => "campaign",
            Command::Corpus(_) => "corpus",
            Command::Schema(_) => "schema",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let whole = whole();
        let mut all: Vec<&str> = whole.get_subcommands().map(|c| c.get_name()).collect();
        grouped.sort();
        all.sort();
        assert_eq!(grouped, all);
    }

    #[test]
    fn the_command_line_is_well_formed() {
        whole().debug_assert();
    }
}
