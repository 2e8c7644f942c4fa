//! The time control of a match.

use ai_api::Limits;
use clap::Args;

use config::{ClockControl, DEPTHS, MOVETIMES_MS, NODES};
use tournament::TimeControl;

#[derive(Debug, Args)]
#[group(multiple = false, required = false)]
pub(super) struct TimeControlArguments {
    /// Depth of each move in plies
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(*DEPTHS.start()..=*DEPTHS.end()),
    )]
    depth: Option<u64>,
    /// Nodes of each move
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(*NODES.start()..=*NODES.end()),
    )]
    nodes: Option<u64>,
    /// Time of each move in milliseconds
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(*MOVETIMES_MS.start()..=*MOVETIMES_MS.end()),
    )]
    movetime_ms: Option<u64>,
    /// Clock: [MOVES/]SECONDS[+SECONDS]
    #[arg(long, value_name = "1+0.1")]
    tc: Option<ClockControl>,
}

impl TimeControlArguments {
    /// Returns the time control of the arguments; by default 100 ms per move.
    pub(super) fn time_control(&self) -> TimeControl {
        const DEFAULT: Limits = Limits::movetime_ms(100);
        let depth = self.depth.map(|depth| depth as u32);
        let limits = Limits {
            depth,
            nodes: self.nodes,
            soft_ms: self.movetime_ms,
            hard_ms: self.movetime_ms,
            ..Limits::NONE
        };
        let limits = if limits == Limits::NONE {
            DEFAULT
        } else {
            limits
        };
        self.tc
            .map_or(TimeControl::Fixed(limits), TimeControl::Clock)
    }
}
