//! Imports of the modules of a crate, read from the source, and the cycles among them.
//!
//! Compared with its siblings, a module and everything inside it are one node: a child that uses items of its parent is
//! containment, not a cycle. A cycle is a path from a module back to itself through its siblings. A name that a module
//! imports or re-exports leads to its definition. Imports of tests are left out, and so are paths inside the arguments
//! of macros.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree};

/// The path of a module inside its crate, without `crate`.
pub type Module = Vec<String>;

/// The modules that each module imports.
pub type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A crate: its modules, and which of them mentions which path.
#[derive(Default)]
struct Crate {
    modules: BTreeSet<Module>,
    /// Paths that a module mentions, from the root of the crate.
    mentions: Vec<(Module, Module)>,
    /// The names that a module imports or re-exports, by their paths, each with the path that the import says.
    imports: BTreeMap<Module, Module>,
}

/// Returns the cycles among the modules of the crate with this root file, each as the names of its modules in
/// alphabetical order.
pub fn cycles(root: &Path) -> Vec<Vec<String>> {
    let mut cycles = Vec::new();
    for (parent, arrows) in &levels(root) {
        for component in components(arrows) {
            let named = component.into_iter().map(|name| {
                let path: Vec<&str> = parent.iter().chain([&name]).map(String::as_str).collect();
                path.join("::")
            });
            cycles.push(named.collect());
        }
    }
    cycles
}

/// Returns for each module of the crate with this root file, which of its children import which.
pub fn levels(root: &Path) -> BTreeMap<Module, Arrows> {
    let mut found = Crate::default();
    found.read(root, &folder_of_children(root, true), Vec::new());
    found.levels()
}

/// Returns the folder of the modules that a file declares.
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
                    Item::Use(import) if !is_test(&import.attrs) => {
                        let mut leaves = Vec::new();
                        leaves_of(&import.tree, &mut Vec::new(), &mut leaves);
                        for (path, name) in leaves {
                            self.imports.insert([&module[..], &[name]].concat(), path);
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

    /// Returns the module that a path leads into: its longest prefix that is a module. A name that this module imports
    /// from elsewhere in the crate leads on.
    fn owner(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        // An import that leads to itself is one of a module and an item with the same name.
        let mut seen = BTreeSet::new();
        loop {
            let mut length = path.len();
            while !self.modules.contains(&path[..length]) {
                length -= 1;
            }
            let owner = path[..length].to_vec();
            let imported = path
                .get(..length + 1)
                .and_then(|name| self.imports.get(name));
            let Some(next) = imported.and_then(|import| self.resolved(&owner, import)) else {
                return owner;
            };
            let next = [&next[..], &path[length + 1..]].concat();
            if !seen.insert(path) {
                return owner;
            }
            path = next;
        }
    }

    /// Returns the path of an import from the root of the crate; `None` if it leads into another crate.
    fn resolved(&self, module: &Module, path: &[String]) -> Option<Module> {
        let child = [&module[..], path.get(..1)?].concat();
        match self.modules.contains(&child) {
            true => Some([&module[..], path].concat()),
            false => absolute(module, path),
        }
    }

    /// Returns for each module the arrows among its children.
    fn levels(&self) -> BTreeMap<Module, Arrows> {
        let mut levels: BTreeMap<Module, Arrows> = BTreeMap::new();
        for (from, path) in &self.mentions {
            let to = self.owner(path);
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let level = levels.entry(from[..shared].to_vec()).or_default();
                level.entry(one.clone()).or_default().insert(other.clone());
            }
        }
        levels
    }
}

/// Returns the strongly connected components with more than one node.
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

/// Returns a path that a module mentions, from the root of the crate; `None` if it does not say where it begins.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let ups = path
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    match path.first().map(String::as_str) {
        Some("crate") => Some(path[1..].to_vec()),
        Some("self") => Some([module, &path[1..]].concat()),
        Some("super") if ups <= module.len() => {
            Some([&module[..module.len() - ups], &path[ups..]].concat())
        }
        _ => None,
    }
}

impl Mentions<'_> {
    fn mention(&mut self, path: &[String]) {
        self.paths.extend(absolute(self.module, path));
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

/// Lists every path that an import brings in, and the name that it gets.
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
