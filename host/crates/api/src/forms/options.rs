//! The AI options that a request sets.

use std::collections::BTreeMap;

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, Object, OneOfBuilder, RefOr, Schema, Type},
};

use crate::{
    error::{Issue, WrongOptions, pointer_part},
    json::unique_keys,
    words::OptionCode,
};
use config::{shortened, values_of};
use game::RequestedOptions;
use pool::Ai;
use text::{is_control_or_bidi, printable, suggest};

/// The maximum number of characters in a text option.
const MAX_TEXT_CHARS: usize = 256;
/// The maximum number of issues in an error.
const MAX_ISSUES: usize = 50;
/// The maximum number of characters quoted from a client's text in a message.
const MAX_NAME_CHARS: usize = 64;
const MAX_LIST_CHARS: usize = 160;

/// The requested options by name.
#[derive(Clone, Debug, Default)]
pub struct OptionsForm(BTreeMap<String, Value>);

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OptionReply(Value);

impl PartialSchema for OptionReply {
    fn schema() -> RefOr<Schema> {
        let text = || Object::with_type(Type::String);
        OneOfBuilder::new()
            .description(Some("The value of an option."))
            .item(Object::with_type(Type::Boolean))
            .item(Object::with_type(Type::Number))
            .item(text())
            .item(ArrayBuilder::new().items(text()))
            .into()
    }
}

impl ToSchema for OptionReply {}

impl OptionsForm {
    /// Returns the options that a request sets for an AI.
    ///
    /// # Errors
    /// Every option that the AI does not declare or allow, or that the operator does not let
    /// requests set.
    pub fn read(form: Option<&Self>, ai: &Ai) -> Result<RequestedOptions, WrongOptions> {
        let Some(Self(written)) = form else {
            return Ok(RequestedOptions::default());
        };
        let mut set = Vec::new();
        let mut issues = Vec::new();
        for (name, value) in written {
            match read(name, value, ai) {
                Ok(setting) => set.push(setting),
                Err((code, message)) => {
                    let pointer = format!("/options{}", pointer_part(name));
                    issues.push(Issue {
                        code: code.into(),
                        message,
                        pointer,
                        ..Issue::default()
                    });
                }
            }
        }
        if !issues.is_empty() {
            let count = issues.len();
            issues.truncate(MAX_ISSUES);
            return Err(WrongOptions { issues, count });
        }
        Ok(RequestedOptions::new(set, ai.options()))
    }
}

impl From<BTreeMap<String, Value>> for OptionsForm {
    fn from(options: BTreeMap<String, Value>) -> Self {
        Self(options)
    }
}

impl OptionReply {
    /// Returns the values of options by name; `None` if there are none.
    pub fn map(options: &[OptionSetting]) -> Option<BTreeMap<String, Self>> {
        let reply = |setting: &OptionSetting| (setting.name.clone(), Self::from(&setting.value));
        (!options.is_empty()).then(|| options.iter().map(reply).collect())
    }
}

/// Returns whether requests may set an option.
pub fn is_open(spec: &OptionSpec, open: &[String]) -> bool {
    !spec.names_files() && !spec.secret && open.iter().any(|name| *name == *spec.name)
}

/// Converts a requested option to a setting.
///
/// # Errors
/// The issue's code and message.
fn read(name: &str, value: &Value, ai: &Ai) -> Result<OptionSetting, (OptionCode, String)> {
    let shown = shortened(name, MAX_NAME_CHARS);
    let Some(spec) = ai.about.options.iter().find(|spec| *spec.name == *name) else {
        let open = open_options(ai);
        let meant = suggest(name, open.iter().copied());
        let meant = meant.map_or_else(String::new, |meant| format!("did you mean '{meant}'? "));
        let message = format!(
            "there is no option '{shown}'; {meant}{}",
            may_set(&open, ai)
        );
        return Err((OptionCode::UnknownOption, message));
    };
    if !is_open(spec, &ai.settings.overridable_options) {
        let remedy = if spec.names_files() || spec.secret {
            ""
        } else {
            "; the operator can add it to the AI's overridable_options"
        };
        let message = format!(
            "requests may not set the option '{shown}'; {}{remedy}",
            may_set(&open_options(ai), ai)
        );
        return Err((OptionCode::OptionNotOverridable, message));
    }
    let setting = read_value(value, spec).map(|value| OptionSetting {
        name: spec.name.clone(),
        value,
    });
    setting.ok_or_else(|| {
        let allowed = match spec.kind {
            OptionKind::Text => {
                format!("one line of at most {MAX_TEXT_CHARS} characters")
            }
            _ => shortened(&values_of(&spec.kind), MAX_LIST_CHARS),
        };
        let message = format!(
            "the option '{shown}' is {}; it must be {allowed}",
            found(value)
        );
        (OptionCode::BadOptionValue, message)
    })
}

/// Returns the names of the options that requests may set.
fn open_options(ai: &Ai) -> Vec<&str> {
    let open = ai
        .about
        .options
        .iter()
        .filter(|spec| is_open(spec, &ai.settings.overridable_options));
    open.map(|spec| spec.name.as_str()).collect()
}

fn may_set(open: &[&str], ai: &Ai) -> String {
    match open {
        [] => format!("requests may not set any options of the AI '{}'", ai.id),
        open => {
            format!(
                "requests may set these options of the AI '{}': {}",
                ai.id,
                shortened(&open.join(", "), MAX_LIST_CHARS)
            )
        }
    }
}

fn read_value(value: &Value, spec: &OptionSpec) -> Option<OptionValue> {
    let value = match value {
        Value::Bool(flag) => OptionValue::Flag(*flag),
        Value::Number(number) => number
            .as_i64()
            .map(OptionValue::Integer)
            .or_else(|| number.as_f64().map(OptionValue::Decimal))?,
        Value::String(text) if spec.kind != OptionKind::Text || is_one_line(text) => {
            OptionValue::Text(text.as_str().into())
        }
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    spec.accept(&value)
}

fn is_one_line(text: &str) -> bool {
    text.chars().nth(MAX_TEXT_CHARS).is_none() && !text.contains(is_control_or_bidi)
}

/// Describes a value for a message.
fn found(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            shortened(&value.to_string(), MAX_NAME_CHARS)
        }
        Value::String(text) => format!("the text \"{}\"", shortened(text, MAX_NAME_CHARS)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

impl From<&OptionValue> for OptionReply {
    fn from(value: &OptionValue) -> Self {
        Self(match value {
            OptionValue::Flag(flag) => json!(flag),
            OptionValue::Integer(number) => json!(number),
            OptionValue::Decimal(number) => json!(number),
            OptionValue::Text(text) => printable(text).into(),
            OptionValue::List(texts) => texts.iter().map(|text| printable(text)).collect(),
        })
    }
}

impl<'de> Deserialize<'de> for OptionsForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        unique_keys(deserializer).map(Self)
    }
}
