//! The tables of *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024), our answers
//! beside those that are printed and those of PyTorch's `migrate_gradual_types`.

mod printed;
mod render;
mod tables;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use flate2::read::GzDecoder;
use lozenge_gradual_solver::{
    Branch, BranchVerdict, Branches, Migration, Options, Refusal, Relax, Verdict,
};
use lozenge_graph_vocabulary::Graph;
use serde_json::Value;

pub use tables::{BenchmarkRow, BranchesRow, MigrationRow, Tables};

use printed::{BENCHMARKS, BRANCHES, MIGRATIONS, PrintedBranches, PrintedMigration};

/// The question: which graphs lie where, and how often each is asked.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The folder with the graphs, plain or compressed.
    pub folder: &'a Path,
    /// The rows that are asked for; all where none is named.
    pub only: &'a [String],
    /// The number of times that each question is asked; the median counts.
    pub runs: usize,
}

/// Returns the tables.
///
/// # Errors
/// When a graph is missing in the folder or cannot be read.
pub fn tables(question: &Question<'_>) -> Result<Tables, String> {
    let mut tables = Tables {
        benchmarks: Vec::new(),
        migrations: Vec::new(),
        branches: Vec::new(),
    };
    let is_asked =
        |name: &str| question.only.is_empty() || question.only.iter().any(|only| only == name);
    for row in BENCHMARKS.iter().filter(|row| is_asked(row.name)) {
        let graph = read(&text(question.folder, row.file)?, row.file)?;
        tables.benchmarks.push(BenchmarkRow {
            name: row.name.to_owned(),
            nodes: (
                row.nodes,
                graph.node_count() + graph.main().inputs.len() + attributes(&graph) + 1,
            ),
            flatten: (row.flatten, count(&graph, &["flatten", "Flatten"])),
            reshape: (row.reshape, count(&graph, &["view", "reshape"])),
        });
    }
    for row in MIGRATIONS.iter().filter(|row| is_asked(row.name)) {
        tables.migrations.push(migration(question, row)?);
    }
    for row in BRANCHES.iter().filter(|row| is_asked(row.name)) {
        tables.branches.push(branches(question, row)?);
    }
    Ok(tables)
}

impl Tables {
    /// Says whether a question of them has no answer.
    pub fn is_open(&self) -> bool {
        self.branches.iter().any(|row| row.unknown > 0)
            || self.migrations.iter().any(|row| row.ours == "unknown")
    }

    /// Writes all tables as text.
    pub fn text(&self) -> String {
        render::text(self)
    }
}

/// Returns the text of a graph of the folder, which may be compressed.
fn text(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let plain = folder.join(format!("{name}.json"));
    let compressed = folder.join(format!("{name}.json.gz"));
    let problem =
        |path: &Path, error: &std::io::Error| format!("{} cannot be read: {error}", path.display());
    if plain.exists() {
        return std::fs::read(&plain).map_err(|error| problem(&plain, &error));
    }
    let file = std::fs::File::open(&compressed).map_err(|error| problem(&compressed, &error))?;
    let mut text = Vec::new();
    let most = lozenge_graph::Limits::default().max_file_bytes;
    let mut content = GzDecoder::new(file).take(most);
    content
        .read_to_end(&mut text)
        .map_err(|error| problem(&compressed, &error))?;
    Ok(text)
}

fn read(text: &[u8], name: &str) -> Result<Graph, String> {
    lozenge_graph::read(text.to_vec(), &lozenge_graph::Limits::default())
        .map_err(|error| format!("{name}: {error}"))
}

/// Returns the number of nodes whose operator has one of these names.
fn count(graph: &Graph, names: &[&str]) -> usize {
    let nodes = graph.nodes();
    nodes
        .filter(|(_, node)| {
            let last = node.operator.name.rsplit('.').next();
            last.is_some_and(|last| names.contains(&last))
        })
        .count()
}

/// Returns the number of nodes of the file that are constants of the graph.
fn attributes(graph: &Graph) -> usize {
    let values = graph.values.iter();
    values
        .filter(|value| matches!(value.origin, lozenge_graph_vocabulary::Origin::Constant(_)))
        .count()
}

fn options(conditions: &str) -> Result<Options, String> {
    let conditions = match conditions {
        "" => Vec::new(),
        text => lozenge_gradual_vocabulary::conditions(text)
            .map_err(|error| format!("{text}: {error}"))?,
    };
    Ok(Options {
        relax: Relax::Nothing,
        conditions,
    })
}

/// Returns the answer to a question about a text, with the median of its seconds.
fn timed<T>(
    runs: usize,
    mut question: impl FnMut() -> Result<T, String>,
) -> Result<(T, f64), String> {
    let mut seconds = Vec::new();
    loop {
        let start = Instant::now();
        let answer = question()?;
        seconds.push(start.elapsed().as_secs_f64());
        if seconds.len() >= runs.max(1) {
            seconds.sort_by(f64::total_cmp);
            return Ok((answer, seconds[seconds.len() / 2]));
        }
    }
}

