//! Plays a game with openapi-generator's Rust client.

use std::{env, error::Error};

use openapi::{
    apis::{ai_api::best_move, configuration::Configuration},
    models::{BestMoveForm, GameForm, LimitForm, MovesGame},
};

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(play())
}

async fn play() -> Result<(), Box<dyn Error>> {
    let base_path = env::args().nth(1).ok_or("expected the address of a server")?;
    let configuration = Configuration { base_path, ..Configuration::default() };
    let mut moves = Vec::new();
    loop {
        let game = MovesGame { moves: Some(Some(moves.clone())), ..MovesGame::default() };
        let limit = LimitForm { depth: Some(Some(2)), ..LimitForm::default() };
        let form = BestMoveForm {
            limit: Some(Some(Box::new(limit))),
            ..BestMoveForm::new(GameForm::MovesGame(Box::new(game)))
        };
        let reply = best_move(&configuration, form, None).await?;
        if reply.r#move.is_none() {
            println!("{} half-moves: {:?}", moves.len(), reply.game.status.reason);
            return Ok(());
        }
        moves = reply.game.moves;
    }
}
