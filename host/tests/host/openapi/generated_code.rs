//! Rules that let generators turn the document into code that compiles and reads well.

use std::{collections::BTreeSet, ops::RangeInclusive};

use config::{DEPTHS, MATES, MOVETIMES_MS, NODES};
use protocol::{MAX_LINES, MAX_TRACE_NODES};
use serde_json::{Value, json};

use crate::support::catalog;

const REFERENCE: &str = "#/components/schemas/";

struct Document(Value);

impl Document {
    fn of_all_calls() -> Self {
        Self(serde_json::from_str(catalog().document()).unwrap())
    }

    fn schemas(&self) -> impl Iterator<Item = (&str, &Value)> {
        let schemas = self.0["components"]["schemas"].as_object().unwrap();
        schemas.iter().map(|(name, schema)| (name.as_str(), schema))
    }

    fn operations(&self) -> impl Iterator<Item = &Value> {
        let paths = self.0["paths"].as_object().unwrap();
        paths
            .values()
            .flat_map(|item| item.as_object().unwrap().values())
    }

    fn resolved<'d>(&'d self, schema: &'d Value) -> &'d Value {
        let name = schema["$ref"]
            .as_str()
            .map(|name| name.trim_start_matches(REFERENCE));
        name.map_or(schema, |name| &self.0["components"]["schemas"][name])
    }

    /// Adds a schema and the schemas that it refers to.
    fn with_references<'d>(&'d self, schema: &'d Value, found: &mut Vec<&'d Value>) {
        let schema = self.resolved(schema);
        if found.iter().any(|known| std::ptr::eq(*known, schema)) {
            return;
        }
        found.push(schema);
        for part in parts(schema) {
            self.with_references(part, found);
        }
    }

    /// Returns the JSON types that a schema allows.
    fn types(&self, schema: &Value) -> BTreeSet<String> {
        let schema = self.resolved(schema);
        if let Some(members) = schema["oneOf"].as_array() {
            return members
                .iter()
                .flat_map(|member| self.types(member))
                .collect();
        }
        let types = match &schema["type"] {
            Value::Array(types) => types.clone(),
            one => vec![one.clone()],
        };
        let name = |one: &Value| {
            one.as_str()
                .unwrap_or_else(|| panic!("the schema has no type: {schema}"))
                .to_owned()
        };
        types
            .iter()
            .map(name)
            .map(|name| {
                if name == "integer" {
                    "number".into()
                } else {
                    name
                }
            })
            .collect()
    }

    /// Returns whether no value matches both schemas.
    fn are_disjoint(&self, one: &Value, other: &Value) -> bool {
        if self.types(one).is_disjoint(&self.types(other)) {
            return true;
        }
        let (one, other) = (self.resolved(one), self.resolved(other));
        let lacks = |closed: &Value, object: &Value| {
            let required = object["required"].as_array().into_iter().flatten();
            closed["additionalProperties"] == false
                && required
                    .filter_map(Value::as_str)
                    .any(|field| closed["properties"].get(field).is_none())
        };
        lacks(one, other) || lacks(other, one)
    }

    /// Returns whether the discriminator of a union tells all its members apart.
    fn is_discriminated(&self, union: &Value) -> bool {
        let Some(field) = union["discriminator"]["propertyName"].as_str() else {
            return false;
        };
        let mapping = union["discriminator"]["mapping"].as_object().unwrap();
        let members = union["oneOf"].as_array().unwrap();
        members.len() == mapping.len()
            && mapping.iter().all(|(value, name)| {
                let reference = json!({"$ref": name});
                let member = self.resolved(&reference);
                members.contains(&reference)
                    && member["properties"][field]["const"] == *value
                    && member["required"]
                        .as_array()
                        .unwrap()
                        .contains(&json!(field))
            })
    }
}

/// The schemas within a schema.
fn parts(schema: &Value) -> Vec<&Value> {
    let lists = ["oneOf", "anyOf", "allOf"]
        .iter()
        .filter_map(|key| schema[key].as_array())
        .flatten();
    let fields = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, field)| field);
    let items = ["items", "additionalProperties"]
        .iter()
        .map(|key| &schema[key]);
    lists
        .chain(fields)
        .chain(items.filter(|part| part.is_object()))
        .collect()
}

