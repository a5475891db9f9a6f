//! The public interfaces of the packages that others embed are kept in `docs/generated/api`, so that a change of an
//! interface shows up as a change of a file.
//!
//! The listing is read from the sources, because only nightly compilers describe a crate in a machine-readable form. It
//! has everything that can be named from outside: items of public modules and re-exports, with their types, public
//! fields, variants, methods and implemented traits. Items made by a macro are listed as the call of the macro.
//!
//! `LOZENGE_WRITE=1 cargo test -p lozenge-testkit --test it public_interface` writes the files anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};
use syn::spanned::Spanned;
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, UseTree, Visibility};

/// The path of a module inside its crate.
type Module = Vec<String>;

/// The source of a crate: the items of each module, without those for tests.
#[derive(Default)]
struct Crate {
    modules: BTreeMap<Module, Vec<Item>>,
}

/// The text of a piece of source on one line.
fn text(piece: &impl Spanned) -> String {
    let source = piece.span().source_text().unwrap_or_default();
    source.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg") && text(attribute).contains("test"))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The name and the visibility of an item that has both.
fn named(item: &Item) -> Option<(String, &Visibility)> {
    let (ident, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Mod(item) => (&item.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    Some((ident.to_string(), visibility))
}

/// Each name that a `use` brings in, with the path behind it; the name of a glob is `*`.
fn leaves(tree: &UseTree) -> Vec<(Vec<String>, String)> {
    let (mut found, mut waiting) = (Vec::new(), vec![(Vec::new(), tree)]);
    while let Some((mut path, tree)) = waiting.pop() {
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                waiting.push((path, &tree.tree));
            }
            UseTree::Group(group) => {
                waiting.extend(group.items.iter().map(|tree| (path.clone(), tree)));
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = path.last().cloned().unwrap_or_default();
                found.push((path, last));
            }
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                found.push((path, name.ident.to_string()));
            }
            UseTree::Rename(name) => {
                path.push(name.ident.to_string());
                found.push((path, name.rename.to_string()));
            }
            UseTree::Glob(_) => {
                path.push("*".into());
                found.push((path, "*".into()));
            }
        }
    }
    found
}

impl Crate {
    fn read(root: &Path) -> Crate {
        let mut found = Crate::default();
        let folder = root.parent().expect("a folder").to_path_buf();
        let mut waiting: Vec<(Vec<Item>, PathBuf, Module)> =
            vec![(items_of(root), folder, Vec::new())];
        while let Some((items, folder, module)) = waiting.pop() {
            let mut kept = Vec::new();
            for mut item in items {
                if let Item::Mod(inner) = &mut item {
                    if is_test(&inner.attrs) {
                        continue;
                    }
                    let name = inner.ident.to_string();
                    let children = folder.join(&name);
                    let items = match inner.content.take() {
                        Some((_, items)) => items,
                        None => {
                            let file = folder.join(format!("{name}.rs"));
                            let file = if file.exists() {
                                file
                            } else {
                                children.join("mod.rs")
                            };
                            items_of(&file)
                        }
                    };
                    let path = [module.clone(), vec![name]].concat();
                    waiting.push((items, children, path));
                }
                kept.push(item);
            }
            found.modules.insert(module, kept);
        }
        found
    }

    /// The module of this crate at which a path begins, and the rest of the path; `None` for a path into another crate.
    fn inside(&self, from: &Module, path: &[String]) -> Option<(Module, Vec<String>)> {
        let (mut module, mut rest) = (from.clone(), path);
        match rest.first().map(String::as_str) {
            Some("crate") => (module, rest) = (Vec::new(), &rest[1..]),
            Some("self") => rest = &rest[1..],
            Some("super") => {
                module.pop();
                rest = &rest[1..];
            }
            Some(first) => {
                let items = self.modules.get(from)?;
                let own = |item: &Item| named(item).is_some_and(|(name, _)| name == first);
                if !items.iter().any(own) {
                    return None;
                }
            }
            None => return None,
        }
        while let Some((first, inner)) = rest.split_first() {
            let child = [module.clone(), vec![first.clone()]].concat();
            if !self.modules.contains_key(&child) {
                break;
            }
            (module, rest) = (child, inner);
        }
        Some((module, rest.to_vec()))
    }

