// The score of a match and its finished games.

import type { Match } from "../api"
import { fixed, reasonText, resultOfTermination, signed } from "../format"
import { loadedIndex } from "../files"
import { bounds, downloadMatch, match, openMatchGame } from "../match"
import { failureText } from "../match-failures"
import { seatName } from "../match-names"
import { isDecided, limit, sprtOf } from "../sprt"
import { texts } from "../texts/board"

type Names = [first: string, second: string]

const namesOf = ({ players }: Match): Names => {
    const [first, second] = players
    return [seatName(first, players), seatName(second, players)]
}

function eloText({ elo }: Match): string {
    if (!elo || elo.bound !== "exact") return texts.match.eloUnknown
    return texts.match.eloDifference(
        signed(elo.elo, 0),
        elo.error === null ? null : fixed(elo.error, 0),
    )
}

/** Returns which player is probably stronger, and how likely. */
function superiorityText({ elo }: Match, [first, second]: Names): string {
    if (!elo) return ""
    const share = Math.max(elo.superiority, 1 - elo.superiority)
    return texts.match.superiority(
        elo.superiority >= 0.5 ? first : second,
        fixed(Math.min(99.9, share * 100), share > 0.99 ? 1 : 0),
    )
}

/** Returns the test's findings so far. */
function testText(now: Match, name: string): string {
    if (!bounds.value) return ""
    const { lower, upper } = bounds.value
    const test = sprtOf(now, bounds.value)
    const found = !isDecided(test)
        ? texts.match.sprtOpen(signed(test.ratio, 2), fixed(limit, 2))
        : test.ratio > 0
          ? texts.match.sprtPassed(name, upper)
          : texts.match.sprtFailed(name, lower)
    return texts.match.sprt(lower, upper) + found
}

/** Returns the state of a match, or why it failed. */
const stateText = ({ state, reason }: Match): string =>
    reason ? texts.match.failed(failureText(reason)) : texts.match.states[state]

/** Formats points: `2.5`. */
const scoreText = (points: number) => fixed(points, Number.isInteger(points) ? 0 : 1)

/**
 * Wins, draws and losses as parts of a bar. The bar's full length represents all games of the
 * match.
 */
function Shares({ tally: { wins, draws, losses }, games }: Match) {
    const parts = { wins, draws, losses }
    return (
        <span class="shares" aria-hidden="true">
            {Object.entries(parts).map(([kind, count]) => (
                <span key={kind} class={kind} style={{ width: `${(100 * count) / games}%` }} />
            ))}
        </span>
    )
}

/** The score from the first player's point of view. */
export function Score() {
    const now = match.value
    if (!now) return null
    const names = namesOf(now)
    const { wins, draws, losses } = now.tally
    const won = wins + draws / 2
    const hasGames = now.played > 0
    return (
        <div class="match-score" role="status" data-testid="score">
            <p class="points">
                <span>{names[0]}</span>{" "}
                <strong>
                    {scoreText(won)} – {scoreText(now.played - won)}
                </strong>{" "}
                <span>{names[1]}</span>
            </p>
            <Shares {...now} />
            <p class="muted">
                {[
                    texts.match.won(wins),
                    texts.match.drawn(draws),
                    texts.match.lost(losses),
                    texts.match.scoreAfter(now.played, now.games),
                ].join(", ")}
                . {stateText(now)}
            </p>
            <p>{hasGames ? eloText(now) : "\u00a0"}</p>
            <p class="muted" title={texts.match.superiorityHint}>
                {hasGames ? superiorityText(now, names) : "\u00a0"}
            </p>
            {bounds.value && <p>{testText(now, names[0])}</p>}
        </div>
    )
}

/** More rows would be slow on a phone. The PGN contains all games. */
const maxRows = 200
/** The last row is cut off to show that there are more. */
const shownRows = 3.4

const results: Record<string, string> = { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" }

function Row({ game, names }: { game: Match["results"][number]; names: Names }) {
    // The first player is White in the first game of each pair.
    const isFirstWhite = game.game % 2 === 1
    const [white, black] = isFirstWhite ? names : [names[1], names[0]]
    const { winner, reason } = resultOfTermination(game.result, game.termination)
    const outcome =
        winner === null ? "draws" : (winner === "white") === isFirstWhite ? "wins" : "losses"
    return (
        <li>
            <button
                type="button"
                aria-pressed={loadedIndex.value === game.game - 1}
                onClick={() => void openMatchGame(game.game)}
            >
                <span class="muted number">{game.game}</span>
                <span class="names">{texts.match.game(white, black)}</span>
                <span class={`result ${outcome}`}>{results[game.result] ?? game.result}</span>
                <span class="muted reason">{reasonText(reason)}</span>
            </button>
        </li>
    )
}

/** The finished games, and their download. */
export function MatchGames() {
    const now = match.value
    if (!now) return null
    const names = namesOf(now)
    return (
        <section class="games match-games" aria-label={texts.match.list} data-testid="match-games">
            <div class="buttons">
                <h2 class="label">{texts.match.list}</h2>
                <button
                    type="button"
                    disabled={now.played === 0}
                    onClick={() => void downloadMatch()}
                >
                    {texts.match.savePgn(now.played)}
                </button>
            </div>
            <ol style={{ "--rows": Math.min(now.games, shownRows) }}>
                {now.results.slice(-maxRows).map((game) => (
                    <Row key={game.game} game={game} names={names} />
                ))}
            </ol>
        </section>
    )
}
