// The screen of a player: its record against each opponent, its faults and its versions.

import { colorName, formatTime } from "../format"
import { Marks } from "./ladder"
import { arena, useReply } from "./ladder-data"
import { AdminActions, ErrorText, Figures, Heading, Heads, PlayerLink, ScrolledTable } from "./parts"
import { boardLink, gamesLink, playerLink } from "./route"
import type { Fault, Opponent, Player, PlayerRecord, PlayerReference, Tally, Version } from "./types"
import { VersionCurve } from "./version-curve"
import { dayText, differenceText, faultText, gameCountOf, moveOfPly, nameOf, percent, ratingText, shareOf, sumOf, tallyText, tallyWords, timeText } from "./words"

function Summary({ player }: { player: Player }) {
    return (
        <section class="card about-arena" aria-label="Summary">
            <p>
                {player.name}, version {player.version} <Marks player={player} />
            </p>
            <Figures
                of={[
                    ["Rank", player.rank ?? "an earlier version"],
                    ["Elo", ratingText(player)],
                    ["Games", <a href={gamesLink({ player: String(player.id) })}>{player.games}</a>],
                    ["Score", percent(player.score)],
                    ["Won, drawn, lost", tallyText(player)],
                    ["Faults", player.faults],
                    ["Depth", player.mean_depth?.toFixed(1) ?? "–"],
                    ["Time a move", player.mean_ms === null ? "–" : formatTime(Math.round(player.mean_ms))],
                    ["Better than next", percent(player.superiority)],
                ]}
            />
            <p class="fingerprint" title="Fingerprint of all that plays">
                {player.fingerprint.slice(0, 16)}
            </p>
            <AdminActions<{ player: PlayerReference }>
                actions={[
                    {
                        label: "Rate this AI now",
                        path: `/v1/arena/players/${player.id}/rate-now`,
                        done: (reply) => `The pairs of ${nameOf(reply.player)} come first until its error is at most 60.`,
                    },
                ]}
            />
        </section>
    )
}

/** Wins, draws and losses, and the score. */
function TallyCell({ tally }: { tally: Tally }) {
    return (
        <td class="number-cell">
            <span aria-hidden="true">{tallyText(tally)}</span>
            <span class="visually-hidden">{tallyWords(tally)}</span> <span class="muted wide">{percent(shareOf(tally))}</span>
        </td>
    )
}

function Opponents({ id, opponents }: { id: number; opponents: readonly Opponent[] }) {
    const [white, black] = [sumOf(opponents.map(({ white }) => white)), sumOf(opponents.map(({ black }) => black))]
    return (
        <ScrolledTable name="Opponents" class="opponents" hint="Wins, draws and losses with each colour.">
            <thead>
                <tr>
                    <Heads names={["Opponent"]} />
                    <Heads names={["Games", "Score", "As White", "As Black"]} class="number-cell" />
                </tr>
            </thead>
            <tbody>
                {opponents.map(({ opponent, games, score, white, black }) => (
                    <tr key={opponent.id}>
                        <th scope="row">
                            <PlayerLink player={opponent} />
                        </th>
                        <td class="number-cell">
                            <a href={gamesLink({ player: String(id), opponent: String(opponent.id) })}>
                                {games} <span class="visually-hidden">games against {nameOf(opponent)}</span>
                            </a>
                        </td>
                        <td class="number-cell">{percent(score)}</td>
                        <TallyCell tally={white} />
                        <TallyCell tally={black} />
                    </tr>
                ))}
            </tbody>
            <tfoot>
                <tr>
                    <th scope="row">All</th>
                    <td class="number-cell">{gameCountOf(sumOf([white, black]))}</td>
                    <td class="number-cell">{percent(shareOf(sumOf([white, black])))}</td>
                    <TallyCell tally={white} />
                    <TallyCell tally={black} />
                </tr>
            </tfoot>
        </ScrolledTable>
    )
}

function Faults({ faults }: { faults: readonly Fault[] }) {
    const hasDetails = faults.some(({ details }) => details !== undefined)
    return (
        <ScrolledTable name="Faults" hint="A fault loses the game. The newest first.">
            <thead>
                <tr>
                    <Heads names={["Game", "Move", "Fault", "As", "Opponent", ...(hasDetails ? ["Details"] : [])]} />
                </tr>
            </thead>
            <tbody>
                {faults.map(({ game, ply, code, color, opponent, details }) => (
                    <tr key={game}>
                        <th scope="row">
                            <a href={boardLink(game)}>{game}</a>
                        </th>
                        <td>{moveOfPly(ply)}</td>
                        <td>{faultText(code)}</td>
                        <td>{colorName(color)}</td>
                        <td>
                            <PlayerLink player={opponent} />
                        </td>
                        {hasDetails && <td class="details">{details}</td>}
                    </tr>
                ))}
            </tbody>
        </ScrolledTable>
    )
}

function Versions({ of, versions }: { of: Player; versions: readonly Version[] }) {
    return (
        <>
            <ScrolledTable name="Versions" hint="The difference to the version before is from games alone.">
                <thead>
                    <tr>
                        <Heads names={["Version", "Since"]} />
                        <Heads names={["Games", "Elo", "Difference"]} class="number-cell" />
                    </tr>
                </thead>
                <tbody>
                    {versions.map((version) => (
                        <tr key={version.id}>
                            <th scope="row">{version.id === of.id ? version.version : <a href={playerLink(version.id)}>{version.version}</a>}</th>
                            <td title={timeText(version.since)}>{dayText(version.since)}</td>
                            <td class="number-cell">{version.games}</td>
                            <td class="number-cell rating">{ratingText(version)}</td>
                            <td class="number-cell rating">{differenceText(version.difference)}</td>
                        </tr>
                    ))}
                </tbody>
            </ScrolledTable>
            <VersionCurve versions={versions} />
        </>
    )
}

export function PlayerScreen({ id }: { id: number }) {
    const { reply, error } = useReply<PlayerRecord>(`/v1/arena/players/${id}`)
    const player = reply?.player ?? arena.value?.players.find((player) => player.id === id)
    return (
        <>
            <Heading title={player ? nameOf(player) : `Player ${id}`} />
            {error !== null && <ErrorText error={error} />}
            {!reply && error === null && <p class="hint">Loading…</p>}
            {reply && (
                <>
                    <Summary player={reply.player} />
                    {reply.opponents.length > 0 ? <Opponents id={id} opponents={reply.opponents} /> : <p class="hint">No games yet.</p>}
                    <Versions of={reply.player} versions={reply.versions} />
                    {reply.faults.length > 0 && <Faults faults={reply.faults} />}
                </>
            )}
        </>
    )
}
