//! A rollout as text.

use std::fmt;

use serde_json::Value;

use crate::cli::output::escaped;

/// An AI in the reply of `GET /v1/rollouts`.
pub(super) struct RolloutReport<'a>(pub(super) &'a Value);

impl fmt::Display for RolloutReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![self.heading()];
        lines.extend(self.sides());
        lines.extend(self.comparison());
        lines.extend(self.strength());
        for refusal in list(&self.0["refusals"]) {
            let (reason, detail) = (text(&refusal["reason"]), text(&refusal["detail"]));
            lines.push(format!("  against promotion, {reason}: {detail}"));
        }
        for fault in list(&self.0["faults"]) {
            let (code, detail) = (text(&fault["code"]), text(&fault["detail"]));
            lines.push(format!("  {code}: {detail}"));
        }
        for note in list(&self.0["notes"]) {
            lines.push(format!("  note: {}", text(note)));
        }
        let lines: Vec<_> = lines.iter().map(|line| escaped(line)).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl RolloutReport<'_> {
    fn heading(&self) -> String {
        let value = |key: &str| text(&self.0[key]);
        format!(
            "{} may be replaced by {}: shadow {}, canary {}, server {} since {}, kept in {}",
            value("ai"),
            value("candidate"),
            value("shadow"),
            value("canary"),
            value("process"),
            value("since"),
            if value("kept_in") == "arena" {
                "the arena's file"
            } else {
                "memory"
            },
        )
    }

    fn sides(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "  {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}  faults",
            "", "requests", "rejected", "measured", "p50 ms", "p99 ms"
        )];
        for side in ["ai", "candidate"] {
            let found = &self.0["sides"][side];
            let value = |key: &str| text(&found[key]);
            let faults = found["faults"].as_object().into_iter().flatten();
            let faults: Vec<_> = faults
                .map(|(code, count)| format!("{code} {count}"))
                .collect();
            lines.push(format!(
                "  {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}  {}",
                text(&self.0[side]),
                value("requests"),
                value("rejected"),
                value("measured"),
                value("p50_ms"),
                value("p99_ms"),
                faults.join(", ")
            ));
        }
        lines
    }

    fn comparison(&self) -> Vec<String> {
        let (copies, compared) = (&self.0["copies"], &self.0["comparison"]);
        let mut lines = vec![
            format!(
                "  copies: {} asked, {} dropped",
                copies["asked"], copies["dropped"]
            ),
            format!(
                "  moves: {} of {} agree",
                compared["agreed"], compared["moves"]
            ),
        ];
        let classes = list(&compared["score_differences"]).iter().map(|class| {
            let from = class["from_cp"].as_i64();
            let from = from.map_or("below".to_owned(), |from| format!("{from:+}"));
            format!("{from} {}", class["count"])
        });
        lines.push(format!(
            "  scores, candidate's minus AI's, by lower bound in centipawns: {}",
            classes.collect::<Vec<_>>().join(" | ")
        ));
        if let timed @ Value::Object(_) = &compared["equal_time"] {
            let pair = |key: &str| {
                let mean = |index: usize| timed[key][index].as_f64().unwrap_or_default();
                format!("{:.1} and {:.1}", mean(0), mean(1))
            };
            lines.push(format!(
                "  at equal time: depth {}, nodes {} in {} searches",
                pair("depth"),
                pair("nodes"),
                timed["searches"]
            ));
        }
        lines
    }

    fn strength(&self) -> Option<String> {
        let strength = &self.0["strength"];
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        let pairs = list(&strength["results"]["pairs"]);
        let pairs: u64 = pairs.iter().filter_map(Value::as_u64).sum();
        strength.as_object().map(|_| {
            let error = &strength["elo"]["error"];
            let error = error
                .as_f64()
                .map_or("?".to_owned(), |error| format!("{error:.0}"));
            format!(
                "  strength: {:+.0} ± {error} Elo after {pairs} pairs, LLR {:.2} of ±{:.2}, {}; \
                 {} positions waiting",
                number(&strength["elo"]["elo"]),
                number(&strength["llr"]),
                number(&strength["bounds"][1]),
                strength["accepted"].as_str().unwrap_or("not decided"),
                strength["positions"],
            )
        })
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a value without quotes; `-` for null.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        value => value.to_string(),
    }
}
