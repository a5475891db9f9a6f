//! Existence of everything that `docs/inventory.md` names: tests, rules, claims, targets, programs and regressions.

use std::path::{Path, PathBuf};

use lozenge_vocabulary::Rule;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// A row of the table: its item, and what its last cell names.
struct Item {
    number: String,
    shown: Vec<Evidence>,
}

/// A word for the sort, and the names behind it.
struct Evidence {
    sort: String,
    names: Vec<String>,
}

fn items() -> Vec<Item> {
    let page = text("docs/inventory.md").expect("the page is there");
    let rows = page.lines().filter(|line| line.starts_with("| X"));
    let item = |row: &str| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 6, "a row has four cells: {row}");
        let evidence = cells[4].split(", ").filter(|one| !one.is_empty());
        Item {
            number: cells[1].to_owned(),
            shown: evidence.map(evidence_of).collect(),
        }
    };
    rows.map(item).collect()
}

fn evidence_of(text: &str) -> Evidence {
    let mut pieces = text.split('`').map(str::trim);
    let sort = pieces.next().unwrap_or_default().to_owned();
    Evidence {
        sort,
        names: pieces
            .filter(|piece| !piece.is_empty())
            .map(str::to_owned)
            .collect(),
    }
}

impl Evidence {
    /// Looks up what is named.
    fn found(&self) -> Result<(), String> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let found = match (self.sort.as_str(), names.as_slice()) {
            ("test", [file, function]) => {
                text(file)?.contains(&format!("#[test]\nfn {function}()"))
            }
            ("rule", [name]) => {
                let mut rules = Rule::ALL.iter().chain(Rule::OF_SIZES);
                rules.any(|rule| rule.name() == *name)
            }
            ("claim", [id]) => {
                let documents = ["formal-core", "decision", "gradients"];
                let kept = documents.map(|name| text(&format!("claims/results/{name}.json")));
                let kept: Result<Vec<String>, String> = kept.into_iter().collect();
                kept?
                    .iter()
                    .any(|kept| kept.contains(&format!("\"{id}\": {{")))
            }
            ("target", [name]) => {
                let subjects = std::fs::read_dir(root().join("fuzz/harness/src/subjects"));
                let subjects = subjects.map_err(|error| error.to_string())?;
                let of_subjects = subjects
                    .flatten()
                    .filter_map(|file| std::fs::read_to_string(file.path()).ok());
                let line = format!("name: \"{name}\",");
                of_subjects.into_iter().any(|text| text.contains(&line))
            }
            ("program", [file]) => root().join(file).is_file(),
            ("regression", [file]) => root().join("fuzz/harness/regressions").join(file).is_file(),
            (sort, _) => return Err(format!("{sort} {names:?} is nothing that can be looked up")),
        };
        match found {
            true => Ok(()),
            false => Err(format!("there is no {} {names:?}", self.sort)),
        }
    }
}

#[test]
fn everything_that_is_named_exists() {
    let mut wrong = Vec::new();
    for item in items() {
        let number = &item.number;
        let found = item.shown.iter().map(Evidence::found);
        wrong.extend(found.filter_map(|found| Some(format!("{number}: {}", found.err()?))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_item_but_the_last_has_a_test() {
    let items = items();
    let numbers: Vec<String> = (1..=37).map(|number| format!("X{number}")).collect();
    let found: Vec<&str> = items.iter().map(|item| item.number.as_str()).collect();
    assert_eq!(found, numbers);
    for item in &items[..36] {
        let tests = item.shown.iter().filter(|one| one.sort == "test");
        assert!(tests.count() > 0, "{} has no test", item.number);
    }
}
