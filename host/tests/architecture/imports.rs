//! The imports between the files of a crate, from their paths. Importing a re-exported item imports
//! both the file that re-exports it and the file that defines it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Attribute, File, Item, ItemMod, UseTree, Visibility,
    visit::{self, Visit},
};

/// The segments of a module's path from the root of its crate.
type ModulePath = Vec<String>;

/// The imports of a file.
#[derive(Default)]
struct Source {
    /// The path of each imported name, from the root of the crate or from this file.
    imports: BTreeMap<String, ModulePath>,
    /// The imported names that are only re-exported, unless the code names them.
    passed_on: BTreeSet<String>,
    /// The names that the code uses without a path.
    names: BTreeSet<String>,
    /// Paths imported with `*`.
    globs: Vec<ModulePath>,
    /// Every path that the code names.
    paths: Vec<ModulePath>,
}

/// Returns the cycles between the files below a folder, each as `a -> b -> a`.
pub(crate) fn circles(folder: &Path) -> Vec<String> {
    let mut sources = BTreeMap::new();
    read(folder, &mut Vec::new(), &mut sources);
    let edges: BTreeMap<&ModulePath, BTreeSet<ModulePath>> = sources
        .keys()
        .map(|module| (module, imported(module, &sources)))
        .collect();
    let mut found = BTreeSet::new();
    for start in edges.keys() {
        // Finds the shortest cycle from a file back to itself.
        let mut before: BTreeMap<&ModulePath, &ModulePath> = BTreeMap::new();
        let mut queue = std::collections::VecDeque::from([*start]);
        'search: while let Some(file) = queue.pop_front() {
            for next in &edges[file] {
                if next == *start {
                    let mut circle = vec![*start, file];
                    while *circle[circle.len() - 1] != **start {
                        circle.push(before[circle[circle.len() - 1]]);
                    }
                    circle.reverse();
                    circle.dedup();
                    let least = circle.iter().min().expect("a cycle has files");
                    // Each cycle is reported once, starting with its first file.
                    if least == start {
                        let mut names: Vec<_> = circle.iter().map(|file| file.join("::")).collect();
                        if names.len() == 1 || names.first() != names.last() {
                            names.push(names[0].clone());
                        }
                        found.insert(names.join(" -> "));
                    }
                    break 'search;
                }
                if !before.contains_key(next) {
                    before.insert(next, file);
                    queue.push_back(next);
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Reads every file below a folder into `sources`, by module path.
fn read(folder: &Path, module: &mut ModulePath, sources: &mut BTreeMap<ModulePath, Source>) {
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder can be read").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name in UTF-8")
            .to_owned();
        if path.is_dir() {
            module.push(name);
            read(&path, module, sources);
            module.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            // Tests may import anything.
            let is_test = name == "tests" || module.iter().any(|part| part == "tests");
            if is_test {
                continue;
            }
            let mut path_of_file = module.clone();
            if !(module.is_empty() && (name == "lib" || name == "main")) {
                path_of_file.push(name);
            }
            let text = fs::read_to_string(&path).expect("a text");
            let mut reader = Reader {
                module: path_of_file.clone(),
                source: Source::default(),
            };
            // Long data tables, which take seconds to parse, contain no path.
            if text.contains("::") {
                let file: File = syn::parse_file(&text)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                reader.visit_file(&file);
            }
            sources.insert(path_of_file, reader.source);
        }
    }
}

struct Reader {
    module: ModulePath,
    source: Source,
}

impl Reader {
    /// Returns the path from the crate root if it begins with `crate`, `self` or `super`.
    fn absolute(&self, path: &[String]) -> Option<ModulePath> {
        let mut from = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        let mut rest = path;
        while let Some(first) = rest
            .first()
            .filter(|first| ["crate", "self", "super"].contains(&first.as_str()))
        {
            if first == "super" {
                from.pop();
            }
            rest = &rest[1..];
        }
        from.extend(rest.iter().cloned());
        Some(from)
    }

    fn import(&mut self, tree: &UseTree, prefix: &mut Vec<String>, is_public: bool) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix, is_public);
                prefix.pop();
            }
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.import(tree, prefix, is_public)),
            UseTree::Glob(_) => {
                let path = self
                    .absolute(prefix)
                    .unwrap_or_else(|| [&self.module[..], prefix].concat());
                if !is_public {
                    self.source.globs.push(path);
                }
            }
            UseTree::Name(_) | UseTree::Rename(_) => {
                let (name, alias) = match tree {
                    UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
                    UseTree::Rename(rename) => {
                        (rename.ident.to_string(), rename.rename.to_string())
                    }
                    _ => return,
                };
                let mut full = prefix.clone();
                let alias = if name == "self" {
                    prefix.last().cloned().unwrap_or_default()
                } else {
                    alias
                };
                if name != "self" {
                    full.push(name);
                }
                let path = self
                    .absolute(&full)
                    .unwrap_or_else(|| [&self.module[..], &full].concat());
                if is_public {
                    self.source.passed_on.insert(alias.clone());
                }
                self.source.imports.insert(alias, path);
            }
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(item) => {
                let is_public = !matches!(item.vis, Visibility::Inherited);
                self.import(&item.tree, &mut Vec::new(), is_public);
            }
            Item::Mod(ItemMod { attrs, .. }) if is_test(attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        let path_of_item = self
            .absolute(&names)
            .unwrap_or_else(|| [&self.module[..], &names].concat());
        match names.as_slice() {
            [name] => _ = self.source.names.insert(name.clone()),
            _ => self.source.paths.push(path_of_item),
        }
        visit::visit_path(self, path);
    }
}

/// Returns the other files that a file imports from.
fn imported(module: &ModulePath, sources: &BTreeMap<ModulePath, Source>) -> BTreeSet<ModulePath> {
    let source = &sources[module];
    let is_used =
        |name: &&String| source.names.contains(*name) || !source.passed_on.contains(*name);
    let imports = source
        .imports
        .keys()
        .filter(is_used)
        .map(|name| &source.imports[name]);
    let mut files = BTreeSet::new();
    for path in source.paths.iter().chain(imports).chain(&source.globs) {
        add_files(path, module, sources, &mut files);
    }
    files.remove(module);
    files
}

/// Adds the files that a path leads through: the file of its longest module and, if that re-exports
/// the item, the file it comes from. A file may name an item by a module that contains the file. It
/// imports that module's file only if the item is defined there.
fn add_files(
    path: &[String],
    from: &ModulePath,
    sources: &BTreeMap<ModulePath, Source>,
    files: &mut BTreeSet<ModulePath>,
) {
    let length = (0..=path.len())
        .rev()
        .find(|&length| sources.contains_key(&path[..length]));
    let Some((module, rest)) = length.map(|length| path.split_at(length)) else {
        return;
    };
    let import = rest
        .first()
        .and_then(|name| sources[module].imports.get(name));
    if import.is_none() || !from.starts_with(module) {
        files.insert(module.to_vec());
    }
    let further: Option<Vec<_>> =
        import.map(|import| import.iter().chain(&rest[1..]).cloned().collect());
    if let Some(further) = further.filter(|further| further != path) {
        add_files(&further, from, sources, files);
    }
}
