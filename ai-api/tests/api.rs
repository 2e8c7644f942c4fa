//! Checks the public API of the crate: every release keeps the items of earlier ones.
//! `ai-api/frozen/VERSION/api.txt` lists the items of a release, one per line, including each
//! field, variant and method. A line that begins with `closed` is an item whose addition would
//! break an AI author's code: a field of a struct that is built without `..`, a variant that a
//! match must handle, a method without a default.

use std::{collections::BTreeSet, env, fs, path::Path};

use ai_api::note::API_VERSION;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, TraitItem, Visibility};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Adds the lines for the items of a module at `path`, whose submodules are files in `folder`.
fn list(items: &[Item], path: &str, folder: &Path, lines: &mut BTreeSet<String>) {
    for item in items {
        let line = |lines: &mut BTreeSet<String>, text: String| {
            lines.insert(format!("{path}{text}"));
        };
        match item {
            Item::Mod(module) if !is_hidden(&module.attrs) => {
                let name = module.ident.to_string();
                let inside = format!("{path}{name}::");
                let submodules = folder.join(&name);
                match &module.content {
                    Some((_, items)) => list(items, &inside, &submodules, lines),
                    None => list(
                        &read(&folder.join(format!("{name}.rs"))),
                        &inside,
                        &submodules,
                        lines,
                    ),
                }
                if is_public(&module.vis) {
                    line(lines, format!("mod {name}"));
                }
            }
            Item::Use(import) if is_public(&import.vis) && !is_hidden(&import.attrs) => {
                line(lines, format!("use {}", text(&import.tree)));
            }
            Item::Struct(found) if is_public(&found.vis) && !is_hidden(&found.attrs) => {
                let name = format!("struct {}{}", found.ident, text(&found.generics));
                line(lines, format!("{name} {}", markers(&found.attrs)));
                let has_private = found.fields.iter().any(|field| !is_public(&field.vis));
                let is_open = has_private
                    || is_non_exhaustive(&found.attrs)
                    || found
                        .fields
                        .iter()
                        .any(|field| text(&field.ty) == "Further");
                fields(&found.fields, &format!("{path}{name}"), is_open, lines);
            }
            Item::Enum(found) if is_public(&found.vis) && !is_hidden(&found.attrs) => {
                let name = format!("{path}enum {}", found.ident);
                lines.insert(format!("{name} {}", markers(&found.attrs)));
                let closed = if is_non_exhaustive(&found.attrs) {
                    ""
                } else {
                    "closed "
                };
                for variant in &found.variants {
                    let number = variant
                        .discriminant
                        .as_ref()
                        .map(|(_, number)| text(number));
                    let shape = (
                        variant.ident.to_string(),
                        text(&variant.fields),
                        number.unwrap_or_default(),
                    );
                    lines.insert(format!(
                        "{closed}{name}::{} {} {}",
                        shape.0,
                        without_docs(&shape.1),
                        shape.2
                    ));
                }
            }
            Item::Trait(found) if is_public(&found.vis) && !is_hidden(&found.attrs) => {
                let name = format!("{path}trait {}", found.ident);
                lines.insert(format!("{name}: {}", text(&found.supertraits)));
                for item in &found.items {
                    let TraitItem::Fn(method) = item else {
                        continue;
                    };
                    let closed = if method.default.is_some() {
                        ""
                    } else {
                        "closed "
                    };
                    lines.insert(format!("{closed}{name}::{}", text(&method.sig)));
                }
            }
            Item::Impl(found) if !is_hidden(&found.attrs) => {
                list_impl(found, path, lines);
            }
            Item::Fn(found) if is_public(&found.vis) && !is_hidden(&found.attrs) => {
                line(lines, text(&found.sig));
            }
            Item::Const(found) if is_public(&found.vis) && !is_hidden(&found.attrs) => {
                line(
                    lines,
                    format!(
                        "const {}: {} = {}",
                        found.ident,
                        text(&found.ty),
                        text(&found.expr)
                    ),
                );
            }
            Item::Type(found) if is_public(&found.vis) && !is_hidden(&found.attrs) => {
                line(lines, format!("type {} = {}", found.ident, text(&found.ty)));
            }
            Item::Macro(found)
                if is_hidden(&found.attrs) || found.mac.path.is_ident("sized_structs") => {}
            Item::Macro(found) => match &found.ident {
                Some(name)
                    if found
                        .attrs
                        .iter()
                        .map(text)
                        .any(|attribute| attribute.contains("macro_export")) =>
                {
                    line(lines, format!("macro {name}"));
                }
                Some(_) => {}
                // The macro call declares a header type, header constants or an enumeration.
                None => {
                    for part in parts(&found.mac.tokens) {
                        line(lines, format!("{} {part}", text(&found.mac.path)));
                    }
                }
            },
            _ => {}
        }
    }
}

fn list_impl(found: &ItemImpl, path: &str, lines: &mut BTreeSet<String>) {
    let of = format!(
        "{path}{}{}",
        text(&found.self_ty),
        text(&found.generics.where_clause)
    );
    if let Some((_, of_trait, _)) = &found.trait_ {
        lines.insert(format!(
            "{path}impl {} for {}",
            text(of_trait),
            text(&found.self_ty)
        ));
        return;
    }
    for item in &found.items {
        match item {
            ImplItem::Fn(method) if is_public(&method.vis) && !is_hidden(&method.attrs) => {
                lines.insert(format!("{of}::{}", text(&method.sig)));
            }
            ImplItem::Const(constant)
                if is_public(&constant.vis) && !is_hidden(&constant.attrs) =>
            {
                lines.insert(format!("{of}::{}: {}", constant.ident, text(&constant.ty)));
            }
            _ => {}
        }
    }
}

