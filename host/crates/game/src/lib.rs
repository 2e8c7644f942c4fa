//! The game service: asks AIs about games, checks their results and judges moves.
//!
//! This crate does not depend on JSON or HTTP. Its types come from the rules of chess and from the
//! pool.

pub mod clock;
pub mod judgement;

mod accuracy;
mod answered;
mod answers;
mod ask;
mod candidate;
mod client;
mod compare;
mod error;
mod evaluation;
mod extra;
mod limits;
mod observers;
mod options;
mod play;
mod report;
mod responder;
mod seeds;
mod service;
mod smoke;
mod spread;
mod tablebase;
mod terms;
mod why;

pub use answered::{
    AnsweredRequest, MoveAnswer, PendingReply, RolloutAnswer, RolloutQuestion, RolloutSide,
    SearchQuestion,
};
pub use answers::{AnswerCounts, Origin};
pub use ask::{job, known_score, legal_move, playable_line, playable_lines, wrong_response};
pub use candidate::identity_of;
pub use client::Client;
pub use compare::Comparison;
pub use error::ServiceError;
pub use extra::{Extra, Extras};
pub use limits::{Limit, RequestedSearch, SearchLimits, StoppedBy};
pub use options::RequestedOptions;
pub use play::{ChosenMove, Played, SearchReport};
pub use report::{JudgedGame, JudgedMove, MovesToJudge, Report, ReportObserver};
pub use responder::Responder;
pub use seeds::{has_seeds, with_seeds};
pub use service::{ChooseListener, GameService};
pub use smoke::smoke_tests;
pub use spread::spread;
pub use tablebase::probe;
pub use why::{Reasons, SecondMove, reasons};