fn migration(question: &Question<'_>, row: &PrintedMigration) -> Result<MigrationRow, String> {
    let content = text(question.folder, row.file)?;
    let options = options(row.conditions)?;
    let (found, seconds) = timed(question.runs, || {
        let graph = Arc::new(read(&content, row.file)?);
        Ok(Migration::of(graph, &options))
    })?;
    let ours = match found.verdict {
        Verdict::Sat => "yes",
        Verdict::Unsat => "no",
        Verdict::Unknown => "unknown",
    };
    let evidence = match &found.example {
        Some(example) => lozenge_gradual_solver::written(example),
        None => Refusal::nodes(&found.core).join(", "),
    };
    let difference = (ours != row.answer).then(|| format!("the paper prints {}", row.answer));
    Ok(MigrationRow {
        name: row.name.to_owned(),
        asked: row.file.to_owned(),
        conditions: row.conditions.to_owned(),
        printed: row.answer.to_owned(),
        printed_seconds: row.seconds,
        other_seconds: row.other_seconds,
        ours: ours.to_owned(),
        seconds,
        evidence,
        difference,
    })
}

fn branches(question: &Question<'_>, row: &PrintedBranches) -> Result<BranchesRow, String> {
    let content = text(question.folder, row.file)?;
    let ask = |conditions: &str| {
        let options = options(conditions)?;
        timed(question.runs, || {
            let graph = read(&content, row.file)?;
            Ok(Branches::of(&graph, &options))
        })
    };
    let (free, free_seconds) = ask("")?;
    let (bound, bound_seconds) = ask(row.conditions)?;
    let recorded: Value =
        serde_json::from_slice(&content).map_err(|error| format!("{}: {error}", row.file))?;
    let others = |set: &str| verdicts(&recorded["peer_verdicts"][set]);
    let (other_free, other_bound) = (others("none"), others(row.recorded));
    let mut differences = Vec::new();
    for (others, found) in [(&other_free, &free), (&other_bound, &bound)] {
        differences.extend(
            found
                .branches
                .iter()
                .filter_map(|branch| differs(others, branch)),
        );
    }
    let open = |verdicts: &BTreeMap<String, BranchVerdict>| {
        let open = verdicts
            .values()
            .filter(|verdict| **verdict == BranchVerdict::Depends);
        open.count()
    };
    let remaining = |found: &Branches| {
        found
            .branches
            .iter()
            .filter(|branch| is_open(branch))
            .count()
    };
    let unknown = |found: &Branches| {
        let unknown = |branch: &&Branch| branch.verdict == BranchVerdict::Unknown;
        found.branches.iter().filter(unknown).count()
    };
    Ok(BranchesRow {
        name: row.name.to_owned(),
        figure: row.figure,
        conditions: row.conditions.to_owned(),
        printed: row.printed,
        printed_seconds: row.seconds,
        other: (!other_bound.is_empty()).then(|| {
            let free = (!other_free.is_empty()).then(|| open(&other_free));
            (other_bound.len(), free, open(&other_bound))
        }),
        ours: (free.branches.len(), remaining(&free), remaining(&bound)),
        seconds: (free_seconds, bound_seconds),
        unknown: unknown(&free) + unknown(&bound),
        differences,
    })
}

fn is_open(branch: &Branch) -> bool {
    matches!(
        branch.verdict,
        BranchVerdict::Depends | BranchVerdict::Unknown
    )
}

/// Returns the recorded verdicts of the other tool under one set of constraints.
fn verdicts(recorded: &Value) -> BTreeMap<String, BranchVerdict> {
    let all = recorded.as_array().into_iter().flatten();
    all.filter_map(|one| {
        let is_sat = |key: &str| one[key] == "sat";
        let verdict = match (is_sat("cond"), is_sat("not_cond")) {
            (true, true) => BranchVerdict::Depends,
            (true, false) => BranchVerdict::Always,
            (false, true) => BranchVerdict::Never,
            (false, false) => BranchVerdict::Unreachable,
        };
        Some((one["node"].as_str()?.to_owned(), verdict))
    })
    .collect()
}

/// Returns the difference to the other tool on one condition, with the inputs that show it.
fn differs(others: &BTreeMap<String, BranchVerdict>, branch: &Branch) -> Option<String> {
    let other = others.get(&branch.node)?;
    if *other == branch.verdict {
        return None;
    }
    let witnesses = branch.witnesses.iter().map(|witness| {
        format!(
            "{} at {}",
            witness.value,
            lozenge_gradual_solver::written(&witness.at)
        )
    });
    let witnesses: Vec<String> = witnesses.collect();
    Some(format!(
        "`{}`: the other tool says {}, and it is {}: {}",
        branch.node,
        render::word(*other),
        render::word(branch.verdict),
        witnesses.join(", ")
    ))
}