/// Calls a function with each schema of the components, however deep, and the name of its
/// component.
fn visit<'d>(document: &'d Document, mut function: impl FnMut(&str, &'d Value)) {
    for (name, schema) in document.schemas() {
        let mut unread = vec![schema];
        while let Some(schema) = unread.pop() {
            function(name, schema);
            unread.extend(parts(schema));
        }
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Returns whether the text is in camel case with at least two words: a single word may be a
/// keyword.
fn is_phrase(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.contains(|char: char| char.is_ascii_uppercase())
        && text.chars().all(|char| char.is_ascii_alphanumeric())
}

#[test]
fn tags_are_module_names() {
    let document = Document::of_all_calls();
    let declared: Vec<_> = document.0["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| &tag["name"])
        .collect();
    for tag in &declared {
        assert!(is_identifier(tag.as_str().unwrap()), "{tag}");
    }
    for operation in document.operations() {
        let tags = operation["tags"].as_array().unwrap();
        let id = &operation["operationId"];
        assert!(
            tags.len() == 1 && declared.contains(&&tags[0]),
            "{id} has the tags {tags:?}, expected one of {declared:?}"
        );
    }
}

#[test]
fn names_are_unique_phrases() {
    let document = Document::of_all_calls();
    let mut seen = BTreeSet::new();
    for operation in document.operations() {
        let id = operation["operationId"].as_str().unwrap();
        assert!(
            is_phrase(id),
            "the id '{id}' is not two words or more in camel case, such as 'listAis'"
        );
        assert!(seen.insert(id.to_lowercase()), "the id {id} occurs twice");
    }
    for (name, _) in document.schemas() {
        let is_pascal =
            is_identifier(name) && name.starts_with(|first: char| first.is_ascii_uppercase());
        assert!(
            is_pascal,
            "the name '{name}' of a schema is not in Pascal case"
        );
        assert!(
            seen.insert(name.to_lowercase()),
            "the name {name} occurs twice, regardless of case"
        );
    }
}

#[test]
fn enumerated_symbols_have_names() {
    let document = Document::of_all_calls();
    let mut with_names = 0;
    visit(&document, |component, schema| {
        let Some(words) = schema["enum"].as_array() else {
            return;
        };
        let is_word = |word: &Value| {
            word.as_str()
                .is_some_and(|word| is_identifier(&word.replace('-', "_")))
        };
        if words.iter().all(is_word) {
            return;
        }
        let names = schema["x-enum-varnames"].as_array();
        let names = names
            .unwrap_or_else(|| panic!("{component} has symbols, but no x-enum-varnames: {schema}"));
        let different: BTreeSet<_> = names.iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(
            (names.len(), different.len()),
            (words.len(), words.len()),
            "{component}"
        );
        assert!(
            different.into_iter().all(is_identifier),
            "{component}: {names:?}"
        );
        with_names += 1;
    });
    assert_eq!(with_names, 1, "expected only the symbols of judgements");
}

#[test]
fn every_object_has_a_name_and_is_flat() {
    let document = Document::of_all_calls();
    visit(&document, |component, schema| {
        for key in ["allOf", "anyOf"] {
            assert!(schema.get(key).is_none(), "{component} has {key}: {schema}");
        }
        let whole: &Value = &document.0["components"]["schemas"][component];
        let is_component = std::ptr::eq(schema, whole);
        assert!(
            is_component || schema.get("properties").is_none(),
            "an object in {component}: {schema}"
        );
        assert!(
            is_component || schema.get("enum").is_none(),
            "an enumeration without a name in {component}: {schema}"
        );
    });
    for operation in document.operations() {
        let replies = operation["responses"].as_object().unwrap().values();
        let contents = replies
            .chain([&operation["requestBody"]])
            .filter_map(|body| body["content"].as_object());
        for (media_type, content) in contents.flatten() {
            let schema = &content["schema"];
            let named = if schema["type"] == "array" {
                &schema["items"]
            } else {
                schema
            };
            let is_text = *schema == json!({"type": "string"}) && !media_type.ends_with("json");
            let id = &operation["operationId"];
            assert!(
                named.get("$ref").is_some() || is_text,
                "{id} {media_type}: {schema}"
            );
        }
    }
}

#[test]
fn the_members_of_unions_are_disjoint() {
    let document = Document::of_all_calls();
    let (mut discriminated, mut disjoint) = (0, 0);
    visit(&document, |component, schema| {
        let Some(members) = schema["oneOf"].as_array() else {
            return;
        };
        if document.is_discriminated(schema) {
            discriminated += 1;
            return;
        }
        for (index, one) in members.iter().enumerate() {
            for other in &members[..index] {
                assert!(
                    document.are_disjoint(one, other),
                    "{component}: {one} and {other}"
                );
            }
        }
        for member in members
            .iter()
            .filter(|_| members.contains(&json!({"type": "null"})))
        {
            let member = document.resolved(member);
            assert!(
                member.get("if").is_none(),
                "{component} may be null, and has `if`: generators drop its type"
            );
        }
        disjoint += 1;
    });
    assert!(
        discriminated >= 5 && disjoint >= 20,
        "{discriminated} {disjoint}"
    );
    // Proves that the check can fail.
    let open = json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]});
    assert!(!document.are_disjoint(&open, &open));
    assert!(!document.are_disjoint(
        &json!({"type": "integer"}),
        &json!({"type": ["number", "null"]})
    ));
}

