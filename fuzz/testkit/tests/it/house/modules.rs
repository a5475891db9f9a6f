//! Which modules of a crate import which, read from the source, and the cycles among them.
//!
//! Compared with its siblings, a module and everything inside it are one node: a child that uses items of its parent is
//! containment, not a cycle. A cycle is a path from a module back to itself through its siblings. Imports of tests are left
//! out, and so are paths inside the arguments of macros.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree};

/// The path of a module inside its crate, without `crate`.
type Module = Vec<String>;

/// A crate: its modules, and which of them mentions which path.
#[derive(Default)]
struct Crate {
    modules: BTreeSet<Module>,
    /// Paths that a module mentions, from the root of the crate.
    mentions: Vec<(Module, Module)>,
    /// The names that the root re-exports, each with the path to its definition.
    reexports: BTreeMap<String, Module>,
}

/// The cycles among the modules of the crate with this root file, each as the names of its modules in alphabetical order.
pub fn cycles(root: &Path) -> Vec<Vec<String>> {
    let mut found = Crate::default();
    found.read(root, &folder_of_children(root, true), Vec::new());
    found.cycles()
}

/// The folder of the modules that a file declares.
fn folder_of_children(file: &Path, is_root: bool) -> PathBuf {
    match is_root {
        true => file.parent().unwrap_or(Path::new("")).to_path_buf(),
        false if file.ends_with("mod.rs") => file.parent().unwrap_or(Path::new("")).to_path_buf(),
        false => file.with_extension(""),
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg") && text.contains("test"))
    })
}

impl Crate {
    fn read(&mut self, file: &Path, children: &Path, module: Module) {
        let mut waiting = vec![(file.to_path_buf(), children.to_path_buf(), module)];
        while let Some((file, children, module)) = waiting.pop() {
            let text =
                fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let syntax =
                syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            self.modules.insert(module.clone());
            let mut mentions = Mentions {
                module: &module,
                paths: Vec::new(),
            };
            mentions.visit_file(&syntax);
            for path in mentions.paths {
                self.mentions.push((module.clone(), path));
            }
            for item in &syntax.items {
                match item {
                    Item::Use(import) if module.is_empty() => {
                        let mut leaves = Vec::new();
                        leaves_of(&import.tree, &mut Vec::new(), &mut leaves);
                        for (path, name) in leaves {
                            let path = path.into_iter().skip_while(|s| s == "crate" || s == "self");
                            self.reexports.insert(name, path.collect());
                        }
                    }
                    Item::Mod(ItemMod {
                        ident,
                        content: None,
                        attrs,
                        ..
                    }) if !is_test(attrs) => {
                        let name = ident.to_string();
                        let flat = children.join(format!("{name}.rs"));
                        let file = match flat.exists() {
                            true => flat,
                            false => children.join(&name).join("mod.rs"),
                        };
                        let below = folder_of_children(&file, false);
                        waiting.push((file, below, [&module[..], &[name]].concat()));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The module that a path leads into: its longest prefix that is a module. A name that the root re-exports leads to its
    /// definition.
    fn owner(&self, path: &[String]) -> Module {
        let path = match (path, path.first().and_then(|name| self.reexports.get(name))) {
            ([first, ..], Some(behind)) if !self.modules.contains(&vec![first.clone()]) => behind,
            _ => path,
        };
        let mut length = path.len();
        while !self.modules.contains(&path[..length]) {
            length -= 1;
        }
        path[..length].to_vec()
    }

    fn cycles(&self) -> Vec<Vec<String>> {
        // For each module the arrows among its children.
        let mut levels: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (from, path) in &self.mentions {
            let to = self.owner(path);
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let level = levels.entry(from[..shared].to_vec()).or_default();
                level.entry(one.clone()).or_default().insert(other.clone());
            }
        }
        let mut cycles = Vec::new();
        for (parent, arrows) in &levels {
            for component in components(arrows) {
                let named = component.into_iter().map(|name| {
                    let path: Vec<&str> =
                        parent.iter().chain([&name]).map(String::as_str).collect();
                    path.join("::")
                });
                cycles.push(named.collect());
            }
        }
        cycles
    }
}

/// The strongly connected components with more than one node.
fn components(arrows: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached = |from: &String| {
        let (mut reached, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(node) = waiting.pop() {
            for next in arrows.get(node).into_iter().flatten() {
                if reached.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        reached
    };
    let all: BTreeMap<&String, BTreeSet<String>> = arrows.keys().map(|n| (n, reached(n))).collect();
    let together = |node: &String| -> Vec<String> {
        let back = |other: &&String| all.get(other).is_some_and(|theirs| theirs.contains(node));
        all[node].iter().filter(back).cloned().collect()
    };
    all.keys()
        .map(|node| together(node))
        .filter(|set| set.len() > 1)
        .collect()
}

/// Collects the paths of one file, resolved from the root of the crate.
struct Mentions<'a> {
    module: &'a Module,
    paths: Vec<Module>,
}

impl Mentions<'_> {
    fn mention(&mut self, path: &[String]) {
        let ups = path
            .iter()
            .take_while(|segment| *segment == "super")
            .count();
        let absolute = match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [self.module, &path[1..]].concat(),
            Some("super") if ups <= self.module.len() => {
                [&self.module[..self.module.len() - ups], &path[ups..]].concat()
            }
            _ => return,
        };
        self.paths.push(absolute);
    }
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs[..],
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &[],
        };
        // A module inside the file has another `super`; only tests have one.
        let inside = matches!(
            item,
            Item::Mod(ItemMod {
                content: Some(_),
                ..
            })
        );
        if !inside && !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        let mut leaves = Vec::new();
        leaves_of(&import.tree, &mut Vec::new(), &mut leaves);
        for (path, _) in leaves {
            self.mention(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if segments.len() > 1 {
            self.mention(&segments);
        }
        visit::visit_path(self, path);
    }
}

/// Every path that an import brings in, and the name that it gets.
fn leaves_of(tree: &UseTree, before: &mut Module, leaves: &mut Vec<(Module, String)>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves_of(&path.tree, before, leaves);
            before.pop();
        }
        UseTree::Name(name) => {
            let path = [&before[..], &[name.ident.to_string()]].concat();
            leaves.push((path, name.ident.to_string()));
        }
        UseTree::Rename(name) => {
            let path = [&before[..], &[name.ident.to_string()]].concat();
            leaves.push((path, name.rename.to_string()));
        }
        UseTree::Glob(_) => leaves.push((before.clone(), String::new())),
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves_of(tree, before, leaves);
            }
        }
    }
}