    /// Everything that can be named from outside, one line for each item.
    fn interface(&self) -> String {
        let mut lines = BTreeSet::new();
        let mut types = BTreeMap::new();
        let mut seen = BTreeSet::new();
        // Each module with the name by which it can be reached.
        let mut waiting: Vec<(Module, String)> = vec![(Vec::new(), String::new())];
        while let Some((module, shown)) = waiting.pop() {
            if !seen.insert((module.clone(), shown.clone())) {
                continue;
            }
            for item in self.modules.get(&module).into_iter().flatten() {
                self.list(&module, &shown, item, &mut lines, &mut types, &mut waiting);
            }
        }
        for item in self.modules.values().flatten() {
            implemented(item, &types, &mut lines);
        }
        lines.into_iter().collect()
    }

    fn list(
        &self,
        module: &Module,
        shown: &str,
        item: &Item,
        lines: &mut BTreeSet<String>,
        types: &mut BTreeMap<String, String>,
        waiting: &mut Vec<(Module, String)>,
    ) {
        match item {
            Item::Use(item) if is_public(&item.vis) => {
                for (path, name) in leaves(&item.tree) {
                    match self.inside(module, &path) {
                        None => {
                            lines.insert(format!("{shown}{name} is {}\n", path.join("::")));
                        }
                        Some((inner, rest)) if rest.is_empty() => {
                            // A module, or an item that has the name of a private module beside it, or both.
                            let (wanted, parent) = inner.split_last().expect("not the root");
                            self.list_named(parent, wanted, (shown, &name), (lines, types));
                            if self.is_public_module(parent, wanted) {
                                waiting.push((inner, format!("{shown}{name}::")));
                            }
                        }
                        Some((inner, rest)) if rest == ["*"] => waiting.push((inner, shown.into())),
                        Some((inner, rest)) => {
                            let names = (shown, name.as_str());
                            if !self.list_named(&inner, &rest[0], names, (lines, types)) {
                                // The item is made by a macro.
                                let wanted = &rest[0];
                                let place = inner.join("::");
                                lines.insert(format!("{shown}{name} is {place}::{wanted}\n"));
                                types.insert(wanted.clone(), format!("{shown}{name}"));
                            }
                        }
                    }
                }
            }
            Item::Macro(call) if call.ident.is_none() => {
                lines.insert(format!("{shown}made by a macro: {}\n", text(call)));
            }
            _ => {
                let Some((name, visibility)) = named(item) else {
                    return;
                };
                if !is_public(visibility) {
                    return;
                }
                if matches!(item, Item::Mod(_)) {
                    let inner = [module.clone(), vec![name.clone()]].concat();
                    waiting.push((inner, format!("{shown}{name}::")));
                } else {
                    describe(item, shown, &name, lines, types);
                }
            }
        }
    }

