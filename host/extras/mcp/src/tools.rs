//! The tools. Each uses the form, function and reply of an API call.

use std::{
    cell::Cell,
    pin::Pin,
    sync::{Arc, LazyLock},
};

use rmcp::model::{Tool as ListedTool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{schema::SchemaDocument, text};
use api::{
    call::Call,
    calls::{
        best_move, compare, evaluate, legal_moves, reachable, report, tablebase, validate, why,
    },
    forms::game::GameForm,
    json::parse,
    problem::{Code, Problem},
    reply::JsonReply,
};
use game::{Client, GameService};
use server::{
    calls::{ais, searches},
    state::{server_state::ServerState, snapshot::Snapshot},
};

/// What the tools work with: the settings, the AIs and the client that calls them.
pub(crate) struct ToolSession {
    pub(crate) state: ServerState,
    pub(crate) generation: Snapshot,
    pub(crate) client: Client,
    /// The error code of the last tool that failed.
    pub(crate) failed: Cell<Option<Code>>,
}

impl ToolSession {
    pub(crate) fn new(state: &ServerState, generation: Snapshot, client: Client) -> Self {
        Self {
            state: state.clone(),
            generation,
            client,
            failed: Cell::default(),
        }
    }

    fn service(&self) -> &GameService {
        self.generation.service()
    }
}

/// The reply of a call, in JSON. Dropping the future cancels the work.
type RunningTool<'a> = Pin<Box<dyn Future<Output = Result<Value, Problem>> + 'a>>;

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    title: &'static str,
    /// The text from which a language model learns when to use the tool.
    description: &'static str,
    call: &'static Call,
    /// Runs the call with arguments in JSON.
    pub(crate) run: for<'a> fn(&'a ToolSession, &'a [u8]) -> RunningTool<'a>,
    /// Describes a reply, line by line.
    pub(crate) describe: fn(&Value) -> Vec<String>,
}

/// Runs a call as a tool. `$reply` computes the reply from a [`ToolSession`] and the form.
macro_rules! run {
    (|$session:ident, $form:ident| $reply:expr) => {
        |$session, arguments| {
            Box::pin(async move {
                let $form = &parse(arguments)?;
                value_of(&$reply)
            })
        }
    };
}

