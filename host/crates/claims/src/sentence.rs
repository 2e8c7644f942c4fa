//! Claims in words.

use std::sync::LazyLock;

use ai_api::Role;
use serde_json::{Map, Value};

use crate::claim::{Claim, ClaimKind, PlacedPiece};

/// The sentences in English and German. The web page uses the same file.
const SENTENCES: &str = include_str!("sentences.json");

static ENGLISH: LazyLock<Value> = LazyLock::new(|| {
    let all: Value = serde_json::from_str(SENTENCES).expect("the file is JSON, as a test checks");
    all["en"].clone()
});

/// Returns the beginnings of the English sentences for a kind of claim. They identify the sentences
/// in a longer text.
pub fn sentence_starts(kind: &str) -> Vec<&'static str> {
    let sentence = &ENGLISH["sentences"][kind];
    let one = sentence.as_str().into_iter();
    let several = sentence.as_object().into_iter().flat_map(Map::values);
    one.chain(several.filter_map(Value::as_str))
        .filter_map(|template| template.split('{').next())
        .collect()
}

impl Claim {
    /// Returns the claim in English, such as `leaves the knight on c6 hanging`.
    pub fn text(&self) -> String {
        let kind: &str = self.kind.into();
        let sentence = &ENGLISH["sentences"][kind];
        let template = match self.kind {
            ClaimKind::OnlyMove => {
                let evidence = self.evidence.map_or("", Into::into);
                &sentence[evidence]
            }
            _ => sentence,
        };
        filled(template, |name, case| self.value_of(name, case))
    }

    /// Returns the text for a field of a sentence.
    fn value_of(&self, name: &str, case: &str) -> String {
        let placed = |piece: &PlacedPiece| on_square(*piece, case);
        match name {
            "prize" => self.prize(),
            "piece" => self
                .piece
                .map_or_else(String::new, |role| piece(role, case)),
            "square" => self
                .square
                .map_or_else(String::new, |square| square.to_string()),
            "value" => self.value.unwrap_or_default().to_string(),
            "moves" => self.moves.unwrap_or_default().to_string(),
            "by" => self.by.as_ref().map_or_else(String::new, placed),
            "behind" => self.behind.as_ref().map_or_else(String::new, placed),
            "targets" => joined(self.targets.iter().map(placed).collect()),
            "attackers" => self.attackers.len().to_string(),
            "defenders" => self.defenders.len().to_string(),
            "opening" => self.opening.clone().unwrap_or_default(),
            "before" | "after" => self.results.map_or_else(String::new, |[before, after]| {
                let result = if name == "before" { before } else { after };
                word(&ENGLISH["results"][name][result.name()])
            }),
            "term" => self.term.as_deref().unwrap_or_default().replace('_', " "),
            "change" => format!("{:+}", self.change.unwrap_or_default()),
            _ => String::new(),
        }
    }

    /// Names what the line wins.
    fn prize(&self) -> String {
        use Role::{Bishop, Knight, Rook};
        let words = &ENGLISH["words"];
        match self
            .exchange
            .as_ref()
            .map(|[lost, won]| (&lost[..], &won[..]))
        {
            Some(([Rook], [Knight | Bishop])) => word(&words["exchange"]),
            Some((lost @ ([_] | [_, _]), [])) => listed(lost),
            Some((lost @ ([_] | [_, _]), won @ ([_] | [_, _]))) => {
                filled(&words["traded"], |name, _| {
                    listed(if name == "lost" { lost } else { won })
                })
            }
            _ => filled(&words["material"], |name, case| self.value_of(name, case)),
        }
    }
}

/// Replaces each `{name}` and `{name:case}` of a template.
fn filled(template: &Value, value_of: impl Fn(&str, &str) -> String) -> String {
    let mut parts = template.as_str().unwrap_or_default().split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (field, rest) = part.split_once('}').unwrap_or((part, ""));
        let (name, case) = field.split_once(':').unwrap_or((field, ""));
        text += &value_of(name, case);
        text += rest;
    }
    text
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn piece(role: Role, case: &str) -> String {
    word(&ENGLISH["pieces"][case][role.name()])
}

fn on_square(placed: PlacedPiece, case: &str) -> String {
    filled(&ENGLISH["words"]["on"], |name, _| match name {
        "piece" => piece(placed.role, case),
        _ => placed.square.to_string(),
    })
}

/// Names one or two pieces.
fn listed(roles: &[Role]) -> String {
    match *roles {
        [first, second] if first == second => piece(first, "two"),
        _ => joined(roles.iter().map(|&role| piece(role, "a")).collect()),
    }
}

fn joined(phrases: Vec<String>) -> String {
    let both = |first: String, second: String| {
        filled(&ENGLISH["words"]["and"], |name, _| match name {
            "first" => first.clone(),
            _ => second.clone(),
        })
    };
    phrases.into_iter().reduce(both).unwrap_or_default()
}
