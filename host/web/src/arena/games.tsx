// The list of games with filters and pages. A game opens on the board page.

import { useId } from "preact/hooks"
import { colorName, resultText, winners } from "../format"
import { DownloadGames } from "./download"
import { arena, useReply } from "./ladder-data"
import { ErrorText, Heading, Heads, PlayerLink, ScrolledTable } from "./parts"
import { boardLink, filtersOf, gamesLink, queryOf } from "./route"
import type { Filters } from "./route"
import { texts } from "../texts/arena"
import { common } from "../texts/common"
import type { GamePage, GameRow, PlayerReference } from "../api/types"
import { endResult, faultText, moveOfPly, nameOf, timeText } from "./words"

const pageSize = 50

/**
 * Changes a filter and shows the newest games. Reads the current filters from the URL, because the
 * last change might not be rendered yet.
 */
function change(name: keyof Filters, value: string): void {
    const { before: _, ...others } = filtersOf(location.hash)
    // The filter `opponent` requires `player`.
    const rest = name === "player" && value === "" ? { ...others, opponent: "" } : others
    location.hash = gamesLink({ ...rest, [name]: value })
}

interface SelectProps {
    label: string
    filters: Filters
    name: keyof Filters
    choices: readonly (readonly [string, string])[]
    disabled?: boolean
}

function Select({ label, filters, name, choices, disabled = false }: SelectProps) {
    const id = useId()
    return (
        <div class="field">
            <label for={id}>{label}</label>
            <select
                id={id}
                value={filters[name] ?? ""}
                disabled={disabled}
                onChange={(event) => change(name, event.currentTarget.value)}
            >
                {choices.map(([value, text]) => (
                    <option key={value} value={value}>
                        {text}
                    </option>
                ))}
            </select>
        </div>
    )
}

/**
 * Returns the selectable players: all players of the ladder, and earlier versions that the filters
 * name.
 */
function playerChoices(filters: Filters, games: readonly GameRow[]): (readonly [string, string])[] {
    const names = new Map(
        (arena.value?.players ?? []).map((player) => [String(player.id), nameOf(player)]),
    )
    const named = new Map(
        games
            .flatMap(({ white, black }) => [white, black])
            .map((player) => [String(player.id), nameOf(player)]),
    )
    for (const id of [filters.player, filters.opponent])
        if (id && !names.has(id)) names.set(id, named.get(id) ?? texts.playerNumber(id))
    return [["", texts.any], ...names]
}

/** Returns the selectable openings: all openings of the shown games, and the filter's opening. */
function openingChoices(filters: Filters, games: readonly GameRow[]) {
    const shown = games.flatMap(({ opening, opening_name: name }) =>
        opening === null || name === null ? [] : [[String(opening), name] as const],
    )
    const names = new Map(shown.toSorted(([, one], [, other]) => one.localeCompare(other)))
    const { opening } = filters
    if (opening && !names.has(opening)) names.set(opening, texts.openingNumber(opening))
    return [["", texts.any] as const, ...names]
}

function FilterForm({ filters, games }: { filters: Filters; games: readonly GameRow[] }) {
    const choices = playerChoices(filters, games)
    const results = Object.entries(filters.player ? texts.resultsOfPlayer : texts.resultChoices)
    return (
        <form
            class="fields filters"
            aria-label={texts.filters}
            onSubmit={(event) => event.preventDefault()}
        >
            <Select label={texts.player} filters={filters} name="player" choices={choices} />
            <Select
                label={texts.opponent}
                filters={filters}
                name="opponent"
                choices={choices}
                disabled={!filters.player}
            />
            <Select
                label={texts.result}
                filters={filters}
                name="result"
                choices={[["", texts.any], ...results]}
            />
            <Select
                label={texts.opening}
                filters={filters}
                name="opening"
                choices={openingChoices(filters, games)}
            />
            <label class="check">
                <input
                    type="checkbox"
                    checked={filters.fault === "true"}
                    onChange={(event) => change("fault", event.currentTarget.checked ? "true" : "")}
                />
                {texts.withFault}
            </label>
        </form>
    )
}

/** A player. The winner is highlighted. */
const PlayerCell = ({ player, hasWon }: { player: PlayerReference; hasWon: boolean }) => (
    <td class={hasWon ? "winner" : undefined}>
        <PlayerLink player={player} />
    </td>
)

function Row({ game }: { game: GameRow }) {
    const { id, white, black, result, termination, fault, plies, ended } = game
    const opening = game.opening_name ?? "–"
    const [family] = opening.split(":")
    return (
        <tr>
            <th scope="row">
                <a href={boardLink(id)} aria-label={texts.openGame(id)}>
                    {id}
                </a>
            </th>
            <PlayerCell player={white} hasWon={winners[result] === "white"} />
            <PlayerCell player={black} hasWon={winners[result] === "black"} />
            <td>
                {fault
                    ? resultText({ winner: winners[result] ?? null, reason: "" })
                    : endResult(result, termination)}
                {fault && (
                    <span class="error-text">
                        {" "}
                        {texts.atMove(
                            colorName(fault.color),
                            faultText(fault.code),
                            moveOfPly(fault.ply),
                        )}
                    </span>
                )}
                <span class="opening narrow-only" aria-hidden="true">
                    {family}
                </span>
            </td>
            <td class="opening wide">{opening}</td>
            <td class="number-cell wide">{moveOfPly(plies)}</td>
            <td class="wide time">{timeText(ended)}</td>
        </tr>
    )
}

function noGamesText(filters: Filters, next: number | null): string {
    if (next !== null) return texts.noGamesOnPage
    return queryOf(filters) ? texts.noGames : texts.noGamesAtAll
}

export function GamesScreen({ filters }: { filters: Filters }) {
    const { reply, error, isCurrent } = useReply<GamePage>(
        `/v1/arena/games?${queryOf({ ...filters, limit: String(pageSize) })}`,
    )
    const games = reply?.games ?? []
    const next = reply?.next ?? null
    const { before, ...newest } = filters
    return (
        <>
            <Heading key={before ?? ""} title={texts.games} />
            <FilterForm filters={filters} games={games} />
            {error !== null && <ErrorText error={error} />}
            {games.length > 0 && (
                <ScrolledTable
                    name={texts.gamesFound}
                    class="games-table"
                    hint={texts.gamesHint}
                    isTitled={false}
                    action={<DownloadGames key={queryOf(newest)} filters={newest} name="arena" />}
                >
                    <thead>
                        <tr>
                            <Heads names={[texts.game, texts.white, texts.black, texts.result]} />
                            <Heads names={[texts.opening]} class="wide" />
                            <Heads names={[texts.moves]} class="number-cell wide" />
                            <Heads names={[texts.ended]} class="wide" />
                        </tr>
                    </thead>
                    <tbody>
                        {games.map((game) => (
                            <Row key={game.id} game={game} />
                        ))}
                    </tbody>
                </ScrolledTable>
            )}
            <p class="hint" role="status">
                {!reply && error === null
                    ? common.loading
                    : reply && isCurrent && games.length === 0
                      ? noGamesText(filters, next)
                      : ""}
            </p>
            <nav class="buttons" aria-label={texts.pages}>
                {before && <a href={gamesLink(newest)}>{texts.newestGames}</a>}
                {next !== null && (
                    <a href={gamesLink({ ...newest, before: String(next) })}>{texts.olderGames}</a>
                )}
            </nav>
        </>
    )
}
