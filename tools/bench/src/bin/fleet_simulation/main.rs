//! Simulates the dispatch of a fleet, and says where its design ends.

mod arguments;
mod scenario;
mod random;
mod fair_queue;
mod gateway;
mod node;
mod job;
mod fleet;
mod measures;
mod queue_groups;
mod thread_costs;
mod report;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use arguments::Command;
use report::{Report, Run};

fn main() -> ExitCode {
    match Command::parse(std::env::args().skip(1)) {
        Ok(Command::Help) => print!("{}", arguments::HELP),
        Ok(Command::Tables { base, json }) => {
            let report = Report::new(&base);
            print(json, &report, Report::markdown);
        }
        Ok(Command::One { scenario, json }) => print(json, &Run::new(scenario), report::single),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn print<T: serde::Serialize>(json: bool, value: &T, markdown: impl Fn(&T) -> String) {
    if json {
        println!("{}", serde_json::to_string_pretty(value).expect("figures are plain"));
    } else {
        print!("{}", markdown(value));
    }
}
