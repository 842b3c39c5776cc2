//! No circles inside modules: of two files or folders next to each other, one uses the other.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, ItemUse, UseTree};

use super::{ParsedSource, is_test, parsed_sources};

/// Halves of one thing that call each other: the module, and its children.
const ALLOWED: &[(&str, &[&str])] = &[
    // A schema's members and items have schemas of their own.
    ("json/schema", &["array", "object", "run"]),
    // `map`, `reduce` and the like evaluate rules for each item.
    ("policy", &["evaluation", "scoped_operators"]),
];

type ModulePath = Vec<String>;

/// A path as it is written, and the name that it has in its file; none for a glob.
struct WrittenPath {
    path: ModulePath,
    /// The name under which a `use` imports it.
    import: Option<String>,
}

#[derive(Default)]
struct Paths {
    list: Vec<WrittenPath>,
    /// What the `use` items of the file's own level import, re-exports among them.
    imports: Vec<WrittenPath>,
    /// Modules in the file that contain the current item.
    depth: usize,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_test(&module.attrs) => {}
            Item::Use(item) if is_test(&item.attrs) => {}
            Item::Fn(function) if is_test(&function.attrs) => {}
            item => {
                let inner = usize::from(!matches!(item, Item::Use(_)));
                self.depth += inner;
                visit::visit_item(self, item);
                self.depth -= inner;
            }
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.list.push(WrittenPath { path: names, import: None });
        visit::visit_path(self, path);
    }
}

impl Paths {
    fn tree(&mut self, tree: &UseTree, before: &mut ModulePath) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
            UseTree::Name(name) => self.import(&name.ident, &name.ident, before),
            UseTree::Rename(name) => self.import(&name.ident, &name.rename, before),
            UseTree::Glob(_) => self.push(WrittenPath { path: before.clone(), import: None }),
        }
    }

    fn import(&mut self, name: &syn::Ident, import: &syn::Ident, before: &ModulePath) {
        let path = before.iter().cloned().chain([name.to_string()]).collect();
        self.push(WrittenPath { path, import: Some(import.to_string()) });
    }

    fn push(&mut self, found: WrittenPath) {
        if self.depth == 0 {
            let import = found.import.clone();
            self.imports.push(WrittenPath { path: found.path.clone(), import });
        }
        self.list.push(found);
    }
}

/// The module that a file is: `service/mod.rs` is `service`.
fn module_of(source: &ParsedSource) -> ModulePath {
    let path = source.path.with_extension("");
    let mut names: ModulePath =
        path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.pop_if(|last| last == "mod");
    names
}

/// The files of `src/` as modules, with the paths in each.
struct ModuleTree {
    paths: BTreeMap<ModulePath, Paths>,
    /// Names of the items that each module defines.
    items: BTreeMap<ModulePath, BTreeSet<String>>,
}

impl ModuleTree {
    fn new(sources: &[ParsedSource]) -> Self {
        let mut tree = Self { paths: BTreeMap::new(), items: BTreeMap::new() };
        for source in sources {
            let mut paths = Paths::default();
            paths.visit_file(&source.file);
            let items = source.file.items.iter().filter_map(item_name).collect();
            tree.paths.insert(module_of(source), paths);
            tree.items.insert(module_of(source), items);
        }
        tree
    }

    /// The path from the root of the crate; none if it is of another crate or a name in scope.
    fn absolute(&self, path: &[String], own: &ModulePath) -> Option<ModulePath> {
        let (mut at, rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (own.clone(), &path[1..]),
            "super" => {
                let levels = path.iter().take_while(|name| *name == "super").count();
                (own[..own.len().saturating_sub(levels)].to_vec(), &path[levels..])
            }
            name => {
                let child: ModulePath = own.iter().cloned().chain([name.to_owned()]).collect();
                self.paths.contains_key(&child).then(|| (own.clone(), path))?
            }
        };
        at.extend(rest.iter().filter(|name| *name != "self").cloned());
        Some(at)
    }

    /// The module that defines what an absolute path names. Follows re-exports, `hops` at most,
    /// since two modules can import each other's names.
    fn target(&self, path: &[String], hops: usize) -> ModulePath {
        let mut at: ModulePath = Vec::new();
        for (index, name) in path.iter().enumerate() {
            at.push(name.clone());
            if self.paths.contains_key(&at) {
                continue;
            }
            at.pop();
            let rest = &path[index + 1..];
            return self.reexported(&at, name, rest, hops).unwrap_or(at);
        }
        at
    }