    /// An item that is re-exported under a name, through all modules that re-export it in turn. Whether there is one.
    fn list_named(
        &self,
        module: &[String],
        wanted: &str,
        (shown, name): (&str, &str),
        (lines, types): (&mut BTreeSet<String>, &mut BTreeMap<String, String>),
    ) -> bool {
        let mut found = false;
        let mut seen = BTreeSet::new();
        let mut waiting = vec![(module.to_vec(), wanted.to_string())];
        while let Some((module, wanted)) = waiting.pop() {
            if !seen.insert((module.clone(), wanted.clone())) {
                continue;
            }
            for item in self.modules.get(&module).into_iter().flatten() {
                match item {
                    Item::Use(item) if is_public(&item.vis) => {
                        let leaves = leaves(&item.tree).into_iter();
                        for (path, _) in leaves.filter(|(_, name)| *name == wanted) {
                            match self.inside(&module, &path) {
                                None => {
                                    lines.insert(format!("{shown}{name} is {}\n", path.join("::")));
                                    found = true;
                                }
                                Some((mut inner, rest)) => {
                                    let last = rest.first().cloned().or_else(|| inner.pop());
                                    waiting.extend(last.map(|last| (inner, last)));
                                }
                            }
                        }
                    }
                    Item::Mod(_) => {}
                    item if named(item).is_some_and(|(own, _)| own == wanted) => {
                        describe(item, shown, name, lines, types);
                        found = true;
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn is_public_module(&self, parent: &[String], wanted: &str) -> bool {
        let items = self.modules.get(parent).into_iter().flatten();
        let mut modules = items.filter(|item| matches!(item, Item::Mod(_)));
        modules.any(|item| {
            named(item).is_some_and(|(own, visibility)| own == wanted && is_public(visibility))
        })
    }
}

fn items_of(file: &Path) -> Vec<Item> {
    let source = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let syntax = syn::parse_file(&source).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    syntax.items
}

fn derived(attributes: &[Attribute]) -> String {
    let derives = attributes.iter().filter(|a| a.path().is_ident("derive"));
    derives
        .map(|derive| format!("  {}\n", text(derive)))
        .collect()
}

fn fields(fields: &Fields, all: bool) -> String {
    let shown = fields.iter().filter(|field| all || is_public(&field.vis));
    let shown = shown.map(|field| match &field.ident {
        Some(name) => format!("  {name}: {}\n", text(&field.ty)),
        None => format!("  {}\n", text(&field.ty)),
    });
    shown.collect()
}

fn describe(
    item: &Item,
    shown: &str,
    name: &str,
    lines: &mut BTreeSet<String>,
    types: &mut BTreeMap<String, String>,
) {
    let own = named(item).map(|(own, _)| own).unwrap_or_default();
    let path = format!("{shown}{name}");
    let line = match item {
        Item::Const(item) => format!("{path}: const {}\n", text(&item.ty)),
        Item::Static(item) => format!("{path}: static {}\n", text(&item.ty)),
        Item::Fn(item) => format!("{path}: {}\n", text(&item.sig)),
        Item::Type(item) => format!("{path}: type {}\n", text(&item.ty)),
        Item::Struct(item) => format!(
            "{path}: struct{}\n{}{}",
            text(&item.generics),
            derived(&item.attrs),
            fields(&item.fields, false)
        ),
        Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| {
                let inner = fields(&variant.fields, true).replace("  ", "    ");
                format!("  {}\n{inner}", variant.ident)
            });
            let variants: String = variants.collect();
            let generics = text(&item.generics);
            format!("{path}: enum{generics}\n{}{variants}", derived(&item.attrs))
        }
        Item::Trait(item) => {
            let inner = item.items.iter().map(|inner| match inner {
                TraitItem::Fn(inner) => format!("  {}\n", text(&inner.sig)),
                other => format!("  {}\n", text(other)),
            });
            format!(
                "{path}: trait{}\n{}",
                text(&item.generics),
                inner.collect::<String>()
            )
        }
        _ => return,
    };
    lines.insert(line);
    // The shortest of several names.
    let known = types.entry(own).or_insert_with(|| path.clone());
    if path.len() < known.len() {
        *known = path;
    }
}

/// The items that an `impl` adds to a type that can be named: public functions, or a trait.
fn implemented(item: &Item, types: &BTreeMap<String, String>, lines: &mut BTreeSet<String>) {
    let Item::Impl(item) = item else { return };
    let syn::Type::Path(of) = &*item.self_ty else {
        return;
    };
    let last = of.path.segments.last().map(|last| last.ident.to_string());
    let Some(shown) = last.and_then(|last| types.get(&last)) else {
        return;
    };
    if let Some((_, of_trait, _)) = &item.trait_ {
        lines.insert(format!("{shown}: {}\n", text(of_trait)));
        return;
    }
    for inner in &item.items {
        match inner {
            ImplItem::Fn(inner) if is_public(&inner.vis) => {
                lines.insert(format!(
                    "{shown}::{}: {}\n",
                    inner.sig.ident,
                    text(&inner.sig)
                ));
            }
            ImplItem::Const(inner) if is_public(&inner.vis) => {
                lines.insert(format!(
                    "{shown}::{}: const {}\n",
                    inner.ident,
                    text(&inner.ty)
                ));
            }
            _ => {}
        }
    }
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .no_deps()
        .other_options(["--offline".to_string()])
        .exec()
        .expect("cargo describes the workspace")
}

#[test]
fn the_interfaces_are_those_of_docs_api() {
    let metadata = metadata();
    let folder = metadata.workspace_root.join("docs/generated/api");
    let mut kept = BTreeSet::new();
    let mut stale = Vec::new();
    for package in &metadata.packages {
        let library = package.targets.iter().find(|target| target.is_lib());
        // `publish = false` is an empty list of registries.
        let (Some(library), None) = (library, &package.publish) else {
            continue;
        };
        let interface = Crate::read(library.src_path.as_std_path()).interface();
        assert!(!interface.is_empty(), "{} offers nothing", package.name);
        let file = folder.join(format!("{}.txt", package.name));
        kept.insert(format!("{}.txt", package.name));
        if std::env::var_os("LOZENGE_WRITE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &interface).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != interface {
            stale.push(package.name.to_string());
        }
    }
    assert!(
        stale.is_empty(),
        "the interface of {} is another one than in docs/generated/api: see how it changed with LOZENGE_WRITE=1 and git diff",
        stale.join(", ")
    );
    let files = fs::read_dir(&folder).unwrap();
    let files: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, kept, "a file for each package that is published");
}

/// The listing notices a changed signature, a field made public, and a re-export from a private module.
#[test]
fn a_change_of_an_interface_is_seen() {
    let folder = std::env::temp_dir().join(format!("lozenge-interface-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let listing = |root: &str, inner: &str| {
        fs::write(folder.join("lib.rs"), root).unwrap();
        fs::write(folder.join("inner.rs"), inner).unwrap();
        Crate::read(&folder.join("lib.rs")).interface()
    };
    let root = "mod inner;\npub use inner::Kept as Shown;\nfn hidden() {}\npub use other::Thing;\n";
    let inner = "/// A struct.\n#[derive(Clone)]\npub struct Kept { pub a: u8, b: u8 }\n\
                 impl Kept { pub fn get(&self) -> u8 { self.b } fn own(&self) {} }\nimpl Drop for Kept { fn drop(&mut self) {} }\n\
                 pub struct Unreachable;\n";
    let before = listing(root, inner);
    assert_eq!(
        before,
        "Shown: Drop\nShown: struct\n  #[derive(Clone)]\n  a: u8\nShown::get: fn get(&self) -> u8\nThing is other::Thing\n"
    );
    let public = inner.replace(", b: u8", ", pub b: u8");
    assert_eq!(
        listing(root, &public),
        before.replace("  a: u8\n", "  a: u8\n  b: u8\n")
    );
    let changed = inner.replace("-> u8 { self.b }", "-> u16 { 0 }");
    assert_eq!(listing(root, &changed), before.replace("-> u8", "-> u16"));
    // Through a module between them, which has the name of a function in it.
    let between = "mod inner;\nmod middle { mod kept { pub fn kept() {} } pub use crate::inner::Kept; pub use kept::kept; }\n\
                   pub use middle::{Kept as Shown, kept};\npub use other::Thing;\n";
    assert_eq!(
        listing(between, inner),
        format!("{before}kept: fn kept()\n")
    );
    fs::remove_dir_all(&folder).unwrap();
}
