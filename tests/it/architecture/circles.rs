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
    ("policy", &["evaluate", "scoped_operators"]),
];

type ModulePath = Vec<String>;

#[derive(Default)]
struct Paths {
    list: Vec<ModulePath>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_test(&module.attrs) => {}
            Item::Use(item) if is_test(&item.attrs) => {}
            Item::Fn(function) if is_test(&function.attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.list.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
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
            UseTree::Name(name) => self.name(&name.ident, before),
            UseTree::Rename(name) => self.name(&name.ident, before),
            UseTree::Glob(_) => self.list.push(before.clone()),
        }
    }

    fn name(&mut self, name: &syn::Ident, before: &ModulePath) {
        self.list.push(before.iter().cloned().chain([name.to_string()]).collect());
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

/// The module that a path leads to; none if it is of another crate or a name in scope.
fn target(
    path: &ModulePath,
    own: &ModulePath,
    modules: &BTreeSet<ModulePath>,
) -> Option<ModulePath> {
    let mut rest = path.iter().peekable();
    let mut at = match path.first()?.as_str() {
        "crate" => {
            rest.next();
            Vec::new()
        }
        "self" => {
            rest.next();
            own.clone()
        }
        "super" => {
            let mut at = own.clone();
            while rest.next_if(|name| *name == "super").is_some() {
                at.pop();
            }
            at
        }
        name => {
            let child: ModulePath = own.iter().cloned().chain([name.to_owned()]).collect();
            modules.contains(&child).then(|| own.clone())?
        }
    };
    for name in rest {
        at.push(name.clone());
        if !modules.contains(&at) {
            at.pop();
            break;
        }
    }
    Some(at)
}

/// Children of one module, and which of the others each of them uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn uses_inside(sources: &[ParsedSource]) -> BTreeMap<ModulePath, Uses> {
    let modules: BTreeSet<ModulePath> = sources.iter().map(module_of).collect();
    let mut found: BTreeMap<ModulePath, Uses> = BTreeMap::new();
    for source in sources {
        let own = module_of(source);
        let mut paths = Paths::default();
        paths.visit_file(&source.file);
        for path in &paths.list {
            let Some(to) = target(path, &own, &modules) else { continue };
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
