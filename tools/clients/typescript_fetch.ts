// Plays a game with openapi-generator's typescript-fetch client.
import { AiApi, Configuration } from "./client"

const api = new AiApi(new Configuration({ basePath: process.argv[2] }))

async function main() {
    let moves: string[] = []
    for (;;) {
        const { move, game } = await api.bestMove({ bestMoveForm: { game: { moves }, limit: { depth: 2 } } })
        if (!move) return console.log(`${moves.length} half-moves: ${game.status.reason}`)
        moves = game.moves
    }
}

void main()
