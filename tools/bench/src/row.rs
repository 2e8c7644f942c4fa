//! The figures of a measurement, as JSON lines.

use serde::{Deserialize, Serialize};

/// What a contender achieved in each round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub group: String,
    pub work: String,
    /// More is better for a rate such as `requests/s`, and less for a time or a size.
    pub unit: String,
    pub contender: String,
    pub values: Vec<f64>,
}

impl Row {
    pub fn new(group: &str, work: &str, unit: &str, contender: &str, values: Vec<f64>) -> Self {
        let [group, work, unit, contender] = [group, work, unit, contender].map(str::to_owned);
        Self {
            group,
            work,
            unit,
            contender,
            values,
        }
    }

    pub fn print(&self) {
        println!("{}", serde_json::to_string(self).expect("a row is valid"));
    }
}
