//! Tests that the sources of the generated document agree.

use std::collections::BTreeSet;

use serde_json::json;

use super::shape::FormRow;
use crate::{
    forms::game::GameForm,
    schemas::{Schemas, schema_of},
};

#[test]
fn every_key_of_a_game_belongs_to_a_form() {
    let mut schemas = Schemas::default();
    schema_of::<GameForm>(&mut schemas);
    let (_, whole) = schemas
        .of_types
        .iter()
        .find(|(name, _)| name == "GameForm")
        .unwrap();
    let whole = json!(whole);
    let of_forms: BTreeSet<_> = GameForm::FORMS
        .iter()
        .flat_map(
            |FormRow {
                 required, optional, ..
             }| required.iter().chain(*optional),
        )
        .copied()
        .collect();
    let keys: BTreeSet<_> = whole["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, of_forms, "the keys of `GameForm` and of `FORMS`");
}
