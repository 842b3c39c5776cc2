//! What a `fn` item may look like: callers tell values apart by name, not by their place in a tuple.

use syn::visit::{self, Visit};
use syn::{FnArg, Item, Pat, ReturnType, Signature, TypeTuple};

use super::{is_test, parsed_sources};

/// Elements of a tuple that a function may return.
const MAX_RETURNED: usize = 2;

#[derive(Default)]
struct Signatures {
    tuple_parameters: Vec<String>,
    long_tuples: Vec<String>,
}

impl<'ast> Visit<'ast> for Signatures {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_test(&module.attrs) => {}
            Item::Fn(function) if is_test(&function.attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        let typed = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&*typed.pat),
            FnArg::Receiver(_) => None,
        });
        if typed.into_iter().any(has_tuple) {
            self.tuple_parameters.push(signature.ident.to_string());
        }
        if let ReturnType::Type(_, returned) = &signature.output {
            let mut tuples = LongTuples::default();
            tuples.visit_type(returned);
            if tuples.found {
                self.long_tuples.push(signature.ident.to_string());
            }
        }
        visit::visit_signature(self, signature);
    }
}

/// Whether a pattern takes a tuple apart. A newtype such as `State(state)` is none.
fn has_tuple(pattern: &Pat) -> bool {
    match pattern {
        Pat::Tuple(_) => true,
        Pat::TupleStruct(of) => of.elems.iter().any(has_tuple),
        Pat::Reference(of) => has_tuple(&of.pat),
        Pat::Paren(of) => has_tuple(&of.pat),
        _ => false,
    }
}

#[derive(Default)]
struct LongTuples {
    found: bool,
}

impl<'ast> Visit<'ast> for LongTuples {
    fn visit_type_tuple(&mut self, tuple: &'ast TypeTuple) {
        self.found |= tuple.elems.len() > MAX_RETURNED;
        visit::visit_type_tuple(self, tuple);
    }
}

fn signatures(file: &syn::File) -> Signatures {
    let mut signatures = Signatures::default();
    signatures.visit_file(file);
    signatures
}

#[test]
fn no_function_takes_a_tuple_apart_in_its_parameters() {
    let found: Vec<String> = parsed_sources()
        .iter()
        .flat_map(|source| {
            let names = signatures(&source.file).tuple_parameters;
            names.into_iter().map(|name| format!("{}: {name}", source.path.display()))
        })
        .collect();
    assert!(found.is_empty(), "give these values parameters or a struct:\n{}", found.join("\n"));
}

#[test]
fn no_function_returns_a_long_tuple() {
    let found: Vec<String> = parsed_sources()
        .iter()
        .flat_map(|source| {
            let names = signatures(&source.file).long_tuples;
            names.into_iter().map(|name| format!("{}: {name}", source.path.display()))
        })
        .collect();
    assert!(found.is_empty(), "return a struct with named fields from:\n{}", found.join("\n"));
}

#[test]
fn signatures_are_told_apart() {
    let file = syn::parse_file(
        "fn a((x, y): (u8, u8)) {} fn b(State(s): State<u8>) -> Option<(u8, u8)> { None }
         fn c(Path((x, y)): Path<(u8, u8)>) -> Option<(u8, u8, u8)> { None }
         impl T { fn d(&self, f: impl Fn(u8, u8, u8) -> u8) {} }
         #[cfg(test)] mod tests { fn e((x, y): (u8, u8)) {} }",
    );
    let found = signatures(&file.expect("valid Rust"));
    assert_eq!(found.tuple_parameters, ["a", "c"]);
    assert_eq!(found.long_tuples, ["c"]);
}
