//! Describes replies for a language model: the meaning, the board, FEN and SAN.

use ai_api::Color;
use formats::{FormatName, GameRecord};
use rules::Game;
use serde_json::Value;
use text::counted;

/// Describes the position and the game of a reply.
pub(crate) fn position(fen: &str, game: &Value) -> Vec<String> {
    let mut lines = vec![match rules::parse_fen(fen) {
        Ok(position) => FormatName::Text
            .format()
            .export(&GameRecord::at(position))
            .trim_end()
            .to_owned(),
        // Clients can ask about illegal positions.
        Err(_) => format!("FEN: {fen}"),
    }];
    lines.extend(moves_in_san(game).map(|moves| format!("Moves: {moves}")));
    lines.extend(
        game["opening"]["name"]
            .as_str()
            .map(|name| format!("Opening: {name}")),
    );
    if game["status"].is_object() {
        lines.push(status(&game["status"]));
    }
    lines
}

fn moves_in_san(game: &Value) -> Option<String> {
    let moves: Vec<_> = game["moves"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let game = Game::from_moves(game["start_fen"].as_str(), &moves).ok()?;
    (!moves.is_empty()).then(|| FormatName::San.format().export(&GameRecord::of(game)))
}

fn status(status: &Value) -> String {
    let reason = words(&status["reason"]);
    match (word(&status["state"]), word(&status["winner"])) {
        ("win", winner) => format!("{} won by {reason}.", capitalized(winner)),
        ("draw", _) => format!("The game is drawn by {reason}."),
        _ => {
            let check = if status["check"] == true {
                ", in check"
            } else {
                ""
            };
            let claims: Vec<_> = status["claims"]
                .as_array()
                .into_iter()
                .flatten()
                .map(words)
                .collect();
            let claims = if claims.is_empty() {
                String::new()
            } else {
                format!("; a draw can be claimed by {}", claims.join(" or "))
            };
            format!(
                "{} to move{check}{claims}.",
                capitalized(word(&status["turn"]))
            )
        }
    }
}

pub(crate) fn legal_moves(reply: &Value) -> Vec<String> {
    let moves: Vec<_> = sans(&reply["moves"]).collect();
    vec![match moves.len() {
        0 => "There is no legal move.".to_owned(),
        count => format!("{}: {}", counted(count, "legal move"), moves.join(" ")),
    }]
}

pub(crate) fn best_move(reply: &Value) -> Vec<String> {
    vec![format!(
        "{} plays {}",
        word(&reply["ai"]["id"]),
        chosen(reply)
    )]
}

pub(crate) fn compare(reply: &Value) -> Vec<String> {
    let answer = |answer: &Value| {
        let id = word(&answer["ai"]["id"]);
        match answer["error"]["detail"].as_str() {
            Some(detail) => format!("{id} failed: {detail}"),
            None => format!("{id} plays {}", chosen(answer)),
        }
    };
    list(&reply["answers"]).map(answer).collect()
}

/// Describes the move, the score and the line of a search.
fn chosen(reply: &Value) -> String {
    let Some(san) = reply["move"]["san"].as_str() else {
        return "nothing: the game is over".to_owned();
    };
    let line: Vec<_> = list(&reply["search"]["san"]).map(word).collect();
    let search = &reply["search"];
    // Game reports recognize unsearched scores by the same rule.
    let is_shallow = search["depth"] == 0 || search["depth"] == 1 && search["stopped_by"] == "ai";
    let is_guess = is_shallow && search["nodes"].as_u64() <= Some(1);
    let is_zero = search["depth"] == 0 && reply["score"]["cp"] == 0;
    let score = if reply["score"]["cp"].is_i64() && (is_guess || is_zero) {
        "not searched".to_owned()
    } else {
        score(&reply["score"])
    };
    let uci = word(&reply["move"]["uci"]);
    let line = if line.is_empty() {
        String::new()
    } else {
        format!("; expected: {}", line.join(" "))
    };
    format!("{san} ({uci}); {score}{line}")
}

pub(crate) fn evaluate(reply: &Value) -> Vec<String> {
    let term = |term: &Value| format!("{}: {}", word(&term["name"]), score(&term["score"]));
    [score(&reply["score"])]
        .into_iter()
        .chain(list(&reply["terms"]).map(term))
        .collect()
}

pub(crate) fn report(reply: &Value) -> Vec<String> {
    let Some(games) = reply["games"].as_array() else {
        return judged_game(reply);
    };
    let game = |(index, game)| {
        [format!("Game {}:", index + 1)]
            .into_iter()
            .chain(judged_game(game))
    };
    games.iter().enumerate().flat_map(game).collect()
}

fn judged_game(reply: &Value) -> Vec<String> {
    // The number of half-moves before the game's start position.
    let start = reply["game"]["start_fen"]
        .as_str()
        .and_then(|fen| rules::parse_fen(fen).ok());
    let before = start.map_or(0, |start| {
        2 * u64::from(start.fullmove_number() - 1) + u64::from(start.turn() == Color::Black)
    });
    let judged = |judged: &Value| {
        let ply = before + judged["ply"].as_u64()?;
        let dots = if ply % 2 == 1 { "." } else { "..." };
        let (san, glyph, judgement) = (
            word(&judged["move"]["san"]),
            judged["glyph"].as_str()?,
            words(&judged["judgement"]),
        );
        let article = if judgement == "inaccuracy" { "an" } else { "a" };
        let best = judged["best"]["move"]["san"]
            .as_str()
            .map(|best| format!(" ({best} was better)"))
            .unwrap_or_default();
        let theory = judged["opening"]["name"]
            .as_str()
            .map(|opening| format!("; it is theory: {opening}"))
            .unwrap_or_default();
        let why = proven(judged).map(|claim| format!("\n  {claim}"));
        Some(format!(
            "{}{dots} {san}{glyph} is {article} {judgement}{best}{theory}{}",
            ply.div_ceil(2),
            why.collect::<String>()
        ))
    };
    let accuracy = ["white", "black"].into_iter().filter_map(|side| {
        let percent = reply["accuracy"][side].as_f64()?;
        Some(format!("{}'s accuracy: {percent} %", capitalized(side)))
    });
    list(&reply["moves"])
        .filter_map(judged)
        .chain(accuracy)
        .collect()
}

/// Returns each claim about a move, with the line that proves it.
fn proven(judged: &Value) -> impl Iterator<Item = String> {
    list(&judged["claims"]).map(|claim| {
        let line = joined(&claim["san"]);
        let instead = joined(&claim["instead"]["san"]);
        let shown = match (word(&claim["start"]), &line[..]) {
            (_, "") => String::new(),
            ("before", _) => format!(": {line}"),
            _ => format!(": then {line}"),
        };
        let better = if instead.is_empty() {
            String::new()
        } else {
            format!("; instead {instead}")
        };
        format!("It {}{shown}{better}", word(&claim["text"]))
    })
}

fn joined(moves: &Value) -> String {
    let words: Vec<_> = list(moves).map(word).collect();
    words.join(" ")
}

pub(crate) fn why(reply: &Value) -> Vec<String> {
    if reply["legal"] != true {
        return vec![word(&reply["detail"]).to_owned()];
    }
    let judgement = match reply["judgement"].as_str() {
        Some("inaccuracy") => "is an inaccuracy".to_owned(),
        Some(judgement) => format!("is a {judgement}"),
        None => "isn't judged bad".to_owned(),
    };
    let first = format!("{} {judgement}", word(&reply["move"]["san"]));
    let claims: Vec<_> = proven(reply).collect();
    let nothing = claims
        .is_empty()
        .then(|| "Nothing is proven about it.".to_owned());
    [first].into_iter().chain(claims).chain(nothing).collect()
}

pub(crate) fn reachable(reply: &Value) -> Vec<String> {
    let Some(role) = reply["piece"]["role"].as_str() else {
        return vec!["The square is empty.".to_owned()];
    };
    let (legal, illegal): (Vec<_>, Vec<_>) =
        list(&reply["squares"]).partition(|square| square["legal"] == true);
    let legal: Vec<_> = legal
        .into_iter()
        .map(|square| word(&square["to"]))
        .collect();
    let first = match legal.len() {
        0 => format!(
            "The {} {role} has no legal move.",
            word(&reply["piece"]["color"])
        ),
        _ => format!(
            "The {} {role} can go to {}.",
            word(&reply["piece"]["color"]),
            legal.join(", ")
        ),
    };
    let illegal = illegal.into_iter().map(|square| {
        let by = square["by"]
            .as_str()
            .map(|by| format!(" (piece on {by})"))
            .unwrap_or_default();
        format!(
            "Not to {}: {}{by}",
            word(&square["to"]),
            words(&square["why"])
        )
    });
    [first].into_iter().chain(illegal).collect()
}

pub(crate) fn tablebase(reply: &Value) -> Vec<String> {
    let result = |of: &Value| format!("{} (distance to zeroing {})", words(&of["wdl"]), of["dtz"]);
    let moves =
        list(&reply["moves"]).map(|found| format!("{}: {}", word(&found["san"]), result(found)));
    [format!("For the side to move: {}", result(reply))]
        .into_iter()
        .chain(moves)
        .collect()
}

pub(crate) fn ais(reply: &Value) -> Vec<String> {
    let ai = |ai: &Value| {
        let kinds: Vec<_> = list(&ai["kinds"]).map(word).collect();
        let (id, name, version, state) = (
            word(&ai["id"]),
            word(&ai["name"]),
            word(&ai["version"]),
            word(&ai["state"]),
        );
        format!("{id}: {name} {version}, {}, {state}", kinds.join(" and "))
    };
    list(&reply["ais"]).map(ai).collect()
}

/// Describes a score from White's point of view.
fn score(score: &Value) -> String {
    if let Some(moves) = score["mate"].as_i64() {
        let side = if moves < 0 { "Black" } else { "White" };
        return format!("{side} mates in {}", moves.abs());
    }
    let pawns = score["cp"].as_f64().unwrap_or_default() / 100.0;
    match pawns {
        0.0 => "equal".to_owned(),
        pawns if pawns > 0.0 => format!("{pawns} better for White"),
        pawns => format!("{} better for Black", -pawns),
    }
}

fn sans(moves: &Value) -> impl Iterator<Item = &str> {
    list(moves).map(|chosen| word(&chosen["san"]))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Converts an API term to words for a sentence.
fn words(value: &Value) -> String {
    word(value).replace('_', " ")
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

/// Describes an error so that a language model can fix its request.
pub(crate) fn problem(problem: &Value) -> String {
    let mut lines = vec![format!(
        "{}: {}",
        word(&problem["code"]),
        word(&problem["detail"])
    )];
    if problem["issues"].is_null() {
        lines.extend(
            problem["pointer"]
                .as_str()
                .filter(|pointer| !pointer.is_empty())
                .map(|pointer| format!("at {pointer}")),
        );
    }
    let issue = |issue: &Value| {
        let (pointer, code, message) = (
            word(&issue["pointer"]),
            word(&issue["code"]),
            word(&issue["message"]),
        );
        format!("at {pointer}: {message} ({code})")
    };
    lines.extend(list(&problem["issues"]).map(issue));
    lines.extend(
        problem["retry_after_s"]
            .as_u64()
            .map(|seconds| format!("try again in {seconds} s")),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_on_several_games_numbers_the_moves_of_each() {
        let judged = json!([{
            "ply": 1,
            "move": {"san": "Kf7"},
            "glyph": "?",
            "judgement": "mistake",
            "best": {"move": {"san": "Kd7"}},
        }]);
        let from = |fen: &str| {
            json!({
                "game": {"start_fen": fen},
                "moves": judged,
                "accuracy": {"white": null, "black": 12.5},
            })
        };
        let reply = json!({
            "games": [
                from("4k3/8/8/8/8/8/4P3/4K3 b - - 0 37"),
                from("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
            ],
        });
        let expected = [
            "Game 1:",
            "37... Kf7? is a mistake (Kd7 was better)",
            "Black's accuracy: 12.5 %",
            "Game 2:",
            "1. Kf7? is a mistake (Kd7 was better)",
            "Black's accuracy: 12.5 %",
        ];
        assert_eq!(report(&reply), expected);
        assert_eq!(report(&reply["games"][0]), expected[1..3]);
    }

    #[test]
    fn one_move_is_singular_and_a_search_without_a_line_shows_none() {
        assert_eq!(
            legal_moves(&json!({"moves": [{"san": "Kf7"}]})),
            ["1 legal move: Kf7"]
        );
        let reply = json!({
            "ai": {"id": "x"},
            "move": {"san": "Kf7", "uci": "e8f7"},
            "score": {"cp": 0},
            "search": {"san": []},
        });
        assert_eq!(best_move(&reply), ["x plays Kf7 (e8f7); equal"]);
    }

    #[test]
    fn a_book_move_is_not_a_judgement() {
        let played = |score: Value, depth: u32, nodes: u32| {
            let search = json!({"depth": depth, "nodes": nodes, "san": []});
            let chosen = json!({"san": "e4", "uci": "e2e4"});
            best_move(&json!({"ai": {"id": "x"}, "move": chosen, "score": score, "search": search}))
                .join("")
        };
        assert_eq!(
            played(json!({"cp": 30}), 0, 1),
            "x plays e4 (e2e4); not searched"
        );
        assert_eq!(
            played(json!({"cp": 30}), 1, 1),
            "x plays e4 (e2e4); 0.3 better for White"
        );
        assert_eq!(
            played(json!({"cp": 0}), 0, 7),
            "x plays e4 (e2e4); not searched"
        );
        assert_eq!(
            played(json!({"cp": 30}), 0, 7),
            "x plays e4 (e2e4); 0.3 better for White"
        );
        assert_eq!(
            played(json!({"mate": 1}), 0, 1),
            "x plays e4 (e2e4); White mates in 1"
        );
    }

    #[test]
    fn names_theory_next_to_a_judgement() {
        let opening = json!({"eco": "C60", "name": "Ruy Lopez"});
        let judged = json!({
            "ply": 5,
            "move": {"san": "Bb5"},
            "glyph": "?!",
            "judgement": "inaccuracy",
            "opening": opening,
        });
        let reply = json!({"game": {}, "moves": [judged]});
        assert_eq!(
            report(&reply),
            ["3. Bb5?! is an inaccuracy; it is theory: Ruy Lopez"]
        );
    }
}