    fn reexported(
        &self,
        module: &ModulePath,
        name: &str,
        rest: &[String],
        hops: usize,
    ) -> Option<ModulePath> {
        let hops = hops.checked_sub(1)?;
        if self.items.get(module).is_some_and(|items| items.contains(name)) {
            return None;
        }
        let imports = &self.paths.get(module)?.imports;
        let named = imports.iter().find(|import| import.import.as_deref() == Some(name));
        if let Some(import) = named {
            let mut path = self.absolute(&import.path, module)?;
            path.extend(rest.iter().cloned());
            return Some(self.target(&path, hops));
        }
        imports.iter().filter(|import| import.import.is_none()).find_map(|glob| {
            let mut path = self.absolute(&glob.path, module)?;
            path.push(name.to_owned());
            let target = self.target(&path, hops);
            let items = self.items.get(&target)?;
            items.contains(name).then_some(target)
        })
    }
}

fn item_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Re-exports of re-exports that are followed.
const MAX_HOPS: usize = 8;

/// Children of one module, and which of the others each of them uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn uses_inside(sources: &[ParsedSource]) -> BTreeMap<ModulePath, Uses> {
    let tree = ModuleTree::new(sources);
    let mut found: BTreeMap<ModulePath, Uses> = BTreeMap::new();
    for (own, paths) in &tree.paths {
        for written in &paths.list {
            let Some(path) = tree.absolute(&written.path, own) else { continue };
            let to = tree.target(&path, MAX_HOPS);
            let common = own.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let (Some(user), Some(target)) = (own.get(common), to.get(common)) else { continue };
            if common > 0 {
                let parent = found.entry(own[..common].to_vec()).or_default();
                parent.entry(user.clone()).or_default().insert(target.clone());
            }
        }
    }
    found
}

fn reaches(uses: &Uses, from: &str, to: &str) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(name) = open.pop() {
        for next in uses.get(name).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// The children that reach themselves, with those that they use on the way.
fn circle(uses: &Uses) -> Vec<String> {
    let names: Vec<&String> = uses.keys().filter(|name| reaches(uses, name, name)).collect();
    names.into_iter().cloned().collect()
}

#[test]
fn modules_have_no_circles_inside() {
    let sources = parsed_sources();
    let mut found = Vec::new();
    for (parent, uses) in uses_inside(&sources) {
        let parent = parent.join("/");
        let allowed = ALLOWED.iter().find(|(module, _)| *module == parent);
        let circle = circle(&uses);
        let is_allowed = |name: &String| allowed.is_some_and(|(_, names)| names.contains(&&**name));
        if !circle.iter().all(is_allowed) {
            found.push(format!("{parent}: {}", circle.join(", ")));
        }
    }
    assert!(found.is_empty(), "circles inside modules:\n{}", found.join("\n"));
}

#[test]
fn allowed_circles_are_there() {
    let uses = uses_inside(&parsed_sources());
    for (module, names) in ALLOWED {
        let parent: ModulePath = module.split('/').map(str::to_owned).collect();
        let found = uses.get(&parent).map(circle).unwrap_or_default();
        assert_eq!(found, *names, "{module} has no such circle any more");
    }
}

#[test]
fn circles_are_found() {
    let source = |path: &str, text: &str| ParsedSource {
        path: path.into(),
        file: syn::parse_file(text).expect("valid Rust"),
    };
    let sources = [
        source("a/mod.rs", "mod b; mod c; mod d;"),
        source("a/b.rs", "use super::{c::Deep, d};"),
        source("a/c/mod.rs", "fn f() { crate::a::b::g() }"),
        source("a/d.rs", "#[cfg(test)] mod tests { use super::super::b; }"),
    ];
    let uses = uses_inside(&sources);
    assert_eq!(circle(&uses[&vec!["a".to_owned()]]), ["b", "c"]);
}

#[test]
fn circles_through_re_exports_are_found() {
    let source = |path: &str, text: &str| ParsedSource {
        path: path.into(),
        file: syn::parse_file(text).expect("valid Rust"),
    };
    let sources = [
        source("a/mod.rs", "mod b; mod c; mod d; pub use b::Bee; pub use self::c::*; struct Own;"),
        source("a/b.rs", "use super::Sea as Renamed; pub struct Bee;"),
        source("a/c/mod.rs", "mod e; pub use e::{Sea, Sky}; fn f() -> crate::a::Bee {}"),
        source("a/c/e.rs", "pub struct Sea; pub struct Sky;"),
        source("a/d.rs", "use super::{Bee, Own, Unknown};"),
    ];
    let uses = uses_inside(&sources);
    let inside = &uses[&vec!["a".to_owned()]];
    assert_eq!(circle(inside), ["b", "c"]);
    assert_eq!(inside["d"], BTreeSet::from(["b".to_owned()]));
}
