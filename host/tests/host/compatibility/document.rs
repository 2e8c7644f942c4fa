//! Losses that a client of an earlier `OpenAPI` document would notice in a later one.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Keys whose values only people read.
const TEXTS: [&str; 8] = [
    "info",
    "tags",
    "summary",
    "description",
    "example",
    "examples",
    "title",
    "externalDocs",
];

/// Returns the document without the keys in [`TEXTS`].
pub(super) fn without_texts(document: &Value) -> Value {
    reduced(document, false)
}

/// Removes the keys in [`TEXTS`], except from `properties`, whose keys are names of fields.
fn reduced(value: &Value, are_names: bool) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| are_names || !TEXTS.contains(&key.as_str()))
            .map(|(key, value)| {
                let of_names = !are_names && key == "properties";
                (key.clone(), reduced(value, of_names))
            })
            .collect(),
        Value::Array(items) => items.iter().map(|item| reduced(item, false)).collect(),
        other => other.clone(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    Request,
    Reply,
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    /// The named schemas being compared. A schema may contain itself.
    open: BTreeSet<(&'a str, &'a str, Direction)>,
}

/// Returns what an earlier document promises and a later one does not.
pub(super) fn losses(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison {
        old,
        new,
        open: BTreeSet::new(),
    };
    let mut losses = Vec::new();
    for (path, item) in fields(old, "paths") {
        for (method, call) in item.as_object().into_iter().flatten() {
            let at = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                Some(later) => {
                    // Generated clients use the id as a function name.
                    if later["operationId"] != call["operationId"] {
                        losses.push(format!("{at} is no longer {}", call["operationId"]));
                    }
                    losses.extend(comparison.call(call, later, &at));
                }
                None => losses.push(format!("{at} is gone")),
            }
        }
    }
    losses
}

fn fields<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value[key].as_object().into_iter().flat_map(Map::iter)
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// Returns the alternatives of a schema, or the schema itself if it has none.
fn variants(schema: &Value) -> Vec<&Value> {
    let several = ["oneOf", "anyOf"]
        .iter()
        .find_map(|key| schema[key].as_array());
    several.map_or_else(|| vec![schema], |variants| variants.iter().collect())
}

/// Returns the types of a schema; `number` includes `integer`.
fn types(schema: &Value) -> BTreeSet<&str> {
    let mut types: BTreeSet<_> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    if types.contains("number") {
        types.insert("integer");
    }
    types
}

impl<'a> Comparison<'a> {
    fn call(&mut self, old: &'a Value, new: &'a Value, at: &str) -> Vec<String> {
        let mut losses = Vec::new();
        let is_same =
            |one: &Value, other: &Value| ["name", "in"].iter().all(|key| one[key] == other[key]);
        for parameter in items(old, "parameters") {
            let at = format!("{at} ?{}", parameter["name"].as_str().unwrap_or_default());
            match items(new, "parameters").find(|later| is_same(parameter, later)) {
                Some(later) if later["required"] == true && parameter["required"] != true => {
                    losses.push(format!("{at} is required now"));
                }
                Some(later) => losses.extend(self.schema(
                    &parameter["schema"],
                    &later["schema"],
                    Direction::Request,
                    &at,
                )),
                None => losses.push(format!("{at} is gone")),
            }
        }
        for parameter in items(new, "parameters") {
            let is_known = items(old, "parameters").any(|known| is_same(known, parameter));
            if parameter["required"] == true && !is_known {
                losses.push(format!("{at} needs {} now", parameter["name"]));
            }
        }
        losses.extend(self.contents(
            &old["requestBody"],
            &new["requestBody"],
            Direction::Request,
            &format!("{at} request"),
        ));
        for (status, reply) in fields(old, "responses") {
            let at = format!("{at} {status}");
            match new["responses"].get(status) {
                Some(later) => losses.extend(self.contents(reply, later, Direction::Reply, &at)),
                None => losses.push(format!("{at} is gone")),
            }
        }
        losses
    }

