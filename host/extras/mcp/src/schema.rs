//! The schemas of tools, taken from the `OpenAPI` document of their calls.

use serde_json::{Map, Value, json};

use api::{call::Call, openapi};

const JSON: &str = "application/json";
const REFERENCE: &str = "#/components/schemas/";

/// The `OpenAPI` document.
pub(crate) struct SchemaDocument(Value);

impl SchemaDocument {
    pub(crate) fn of(calls: &[Call]) -> Self {
        Self(openapi::document(calls))
    }

    /// Returns the schema of a call's form.
    pub(crate) fn form_of(&self, call: &Call) -> Map<String, Value> {
        let mut form =
            self.standalone(&self.operation(call)["requestBody"]["content"][JSON]["schema"]);
        form.values_mut().for_each(without_null);
        form
    }

    /// Returns the schema of a call's reply.
    pub(crate) fn reply_of(&self, call: &Call) -> Map<String, Value> {
        self.standalone(self.reply(call))
    }

    /// Returns the schema of an object whose only field is a call's reply.
    pub(crate) fn list_of(&self, name: &str, call: &Call) -> Map<String, Value> {
        let properties = json!({name: self.reply(call)});
        self.standalone(&json!({"type": "object", "required": [name], "properties": properties}))
    }

    fn reply(&self, call: &Call) -> &Value {
        &self.operation(call)["responses"][call.status]["content"][JSON]["schema"]
    }

    fn operation(&self, call: &Call) -> &Value {
        &self.0["paths"][call.path][call.method.into_str().to_ascii_lowercase()]
    }

    fn component(&self, name: &str) -> &Value {
        &self.0["components"]["schemas"][name]
    }

    /// Returns a schema from the document with everything that it refers to.
    fn standalone(&self, schema: &Value) -> Map<String, Value> {
        let mut definitions = Map::new();
        let schema = match named(schema) {
            Some(name) => self.component(name),
            None => schema,
        };
        let mut schema = schema.clone();
        self.relocate(&mut schema, &mut definitions);
        let mut schema = match schema {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        // This description is the call's. The tool has its own.
        schema.remove("description");
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), definitions.into());
        }
        schema
    }

    /// Points the references of a schema at `definitions`, and adds their targets.
    fn relocate(&self, schema: &mut Value, definitions: &mut Map<String, Value>) {
        if let Some(name) = named(schema).map(str::to_owned) {
            schema["$ref"] = format!("#/$defs/{name}").into();
            if !definitions.contains_key(&name) {
                // Inserted first, because its own references may lead back to it.
                definitions.insert(name.clone(), Value::Null);
                let mut referred = self.component(&name).clone();
                self.relocate(&mut referred, definitions);
                definitions.insert(name, referred);
            }
        }
        match schema {
            Value::Object(fields) => fields
                .values_mut()
                .for_each(|field| self.relocate(field, definitions)),
            Value::Array(items) => items
                .iter_mut()
                .for_each(|item| self.relocate(item, definitions)),
            _ => {}
        }
    }
}

/// Removes null from the allowed values. A field of a form may be absent instead, so clients that
/// support only one type per value can use the schema.
fn without_null(schema: &mut Value) {
    let fields = match schema {
        Value::Object(fields) => fields,
        Value::Array(items) => return items.iter_mut().for_each(without_null),
        _ => return,
    };
    // This condition requires at least one field that is not null.
    if fields
        .get("not")
        .is_some_and(|not| *not == json!({"additionalProperties": {"type": "null"}}))
    {
        fields.shift_remove("not");
        fields.insert("minProperties".to_owned(), 1.into());
    }
    for key in ["type", "oneOf", "anyOf"] {
        let Some(Value::Array(kinds)) = fields.get_mut(key) else {
            continue;
        };
        let before = kinds.len();
        kinds.retain(|kind| kind != "null" && kind["type"] != "null");
        if let [only] = &mut kinds[..]
            && before > 1
        {
            match only.take() {
                Value::Object(only) => {
                    fields.shift_remove(key);
                    fields.extend(only);
                }
                only => fields[key] = only,
            }
        }
    }
    fields.values_mut().for_each(without_null);
}

fn named(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(REFERENCE)
}
