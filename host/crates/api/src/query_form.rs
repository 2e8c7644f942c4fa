//! Reads the form of a `POST` from the query of a `GET`.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use text::printable;

use crate::{
    error::{Malformed, pointer_part},
    json::parse,
    problem::Problem,
};

/// A query parameter.
pub struct QueryField {
    pub name: &'static str,
    /// The place of the parameter's value in the form, as a JSON pointer.
    pub pointer: &'static str,
    pub kind: FieldKind,
    pub description: &'static str,
    pub example: Option<&'static str>,
}

/// The value of a parameter.
#[derive(Clone, Copy)]
pub enum FieldKind {
    Text,
    /// A string that matches the pattern of its field in the form.
    Pattern(&'static str),
    /// An integer from 1 to a maximum.
    Number(u64),
    /// Strings, separated by commas.
    List,
}

impl FieldKind {
    fn value(self, text: String) -> Value {
        match self {
            Self::Text | Self::Pattern(_) => text.into(),
            // If the text is not a number, parsing the form reports it.
            Self::Number(_) => text
                .parse()
                .map_or_else(|_| text.into(), |number: u64| number.into()),
            Self::List if text.is_empty() => json!([]),
            Self::List => text.split(',').map(str::trim).collect(),
        }
    }
}

/// Reads the form in a query. Also returns the body of the equivalent `POST`.
///
/// # Errors
/// The query does not match `T`.
pub fn read<T: DeserializeOwned>(
    query: &str,
    fields: &[QueryField],
) -> Result<(T, String), Problem> {
    let body = body(query, fields)?.to_string();
    let form = parse(body.as_bytes()).map_err(|error| located(error.into(), fields))?;
    Ok((form, body))
}

/// Returns the body of the equivalent `POST`.
fn body(query: &str, fields: &[QueryField]) -> Result<Value, Malformed> {
    let invalid = |error: serde_urlencoded::de::Error| {
        Malformed::new(
            "",
            format!("the query is invalid: {}", printable(&format!("{error}"))),
        )
    };
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).map_err(invalid)?;
    let mut body = json!({"game": {}});
    for (name, text) in pairs {
        // Unknown parameters are rejected elsewhere.
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            continue;
        };
        if body.pointer(field.pointer).is_some() {
            let detail = format!("the parameter '{name}' occurs twice; send it once");
            return Err(Malformed::new(pointer_part(&name), detail));
        }
        let keys = field.pointer.split('/').skip(1);
        *keys.fold(&mut body, |place, key| &mut place[key]) = field.kind.value(text);
    }
    Ok(body)
}

/// Replaces a problem's pointers into the form with pointers to the parameters.
pub fn located(problem: Problem, fields: &[QueryField]) -> Problem {
    problem.located(|pointer| {
        let parameter = fields.iter().find_map(|field| {
            let rest = pointer.strip_prefix(field.pointer)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("/{}{rest}", field.name))
        });
        parameter.unwrap_or_else(|| pointer.to_owned())
    })
}

/// Returns the parameters for the `OpenAPI` document.
pub fn parameters(fields: &[QueryField]) -> Vec<Value> {
    let parameter = |field: &QueryField| {
        let kind = match field.kind {
            FieldKind::Number(maximum) => {
                json!({"type": "integer", "minimum": 1, "maximum": maximum})
            }
            FieldKind::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
            FieldKind::Text | FieldKind::List => json!({"type": "string"}),
        };
        let mut parameter = json!({
            "name": field.name,
            "in": "query",
            "required": false,
            "schema": kind,
            "description": field.description
        });
        if let Some(example) = field.example {
            parameter["example"] = match field.kind {
                FieldKind::Number(_) => field.kind.value(example.into()),
                FieldKind::Text | FieldKind::Pattern(_) | FieldKind::List => example.into(),
            };
        }
        parameter
    };
    fields.iter().map(parameter).collect()
}