    fn contents(
        &mut self,
        old: &'a Value,
        new: &'a Value,
        direction: Direction,
        at: &str,
    ) -> Vec<String> {
        let mut losses = Vec::new();
        for (kind, content) in fields(old, "content") {
            match new["content"].get(kind) {
                Some(later) => {
                    losses.extend(self.schema(&content["schema"], &later["schema"], direction, at));
                }
                None => losses.push(format!("{at} {kind} is gone")),
            }
        }
        losses
    }

    fn schema(
        &mut self,
        old: &'a Value,
        new: &'a Value,
        direction: Direction,
        at: &str,
    ) -> Vec<String> {
        if let (Some(one), Some(other)) = (old["$ref"].as_str(), new["$ref"].as_str()) {
            let is_open = !self.open.insert((one, other, direction));
            if is_open {
                return Vec::new();
            }
            let losses = self.schema(
                resolved(self.old, old),
                resolved(self.new, new),
                direction,
                at,
            );
            self.open.remove(&(one, other, direction));
            return losses;
        }
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        let (before, after) = (variants(old), variants(new));
        if before.len() > 1 || after.len() > 1 {
            return self.variants(&before, &after, direction, at);
        }
        let mut losses = own_losses(old, new, direction, at);
        for (name, property) in fields(old, "properties") {
            let at = format!("{at}.{name}");
            match new["properties"].get(name) {
                Some(later) => losses.extend(self.schema(property, later, direction, &at)),
                None => losses.push(format!("{at} is gone")),
            }
        }
        for key in ["items", "additionalProperties"] {
            if old[key].is_object() && new[key].is_object() {
                let at = format!("{at}[]");
                losses.extend(self.schema(&old[key], &new[key], direction, &at));
            }
        }
        for (part, later) in items(old, "allOf").zip(items(new, "allOf")) {
            losses.extend(self.schema(part, later, direction, at));
        }
        losses
    }

