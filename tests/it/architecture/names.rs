//! Modules and types are named by nouns.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Item, ItemEnum, ItemStruct, ItemTrait};

use super::{is_test, parsed_sources};

/// Verbs, participles and pronouns that are no nouns of the field.
const NO_NOUNS: &[&str] = &[
    "accept",
    "adapt",
    "again",
    "append",
    "arrived",
    "asked",
    "asking",
    "await",
    "build",
    "begun",
    "came",
    "clean",
    "compile",
    "compress",
    "connect",
    "decode",
    "deny",
    "detect",
    "each",
    "encode",
    "erase",
    "evaluate",
    "expand",
    "forget",
    "given",
    "govern",
    "heard",
    "hears",
    "hold",
    "ingest",
    "inject",
    "keep",
    "kept",
    "known",
    "knows",
    "made",
    "migrate",
    "minify",
    "nobody",
    "observe",
    "offload",
    "open",
    "parse",
    "past",
    "prepared",
    "promote",
    "propose",
    "protect",
    "prove",
    "prune",
    "provide",
    "publish",
    "read",
    "recount",
    "redact",
    "reduce",
    "refer",
    "remember",
    "render",
    "resolve",
    "respond",
    "retrieve",
    "said",
    "says",
    "seen",
    "serve",
    "served",
    "shorten",
    "shown",
    "shrink",
    "shrunk",
    "stored",
    "strip",
    "summarize",
    "telling",
    "told",
    "tried",
    "truncate",
    "undo",
    "used",
    "write",
    "written",
];

/// Modules that keep such a name.
const ALLOWED: &[&str] = &[
    // The API calls two services so, and `compress` a stage; "a compile" is a noun of the vocabulary.
    "cli/compile",
    "cli/compress",
    "compress",
    "http/compat/compress",
    "http/compile",
    "http/compress",
    "http/schema/compress",
    "pipeline/compress",
    "request/compile",
    "request/compress",
    "service/compile",
    "service/compress",
    "service/error/compile",
];

/// Names that a type of any module may have.
const CONVENTIONAL: &[&str] =
    &["Config", "Error", "Input", "Kind", "Options", "Output", "Part", "Row", "Value"];

#[test]
fn modules_are_named_by_nouns() {
    let mut found: Vec<String> = Vec::new();
    for source in parsed_sources() {
        let path = source.path.with_extension("").to_string_lossy().replace('\\', "/");
        let module = path.strip_suffix("/mod").unwrap_or(&path);
        let name = module.rsplit('/').next().unwrap_or(module);
        if NO_NOUNS.contains(&name) && !ALLOWED.contains(&module) {
            found.push(module.to_owned());
        }
    }
    assert!(found.is_empty(), "name these by what they hold:\n{}", found.join("\n"));
}

#[test]
fn allowed_modules_are_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in ALLOWED {
        let file = root.join(module).with_extension("rs");
        assert!(root.join(module).is_dir() || file.is_file(), "{module} is gone");
    }
}

#[derive(Default)]
struct TypeNames(Vec<String>);

impl<'ast> Visit<'ast> for TypeNames {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_test(&module.attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.0.push(item.ident.to_string());
    }
}

#[test]
fn types_are_named_by_nouns() {
    let mut names = TypeNames::default();
    for source in parsed_sources() {
        names.visit_file(&source.file);
    }
    assert!(names.0.len() > 1000, "only {} types are found", names.0.len());
    names.0.retain(|name| NO_NOUNS.contains(&name.to_lowercase().as_str()));
    assert!(names.0.is_empty(), "name these by what they hold: {:?}", names.0);
}

/// A shape of the API in `http/schema/` may have the name of the type that it describes.
#[test]
fn types_do_not_share_a_name() {
    let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in parsed_sources() {
        let mut names = TypeNames::default();
        names.visit_file(&source.file);
        let path = source.path.to_string_lossy().replace('\\', "/");
        for name in names.0 {
            paths.entry(name).or_default().push(path.clone());
        }
    }
    let shared: Vec<_> = paths
        .iter()
        .filter(|(name, _)| !CONVENTIONAL.contains(&name.as_str()))
        .filter(|(_, paths)| {
            let shapes = paths.iter().filter(|path| path.starts_with("http/schema/")).count();
            shapes > 1 || paths.len() - shapes > 1
        })
        .collect();
    assert!(paths.len() > 1000, "only {} names are found", paths.len());
    assert!(shared.is_empty(), "name these apart: {shared:#?}");
}
