// The boards of the running games.

import type { Color } from "../api"
import { clockText, colorName, formatScore } from "../format"
import { SmallBoard } from "../small-board"
import { announcement, running } from "./live"
import type { RunningGame } from "./live"
import { ErrorText, PlayerLink } from "./parts"
import { texts } from "../texts/arena"
import { common } from "../texts/common"
import { nameOf } from "./words"

const noPieces = "8/8/8/8/8/8/8/8"

function Side({ game, color }: { game: RunningGame; color: Color }) {
    const ms = game.clocks?.[`${color}_ms`]
    const isToMove = game.end === null && game.fen?.split(" ")[1] === color[0]
    return (
        <p class={`side-of-game${isToMove ? " to-move" : ""}`}>
            <span class={`disc ${color}`} role="img" aria-label={colorName(color)} />
            <PlayerLink player={game[color]} />
            {ms !== undefined && (
                <span
                    class={`clock${isToMove ? " running" : ""}`}
                    role="timer"
                    aria-label={common.clock(color, clockText(ms), false)}
                >
                    {clockText(ms)}
                </span>
            )}
        </p>
    )
}

function Board({ game }: { game: RunningGame }) {
    const { white, black, fen, uci, lastMove, score, depth, end } = game
    const names = texts.against(nameOf(white), nameOf(black))
    return (
        <li class="card running-game" data-testid={`game-${game.game}`}>
            <Side game={game} color="black" />
            <SmallBoard
                placement={(fen ?? noPieces).split(" ")[0] ?? ""}
                orientation="white"
                {...(uci ? { move: uci } : {})}
                label={lastMove ? texts.afterMove(names, lastMove) : names}
            />
            <Side game={game} color="white" />
            <p class="last-move">
                {end ?? <span class="move">{lastMove}</span>}
                {end === null && score && (
                    <>
                        <span class="score">{formatScore(score)}</span>
                        <span class="muted">{texts.depthOf(depth)}</span>
                    </>
                )}
            </p>
        </li>
    )
}

/** Reserves room for the game that will appear here. */
const NoBoard = () => (
    <li class="card running-game no-board">
        <p class="side-of-game" />
        <SmallBoard placement={noPieces} orientation="white" label="" />
        <p class="side-of-game" />
        <p class="last-move muted">{texts.noRunningGame}</p>
    </li>
)

export function Boards({ error }: { error: unknown }) {
    return (
        <section class="beside" aria-labelledby="running-games">
            <h2 id="running-games">{texts.runningGames}</h2>
            <p class="visually-hidden" aria-live="polite" data-testid="announcement">
                {announcement.value}
            </p>
            {error !== null && <ErrorText error={error} />}
            <ul class="running-games">
                {running.value.length === 0 && <NoBoard />}
                {running.value.map((game) => (
                    <Board key={game.game} game={game} />
                ))}
            </ul>
        </section>
    )
}