    /// Compares alternatives. A later document may have further alternatives, but a reply may not
    /// become `null`.
    fn variants(
        &mut self,
        before: &[&'a Value],
        after: &[&'a Value],
        direction: Direction,
        at: &str,
    ) -> Vec<String> {
        let mut losses = Vec::new();
        for old in before {
            let of_each = after.iter().map(|new| self.schema(old, new, direction, at));
            losses.extend(of_each.min_by_key(Vec::len).unwrap_or_default());
        }
        let is_null = |schema: &&Value| types(schema).contains("null");
        if direction == Direction::Reply && after.iter().any(is_null) && !before.iter().any(is_null)
        {
            losses.push(format!("{at} may be null now"));
        }
        losses
    }
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let pointer = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix('#'));
    pointer.map_or(schema, |pointer| document.pointer(pointer).unwrap())
}

/// Compares two schemas, but not the schemas nested in them.
fn own_losses(old: &Value, new: &Value, direction: Direction, at: &str) -> Vec<String> {
    let mut losses = Vec::new();
    let (before, after) = (types(old), types(new));
    let names = |schema: &Value| items(schema, "required").cloned().collect::<Vec<_>>();
    let (promised, needed) = (names(old), names(new));
    match direction {
        Direction::Request => {
            if !after.is_empty() && !before.is_subset(&after) {
                losses.push(format!("{at} no longer takes {before:?}, only {after:?}"));
            }
            for value in items(old, "enum") {
                if new["enum"].is_array() && !items(new, "enum").any(|later| later == value) {
                    losses.push(format!("{at} no longer takes {value}"));
                }
            }
            for name in needed.iter().filter(|name| !promised.contains(name)) {
                losses.push(format!("{at} needs {name} now"));
            }
            if new["additionalProperties"] == false && old["additionalProperties"] != false {
                losses.push(format!("{at} no longer takes further fields"));
            }
            for (key, sign) in [
                ("maximum", 1.0),
                ("maxLength", 1.0),
                ("maxItems", 1.0),
                ("minimum", -1.0),
                ("minLength", -1.0),
                ("minItems", -1.0),
            ] {
                let bound = |schema: &Value| {
                    schema[key]
                        .as_f64()
                        .map_or(f64::INFINITY, |bound| sign * bound)
                };
                if bound(new) < bound(old) {
                    losses.push(format!(
                        "{at} has another {key}: {} and no longer {}",
                        new[key], old[key]
                    ));
                }
            }
            if new["pattern"].is_string() && new["pattern"] != old["pattern"] {
                losses.push(format!("{at} has another pattern: {}", new["pattern"]));
            }
        }
        Direction::Reply => {
            if !before.is_empty() && (after.is_empty() || !after.is_subset(&before)) {
                losses.push(format!("{at} is {after:?} and no longer {before:?}"));
            }
            for name in promised.iter().filter(|name| !needed.contains(name)) {
                losses.push(format!("{at} may lack {name} now"));
            }
        }
    }
    losses
}

#[test]
fn finds_each_kind_of_loss() {
    let document = |schema: Value, status: &str, parameters: Value| {
        json!({"paths": {"/a": {"post": {
            "operationId": format!("a{status}"),
            "parameters": parameters,
            "requestBody": {"content": {"application/json": {"schema": schema.clone()}}},
            "responses": {status: {"content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Reply"}}}}},
        }}}, "components": {"schemas": {"Reply": schema}}})
    };
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "enum": ["x", "y"], "maxLength": 5},
        "b": {"type": ["integer", "null"]},
        "again": {"oneOf": [{"$ref": "#/components/schemas/Reply"}, {"type": "integer"}]},
    }});
    let query = json!([{"name": "q", "in": "query", "schema": {"type": "string"}}]);
    let old = document(schema.clone(), "200", query.clone());
    assert_eq!(losses(&old, &old), [""; 0]);
    let changed = |pointer: &str, value: Value| {
        let mut changed = schema.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        losses(&old, &document(changed, "200", query.clone()))
    };
    for (pointer, value, expected) in [
        (
            "/required",
            json!(["a", "b"]),
            "POST /a request needs \"b\" now",
        ),
        ("/required", json!([]), "POST /a 200 may lack \"a\" now"),
        (
            "/properties/a/enum",
            json!(["x"]),
            "POST /a request.a no longer takes \"y\"",
        ),
        (
            "/properties/a/maxLength",
            json!(4),
            "POST /a request.a has another maxLength: 4 and no longer 5",
        ),
        (
            "/properties/a/type",
            json!(["string", "null"]),
            "POST /a 200.a is {\"null\", \"string\"} and no longer {\"string\"}",
        ),
        (
            "/properties/b/type",
            json!("integer"),
            "POST /a request.b no longer takes {\"integer\", \"null\"}, only {\"integer\"}",
        ),
        (
            "/properties/again/oneOf/1/type",
            json!("null"),
            "POST /a 200.again may be null now",
        ),
    ] {
        let found = changed(pointer, value);
        assert!(
            found.iter().any(|loss| loss == expected),
            "{expected}: {found:?}"
        );
    }
    let mut smaller = schema.clone();
    smaller["properties"].as_object_mut().unwrap().remove("b");
    assert_eq!(
        losses(
            &old,
            &document(
                smaller,
                "201",
                json!([{"name": "r", "in": "query", "required": true}])
            )
        ),
        [
            "POST /a is no longer \"a200\"",
            "POST /a ?q is gone",
            "POST /a needs \"r\" now",
            "POST /a request.b is gone",
            "POST /a request.again.b is gone",
            "POST /a 200 is gone",
        ]
    );
    // Additions are not losses.
    let mut larger = schema.clone();
    larger["properties"]["c"] = json!({"type": "string"});
    larger["properties"]["a"]["enum"] = json!(["x", "y", "z"]);
    assert_eq!(
        losses(&old, &document(larger, "200", query.clone())),
        [""; 0]
    );
    assert_eq!(losses(&old, &json!({"paths": {}})), ["POST /a is gone"]);
}