fn fields(fields: &Fields, of: &str, is_open: bool, lines: &mut BTreeSet<String>) {
    let closed = if is_open { "" } else { "closed " };
    for (number, field) in fields.iter().enumerate() {
        if is_public(&field.vis) && !is_hidden(&field.attrs) {
            let name = field
                .ident
                .as_ref()
                .map_or_else(|| number.to_string(), ToString::to_string);
            lines.insert(format!("{closed}{of}.{name}: {}", text(&field.ty)));
        }
    }
}

/// Returns the parts of a declaration's body, each preceded by the declaration's head. Without a
/// body in braces, returns the parts of the declaration itself.
fn parts(tokens: &TokenStream) -> Vec<String> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let Some(TokenTree::Group(braces)) = tokens.last().filter(|last| is_braces(last)) else {
        return split(tokens).into_iter().collect();
    };
    let head = split(tokens[..tokens.len() - 1].iter().cloned()).concat();
    split(braces.stream())
        .into_iter()
        .map(|part| format!("{head} {part}"))
        .collect()
}

/// Splits tokens at commas and semicolons, and removes documentation.
fn split(tokens: impl IntoIterator<Item = TokenTree>) -> Vec<String> {
    let mut parts = vec![String::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(mark) if matches!(mark.as_char(), ',' | ';') => {
                parts.push(String::new());
            }
            _ => {
                let part = parts.last_mut().expect("a part");
                part.push_str(&token.to_string());
                part.push(' ');
            }
        }
    }
    parts
        .iter()
        .map(|part| without_docs(part))
        .filter(|part| !part.is_empty())
        .collect()
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Removes the documentation, a series of `# [doc = "…"]`, from a string of tokens.
fn without_docs(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, doc)) = rest.split_once("# [doc = ") {
        kept += before;
        // The literal ends at the first `"]` that is not escaped by a backslash.
        let end = doc
            .match_indices("\"]")
            .map(|(at, _)| at)
            .find(|&at| at > 0 && !doc[..at].ends_with('\\'));
        rest = &doc[end.expect("the end of a doc comment") + 2..];
    }
    (kept + rest)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// Removes trailing commas, which only show that each parameter is on its own line.
fn without_last_commas(tokens: &str) -> String {
    tokens.replace(" ,)", ")")
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().map(text).any(|attribute| {
        attribute.contains("hidden")
            || attribute.contains("cfg (test)")
            || attribute.contains("cfg (doctest)")
    })
}

fn is_non_exhaustive(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .map(text)
        .any(|attribute| attribute.contains("non_exhaustive"))
}

/// Returns the parts of a type's attributes that matter to authors.
fn markers(attributes: &[Attribute]) -> String {
    let kept = attributes
        .iter()
        .map(text)
        // `rules` is the part of `host` that doesn't need any other crate.
        .map(|text| {
            text.replace(
                "any (feature = \"host\" , feature = \"rules\")",
                "feature = \"host\"",
            )
        })
        .filter(|text| {
            ["repr", "derive", "non_exhaustive"]
                .iter()
                .any(|word| text.contains(word))
        });
    kept.collect::<Vec<_>>().join(" ")
}

fn read(file: &Path) -> Vec<Item> {
    let source =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    syn::parse_file(&source)
        .expect("a source of the crate")
        .items
}

fn current() -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let source = Path::new(ROOT).join("src");
    list(&read(&source.join("lib.rs")), "", &source, &mut lines);
    lines.iter().map(|line| without_last_commas(line)).collect()
}

#[test]
fn every_release_keeps_the_items_of_earlier_releases() {
    let current = current();
    let frozen = Path::new(ROOT).join("frozen");
    if let Some(release) = env::var_os("ROOKERY_FREEZE") {
        // `tools/scripts/freeze.sh` sets the variable to the file to write.
        let lines: Vec<_> = current.iter().map(String::as_str).collect();
        fs::write(release, lines.join("\n") + "\n").unwrap();
    }
    let mut releases = 0;
    for entry in fs::read_dir(&frozen).unwrap() {
        let folder = entry.unwrap();
        let kept = fs::read_to_string(folder.path().join("api.txt")).unwrap();
        let kept: BTreeSet<_> = kept.lines().map(without_last_commas).collect();
        assert!(kept.len() > 300, "{}", folder.path().display());
        let gone: Vec<_> = kept.difference(&current).collect();
        let closed: Vec<_> = current
            .difference(&kept)
            .filter(|line| line.starts_with("closed "))
            .collect();
        assert!(
            gone.is_empty() && closed.is_empty(),
            "removed: {gone:#?}\nadded, but closed: {closed:#?}"
        );
        if folder.file_name() == API_VERSION {
            let new: Vec<_> = current.difference(&kept).collect();
            assert!(
                new.is_empty(),
                "a released version never changes, but these items are new: {new:#?}"
            );
        }
        releases += 1;
    }
    assert!(releases > 0);
}
