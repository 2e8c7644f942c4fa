//! Shapes schemas so that generators make good types from them: objects are flat, the members of a
//! union have names, and the document contains only what a call uses.

use std::{collections::BTreeSet, mem};

use serde_json::{Map, Value, json};

const REFERENCE: &str = "#/components/schemas/";

/// One form of a union: an object that has only some of another object's fields.
pub struct FormRow {
    pub name: &'static str,
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
}

/// Merges `allOf` in every schema and names the members of unions.
pub fn flatten(schemas: &mut Map<String, Value>) {
    let nested = schemas.clone();
    for schema in schemas.values_mut() {
        *schema = merged(schema, &nested);
    }
    let names: Vec<_> = schemas.keys().cloned().collect();
    for name in names {
        let mut schema = schemas[&name].take();
        for member in schema
            .get_mut("oneOf")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            name_member(member, schemas);
        }
        schemas[&name] = schema;
    }
}

/// Returns a schema with its `allOf` merged into one object.
fn merged(schema: &Value, schemas: &Map<String, Value>) -> Value {
    let Some(parts) = schema["allOf"].as_array() else {
        return schema.clone();
    };
    let mut whole = Map::new();
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let mut part = match part["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix(REFERENCE))
        {
            Some(name) => merged(&schemas[name], schemas),
            None => merged(part, schemas),
        };
        if let Value::Array(fields) = part["required"].take() {
            required.extend(fields);
        }
        if let Value::Object(fields) = part["properties"].take() {
            properties.extend(fields);
        }
        let Value::Object(keywords) = part else {
            continue;
        };
        whole.extend(keywords);
    }
    let own = schema
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "allOf");
    whole.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    whole.insert("required".to_owned(), required.into());
    whole.insert("properties".to_owned(), properties.into());
    whole.into()
}

/// Replaces an object that has a title with a reference to a new schema of this name, which allows
/// no other fields.
fn name_member(member: &mut Value, schemas: &mut Map<String, Value>) {
    let Some(name) = member["title"].as_str().map(str::to_owned) else {
        return;
    };
    let reference = json!({"$ref": format!("{REFERENCE}{name}")});
    let mut object = mem::replace(member, reference);
    object["additionalProperties"] = false.into();
    object
        .as_object_mut()
        .expect("it has a title")
        .remove("title");
    schemas.insert(name, object);
}

/// Replaces an object with a union of forms, each with some of its fields and no others. Only the
/// fields of the form without required fields may be null.
pub fn split(object: &str, forms: &[FormRow], schemas: &mut Map<String, Value>) {
    let whole = schemas[object].take();
    let nullable = forms
        .iter()
        .find(|form| form.required.is_empty())
        .map_or(&[] as &[_], |form| form.optional);
    let references = forms.iter().map(
        |FormRow {
             name,
             required,
             optional,
         }| {
            let fields = required.iter().chain(*optional);
            let mut properties: Map<_, _> = fields
                .map(|field| ((*field).to_owned(), whole["properties"][field].clone()))
                .collect();
            for (field, schema) in &mut properties {
                if !nullable.contains(&field.as_str()) {
                    require_value(schema);
                }
            }
            let mut form =
                json!({"type": "object", "properties": properties, "additionalProperties": false});
            if !required.is_empty() {
                form["required"] = json!(required);
            }
            schemas.insert((*name).to_owned(), form);
            json!({"$ref": format!("{REFERENCE}{name}")})
        },
    );
    let references: Vec<_> = references.collect();
    schemas[object] = json!({"description": whole["description"], "oneOf": references});
}

/// Excludes null from a schema.
fn require_value(schema: &mut Value) {
    if let Some(types) = schema["type"].as_array() {
        let other = types.iter().find(|name| **name != "null").cloned();
        schema["type"] = other.expect("a type other than null");
    } else if let Some(members) = schema["oneOf"].as_array() {
        let other = members
            .iter()
            .find(|member| member["type"] != "null")
            .cloned();
        *schema = other.expect("a member other than null");
    }
}

/// Requires that at least one field of an object is present and not null.
pub fn require_one(schema: &mut Value) {
    schema["not"] = json!({"additionalProperties": {"type": "null"}});
}

/// Excludes the objects that match `excluded` from a schema. Uses `if`, which code generators
/// ignore, because they would create types from the fields in `not`. However, they lose the type of
/// a nullable object with `if`.
pub fn exclude(schema: &mut Value, excluded: Value) {
    schema["if"] = excluded;
    // Always fails, because an excluded object has at least one field.
    schema["then"] = json!({"maxProperties": 0});
}

/// Returns the name of the schema that a reference points to.
pub fn name(reference: &Value) -> String {
    let path = reference["$ref"].as_str().unwrap_or_default();
    path.trim_start_matches(REFERENCE).to_owned()
}

/// Removes the schemas that nothing refers to.
pub fn remove_unused(schemas: &mut Map<String, Value>, paths: &Value) {
    let mut used = BTreeSet::new();
    let mut unread = vec![paths.to_string()];
    while let Some(text) = unread.pop() {
        for name in text
            .split(&format!("\"{REFERENCE}"))
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            if used.insert(name.to_owned()) {
                unread.push(schemas[name].to_string());
            }
        }
    }
    schemas.retain(|name, _| used.contains(name));
}
