// Plays a game with the client that @hey-api/openapi-ts generates.
import { bestMove } from "./client"
import { client } from "./client/client.gen"

client.setConfig({ baseUrl: process.argv[2] })

async function main() {
    let moves: string[] = []
    for (;;) {
        const { data } = await bestMove({ body: { game: { moves }, limit: { depth: 2 } }, throwOnError: true })
        if (!data.move) return console.log(`${moves.length} half-moves: ${data.game.status.reason}`)
        moves = data.game.moves
    }
}

void main()
