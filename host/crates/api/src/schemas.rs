//! The schemas of the `OpenAPI` document.

use serde_json::{Map, Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

/// Returns a schema, and adds the schemas that it refers to.
pub type SchemaOf = fn(&mut Schemas) -> Value;

/// Every referenced schema by its name.
#[derive(Default)]
pub struct Schemas {
    /// The schemas generated from types.
    pub of_types: Vec<(String, RefOr<Schema>)>,
    /// The hand-written schemas.
    pub written: Map<String, Value>,
    /// The objects that a schema excludes, by the name of the schema.
    pub excluded: Vec<(String, Value)>,
}

/// Adds a hand-written schema and returns a reference to it.
pub fn written(name: &str, schema: Value, schemas: &mut Schemas) -> Value {
    schemas.written.insert(name.to_owned(), schema);
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Adds the schema of a type with every schema that it refers to, and returns a reference to it.
pub fn schema_of<T: ToSchema + PartialSchema>(schemas: &mut Schemas) -> Value {
    T::schemas(&mut schemas.of_types);
    let name = T::name().into_owned();
    schemas.of_types.push((name.clone(), T::schema()));
    json!({"$ref": format!("#/components/schemas/{name}")})
}