#[test]
fn streams_come_after_the_json_reply() {
    let document = Document::of_all_calls();
    let mut streams = 0;
    for operation in document.operations() {
        let content = operation["responses"]["200"]["content"].as_object();
        let Some(content) = content.filter(|content| content.contains_key("application/x-ndjson"))
        else {
            continue;
        };
        let id = &operation["operationId"];
        // Generators use the first media type.
        assert_eq!(
            content.keys().next().map(String::as_str),
            Some("application/json"),
            "{id}"
        );
        let reply = document.resolved(&content["application/json"]["schema"]);
        assert!(reply.get("oneOf").is_none(), "{id}");
        for media_type in ["application/x-ndjson", "text/event-stream"] {
            let record = document.resolved(&content[media_type]["schema"]);
            assert!(document.is_discriminated(record), "{id} {media_type}");
            assert!(
                record["discriminator"]["mapping"].get("result").is_some(),
                "{id} {media_type}"
            );
        }
        streams += 1;
    }
    assert!(streams >= 5, "{streams}");
}

#[test]
fn requests_have_bounds() {
    let document = Document::of_all_calls();
    let mut forms = Vec::new();
    for operation in document.operations() {
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let before = forms.len();
        document.with_references(body, &mut forms);
        let is_open = operation["tags"] == json!(["BlogChess"]);
        for form in &forms[before..] {
            if form["type"] == "object" && form.get("properties").is_some() {
                // The 2014 calls ignore unknown fields.
                let expected = if is_open { Value::Null } else { json!(false) };
                assert_eq!(form["additionalProperties"], expected, "{form}");
            }
        }
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        forms.extend(
            parameters
                .filter(|parameter| parameter["in"] == "query")
                .map(|parameter| &parameter["schema"]),
        );
    }
    let mut numbers = 0;
    for form in forms {
        let is_number = match &form["type"] {
            Value::Array(types) => types.contains(&json!("integer")),
            one => one == "integer",
        };
        if is_number {
            assert!(
                form["minimum"].is_number() && form["maximum"].is_number(),
                "no bounds: {form}"
            );
            numbers += 1;
        }
    }
    assert!(numbers > 12, "{numbers}");
}

#[test]
fn bounds_match_the_server() {
    fn check(document: &Document, name: &str, field: &str, bounds: RangeInclusive<u64>) {
        let field = &document.0["components"]["schemas"][name]["properties"][field];
        let found = (field["minimum"].as_u64(), field["maximum"].as_u64());
        assert_eq!(
            found,
            (Some(*bounds.start()), Some(*bounds.end())),
            "{name} {field}"
        );
    }
    let document = Document::of_all_calls();
    for (field, bounds) in [
        ("depth", DEPTHS),
        ("nodes", NODES),
        ("movetime_ms", MOVETIMES_MS),
        ("mate", MATES),
    ] {
        check(&document, "LimitForm", field, bounds);
    }
    for name in ["BestMoveForm", "CompareForm"] {
        check(&document, name, "lines", 1..=MAX_LINES.into());
    }
    check(&document, "TraceForm", "nodes", 1..=MAX_TRACE_NODES.into());
    let board = &document.0["components"]["schemas"]["Board"];
    for rows in [board, &board["items"]] {
        assert_eq!(
            (&rows["minItems"], &rows["maxItems"]),
            (&json!(8), &json!(8))
        );
    }
    let piece = &board["items"]["items"];
    assert_eq!(
        (&piece["minimum"], &piece["maximum"]),
        (&json!(-6), &json!(6))
    );
}