pub(crate) static TOOLS: [Tool; 10] = [
    Tool {
        name: "legal_moves",
        title: "Legal moves",
        description: "Lists the legal moves of the last position of a game, or of the piece on \
            one square.",
        call: &legal_moves::CALL,
        run: run!(|session, form| legal_moves::respond(session.service(), form)?),
        describe: text::legal_moves,
    },
    Tool {
        name: "validate_game",
        title: "Validate a game",
        description: "Checks every move of a game. Returns the position, the result and the \
                      opening, or names each illegal move and why it is illegal.",
        call: &validate::CALL,
        run: run!(|session, form| validate::respond(session.service(), form)?),
        describe: |_| vec!["The game is legal.".to_owned()],
    },
    Tool {
        name: "best_move",
        title: "Best move",
        description: "Lets an AI choose a move and plays it: returns the move, its score for \
                      White, the expected line and the new game. `limit` bounds the search, such \
                      as {\"depth\": 8} or {\"movetime_ms\": 1000}. To judge a position rather \
                      than play, set `analysis`: an AI with an opening book then searches.",
        call: &best_move::CALL,
        run: run!(|session, form| {
            best_move::respond(session.service(), &session.client, form, None).await?
        }),
        describe: text::best_move,
    },
    Tool {
        name: "compare_ais",
        title: "Compare AIs",
        description: "Asks several AIs for a move in the last position of a game, and says which \
            agree. `list_ais` returns their ids.",
        call: &compare::CALL,
        run: run!(|session, form| {
            searches::compared(&session.generation, &session.client, form, None).await?
        }),
        describe: text::compare,
    },
    Tool {
        name: "evaluate",
        title: "Evaluate",
        description: "Returns an AI's static evaluation of the last position of a game, without a \
                      search, if `list_ais` says that the AI is an evaluator.",
        call: &evaluate::CALL,
        run: run!(
            |session, form| evaluate::respond(session.service(), &session.client, form).await?
        ),
        describe: text::evaluate,
    },
    Tool {
        name: "report",
        title: "Report",
        description: "Lets an AI judge every move of a game: inaccuracies, mistakes and blunders, \
                      each with the better move and with `claims` that say why. Each claim has the \
                      line that proves it; use only these to explain a move. Searches each \
                      position; a small `limit`, such as {\"depth\": 6}, keeps it short.",
        call: &report::CALL,
        run: run!(|session, form| searches::reported(
            &session.generation,
            &session.client,
            form,
            None
        )
        .await?),
        describe: text::report,
    },
    Tool {
        name: "why",
        title: "Why a move is good, bad or illegal",
        description: "Says why a move, in UCI or SAN, is good or bad in the last position of a \
                      game. Returns the judgement and the claims, each with the line that proves \
                      it. Use only these claims to explain the move; if there are none, nothing is \
                      proven. For an illegal move, returns what prevents it.",
        call: &why::CALL,
        run: run!(|session, form| {
            searches::explained(&session.generation, &session.client, form).await?
        }),
        describe: text::why,
    },
    Tool {
        name: "why_illegal",
        title: "Why a move is illegal",
        description: "Explains where the piece on a square of the last position can go, and for \
                      each square that it cannot go to, why not: the piece in the way, a pin, a \
                      check.",
        call: &reachable::CALL,
        run: run!(|session, form| reachable::respond(session.service(), form)?),
        describe: text::reachable,
    },
    Tool {
        name: "tablebase",
        title: "Tablebase",
        description: "Returns the exact result of a position with few pieces, and of each of its \
            moves, from endgame tables.",
        call: &tablebase::CALL,
        run: run!(|session, form| {
            tablebase::respond(session.service(), &session.client, form).await?
        }),
        describe: text::tablebase,
    },
    Tool {
        name: "list_ais",
        title: "AIs",
        description: "Lists the AIs with their ids, kinds, options and limits.",
        call: &ais::ALL.call,
        run: |session, arguments| {
            Box::pin(async move {
                let NoArguments {} = parse(arguments)?;
                let ais = ais::describe_all(&session.state, &session.generation, &session.client);
                value_of(&json!({"ais": ais}))
            })
        },
        describe: text::ais,
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

fn value_of(reply: &impl JsonReply) -> Result<Value, Problem> {
    let mut text = Vec::new();
    let value = reply
        .write_json(&mut text)
        .and_then(|()| serde_json::from_slice(&text));
    value.map_err(|error| Problem::new(Code::Internal, error.to_string()))
}

impl Tool {
    /// Returns the position that a reply is about, in FEN: the last position of the game in the
    /// reply, or else in the arguments.
    pub(crate) fn position(
        &self,
        session: &ToolSession,
        arguments: &[u8],
        reply: &Value,
    ) -> Option<String> {
        #[derive(Deserialize)]
        struct HasGame {
            game: GameForm,
        }
        if let Some(fen) = reply["game"]["fen"].as_str() {
            return Some(fen.to_owned());
        }
        self.call.form?;
        let HasGame { game } = parse(arguments).ok()?;
        let setup = game
            .read_setup(session.generation.config().server.max_plies)
            .ok()?;
        Some(rules::format_setup(&setup))
    }

    fn listed(&self, document: &SchemaDocument) -> ListedTool {
        let (input, output) = if self.call.form.is_some() {
            (document.form_of(self.call), document.reply_of(self.call))
        } else {
            (object(json!({})), document.list_of("ais", self.call))
        };
        let annotations = ToolAnnotations::new()
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        ListedTool::new(self.name, self.description, input)
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations)
    }
}

fn object(properties: Value) -> Map<String, Value> {
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    schema.insert("properties".to_owned(), properties);
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// The tools as listed to clients.
pub(crate) static LISTED: LazyLock<Vec<ListedTool>> = LazyLock::new(|| {
    let document = SchemaDocument::of(&TOOLS.each_ref().map(|tool| *tool.call));
    TOOLS.iter().map(|tool| tool.listed(&document)).collect()
});
