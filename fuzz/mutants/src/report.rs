//! The table of `docs/generated/planted.md`: writing and reading it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::campaign::Hunt;
use crate::defects::{Defect, DefectFile, NoticedBy};
use crate::suite::Noticed;

/// The result for a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The result of a campaign.
    Hunted(Hunt),
    /// The result of the tests.
    Tested(Noticed),
}

impl Outcome {
    /// Says whether the defect was noticed.
    pub fn is_noticed(&self) -> bool {
        !matches!(
            self,
            Outcome::Hunted(Hunt::Nothing | Hunt::OutOfTime)
                | Outcome::Tested(Noticed::Survives(_))
        )
    }
}

/// The introduction of the document.
const HEADING: &str = "\
# Planted defects

A planted defect is a piece of the sources that is replaced by something wrong, to see whether the checks notice it. The defects are data:
`fuzz/testkit/defects/` has a file for each package, with the text that is replaced (it has to occur exactly once), what stands
there instead, and what goes wrong. The sources themselves know nothing of them. `lozenge-mutants` makes a copy of the sources in
`target/planted`, in which a function with defects has a body for each of them and a switch in the environment chooses one, builds the copy
once, and looks for each defect in turn. The program writes this page:

```sh
cargo run --release -p lozenge-mutants -- planted --write    # all of them, and this page
cargo run --release -p lozenge-mutants -- planted --only UnitPins
```

A test that needs no build fails when a text no longer occurs exactly once, and when this page does not have the same defects as the
files.
";

/// The head of the table of defects that a campaign notices.
const COLUMNS: &str = "\
| defect | what it does | found by | inputs | what failed | a smallest case |\n|---|---|---|---|---|---|\n";

fn heading(file: &DefectFile) -> String {
    match file.noticed_by {
        NoticedBy::Campaign if file.target.is_some() => format!(
            "\n## {}\n\n\
            The inputs of the target `{}` are examined one after the other until one shows a disagreement. The table has their number, the \
            check that failed, and the input on which it fails, made smaller as far as the time allowed. Without a defect the same inputs disagree nowhere.\n\n{COLUMNS}",
            title(file),
            file.target.as_deref().unwrap_or_default()
        ),
        NoticedBy::Campaign => format!(
            "\n## {}\n\n\
            The targets that ask about constraint sets, operations and programs get the inputs of a campaign in turn (those that ask Z3 or \
            infer programs one for every ten of the others), until one finds a disagreement or a party does not answer. The table has the target, the number of inputs of all targets that it took, the \
            check that failed, and a smallest input on which it fails. Without a defect the same inputs disagree nowhere.\n\n{COLUMNS}",
            title(file)
        ),
        NoticedBy::Tests => format!(
            "\n## {}\n\n\
            Those tests are run that enter the function of the defect, the quickest first, until one fails.\n\n\
            | defect | what it does | the test that fails |\n|---|---|---|\n",
            title(file)
        ),
    }
}

fn cells(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Hunted(Hunt::Found(found)) => {
            let least = found
                .least
                .trim()
                .replace('|', "\\|")
                .replace('\n', "`<br>`");
            format!(
                "{} | {} | {} | `{least}`",
                found.target, found.inputs, found.check
            )
        }
        Outcome::Hunted(Hunt::Ended) => "a crash | | the process ends |".into(),
        Outcome::Hunted(Hunt::OutOfTime) => "**not found** in the time | | |".into(),
        Outcome::Hunted(Hunt::Nothing) => "**not found** | | |".into(),
        Outcome::Tested(Noticed::Fails(test)) => format!("`{test}`"),
        Outcome::Tested(Noticed::Hangs(test)) => format!("`{test}`, which does not end"),
        Outcome::Tested(Noticed::Survives(ran)) => format!("**none** of {ran}"),
    }
}

/// The section of a file of defects, with the result for each.
fn section(file: &DefectFile, outcomes: &BTreeMap<String, Outcome>) -> String {
    let mut text = heading(file);
    for Defect { name, what, .. } in &file.defects {
        let unknown = || match file.noticed_by {
            NoticedBy::Campaign => "not looked for | | |".to_owned(),
            NoticedBy::Tests => "not looked for".to_owned(),
        };
        let cells = outcomes.get(name).map_or_else(unknown, cells);
        let _ = writeln!(text, "| {name} | {} | {cells} |", what.replace('|', "\\|"));
    }
    text
}

/// The heading of a section: a package has one for each kind of check.
fn title(file: &DefectFile) -> String {
    let by = match (&file.target, file.noticed_by) {
        (Some(target), NoticedBy::Campaign) => format!("the target `{target}`"),
        (None, NoticedBy::Campaign) => "a campaign".into(),
        (_, NoticedBy::Tests) => "its tests".into(),
    };
    format!("`{}`: noticed by {by}", file.package)
}

/// The sections of a page, by heading.
fn sections(page: &str) -> BTreeMap<String, String> {
    let mut sections = BTreeMap::new();
    for text in page.split("\n## ").skip(1) {
        let title = text.lines().next().unwrap_or_default();
        sections.insert(title.to_owned(), format!("\n## {text}"));
    }
    sections
}

/// The new page, from the former one and the results for some files of defects. Other sections stay.
pub fn page(former: &str, files: &[(DefectFile, BTreeMap<String, Outcome>)]) -> String {
    let mut all = sections(former);
    for (file, outcomes) in files {
        all.insert(title(file), section(file, outcomes));
    }
    let mut text = String::from(HEADING);
    text.extend(all.into_values());
    text
}

/// The names and descriptions of a file's defects on a page, in the order of the page.
pub fn rows(page: &str, file: &DefectFile) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let section = sections(page).remove(&title(file)).unwrap_or_default();
    for line in section.lines().filter(|line| line.starts_with("| ")) {
        let line = line.replace("\\|", "\u{1}");
        let mut cells = line
            .split('|')
            .skip(1)
            .map(|cell| cell.trim().replace('\u{1}', "|"));
        match (cells.next(), cells.next()) {
            (Some(name), _) if name == "defect" => {}
            (Some(name), Some(what)) => rows.push((name, what)),
            _ => {}
        }
    }
    rows
}
