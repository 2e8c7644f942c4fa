// A heat map of the results of each pair of players. Tab reaches one cell, and the arrow keys
// reach the others.

import { useState } from "preact/hooks"
import { ScrolledTable } from "./parts"
import { gamesLink } from "./route"
import { texts } from "../texts/arena"
import type { Arena, Player, Tally } from "../api/types"
import { gameCountOf, isolated, percent, shareOf, tallyWords, undirected } from "./words"

/** A larger table would be slow and unreadable. */
const maxPlayers = 40
const fewGames = 10

const turned = ({ wins, draws, losses }: Tally): Tally => ({ wins: losses, draws, losses: wins })
const keyOf = (first: number, second: number) => `${first} ${second}`

/** Returns the tally for each pair of players, in both orders. */
const talliesOf = ({ pairings }: Arena): ReadonlyMap<string, Tally> =>
    new Map(
        pairings.flatMap((pairing) => [
            [keyOf(pairing.first, pairing.second), pairing] as const,
            [keyOf(pairing.second, pairing.first), turned(pairing)] as const,
        ]),
    )

const directions: Record<string, readonly [number, number]> = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
}

/** Moves the focus to the next cell with games in the direction of an arrow key. */
function onKeyDown(event: KeyboardEvent): void {
    const direction = directions[event.key]
    const cell = (event.target as HTMLElement).closest<HTMLTableCellElement>("td")
    const rows = cell?.closest("tbody")?.rows
    if (!direction || !cell || !rows) return
    event.preventDefault()
    let [row, column] = [
        (cell.parentElement as HTMLTableRowElement).sectionRowIndex,
        cell.cellIndex,
    ]
    for (;;) {
        row += direction[0]
        column += direction[1]
        const next = rows[row]?.cells[column]
        if (!next) return
        const link = next.querySelector("a")
        if (link) return link.focus()
    }
}

interface CellProps {
    first: Player
    second: Player
    tally: Tally | undefined
    isReached: boolean
    reach: () => void
}

function Cell({ first, second, tally, isReached, reach }: CellProps) {
    const score = tally ? shareOf(tally) : null
    if (!tally || score === null)
        return <td class="empty">{first === second ? "" : <span class="muted">–</span>}</td>
    const [row, column] = [isolated(first.player), isolated(second.player)]
    const label = texts.cell(percent(score), row, column, tallyWords(tally))
    return (
        <td
            class={score >= 0.5 ? "better" : "worse"}
            style={{ "--share": `${Math.abs(score - 0.5) * 200}%` }}
        >
            <a
                href={gamesLink({ player: String(first.id), opponent: String(second.id) })}
                aria-label={label}
                title={label}
                tabIndex={isReached ? 0 : -1}
                onFocus={reach}
            >
                {percent(score).replace(/\s?%/, "")}
                {gameCountOf(tally) < fewGames && <span aria-hidden="true">·</span>}
            </a>
        </td>
    )
}

export function Crosstable({ now }: { now: Arena }) {
    const played = now.players.filter(({ games }) => games > 0)
    const players = played.slice(0, maxPlayers)
    const tallies = talliesOf(now)
    const keys = players
        .flatMap((first) => players.map((second) => keyOf(first.id, second.id)))
        .filter((key) => tallies.has(key))
    const [chosen, choose] = useState("")
    const reached = keys.includes(chosen) ? chosen : keys[0]
    const cut = played.length > maxPlayers ? ` ${texts.firstPlayers(maxPlayers)}` : ""
    const hint = texts.crosstableHint(fewGames) + cut
    return (
        <ScrolledTable name={texts.crosstable} class="crosstable" hint={hint}>
            <thead>
                <tr>
                    <th scope="col">{texts.ai}</th>
                    {players.map((player) => (
                        <th key={player.id} scope="col" title={undirected(player.player)}>
                            <span aria-hidden="true">{player.rank}</span>
                            <bdi class="visually-hidden">{undirected(player.player)}</bdi>
                        </th>
                    ))}
                </tr>
            </thead>
            <tbody onKeyDown={onKeyDown}>
                {players.map((first) => (
                    <tr key={first.id}>
                        <th scope="row">
                            <span class="rank">{first.rank}.</span>{" "}
                            <bdi>{undirected(first.player)}</bdi>
                        </th>
                        {players.map((second) => {
                            const key = keyOf(first.id, second.id)
                            return (
                                <Cell
                                    key={second.id}
                                    first={first}
                                    second={second}
                                    tally={tallies.get(key)}
                                    isReached={key === reached}
                                    reach={() => choose(key)}
                                />
                            )
                        })}
                    </tr>
                ))}
            </tbody>
        </ScrolledTable>
    )
}
