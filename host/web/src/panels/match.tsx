// The Watch panel: the players, and a single game or a server match.

import { useId } from "preact/hooks"
import { TimeControlField } from "../clock"
import { DraftInput } from "../fields"
import { fixed } from "../format"
import { isOver, result } from "../game"
import { Icon } from "../icon"
import { switchSides } from "../levels"
import {
    chosenBounds,
    forget,
    hasOpenedGames,
    isChoosingPlayers,
    isOpen,
    match,
    matchError,
    openings,
    startGames,
    stopGames,
} from "../match"
import { isPending } from "../pending"
import { openReview } from "../places"
import * as play from "../play"
import { isAiMatch } from "../players"
import { newGame } from "../steps"
import { switches } from "../switches"
import { texts } from "../texts/board"
import { MatchGames, Score } from "./match-score"
import { Seat } from "./player-setup"

/** The maximum number of games that a server can allow. */
const maxGames = 1000
const { gameCount } = switches

const bounded = (text: string, least: number, most: number) =>
    Math.max(least, Math.min(most, Math.round(Number(text)) || 0))

function GameCount() {
    const id = useId()
    return (
        <div class="field game-count">
            <label for={id}>{texts.match.games}</label>
            <DraftInput
                field={{ id, type: "number", min: 1, max: maxGames }}
                value={gameCount.value}
                commit={(text) => void (gameCount.value = bounded(text, 1, maxGames))}
            />
        </div>
    )
}

/** The default bounds of the test, in Elo. */
const usualBounds = { lower: 0, upper: 10 }
const maxElo = 1000

function Test() {
    const ids = [useId(), useId()] as const
    const bounds = chosenBounds.value
    const toggle = (isOn: boolean) => (chosenBounds.value = isOn ? usualBounds : null)
    return (
        <>
            <label class="check">
                <input
                    type="checkbox"
                    checked={bounds !== null}
                    onChange={(event) => toggle(event.currentTarget.checked)}
                />
                {texts.match.test}
            </label>
            {bounds && (
                <div class="fields">
                    {(["lower", "upper"] as const).map((end, index) => (
                        <div key={end} class="field">
                            <label for={ids[index]}>{texts.match[end]}</label>
                            <DraftInput
                                field={{
                                    id: ids[index],
                                    type: "number",
                                    min: -maxElo,
                                    max: maxElo,
                                }}
                                value={bounds[end]}
                                commit={(text) => {
                                    const next = {
                                        ...bounds,
                                        [end]: bounded(text, -maxElo, maxElo),
                                    }
                                    if (next.lower >= next.upper) return false
                                    chosenBounds.value = next
                                    return true
                                }}
                            />
                        </div>
                    ))}
                </div>
            )}
        </>
    )
}

/** More settings for a match: its openings, and the test that ends it. */
function More() {
    const id = useId()
    const kinds = Object.entries(texts.match.openingKinds).filter(
        ([kind]) => kind !== "file" || hasOpenedGames.value,
    )
    return (
        <details class="technical">
            <summary>{texts.match.more}</summary>
            <div class="technical-body">
                <div class="field">
                    <label for={id}>{texts.match.openings}</label>
                    <select
                        id={id}
                        value={openings.value}
                        onChange={(event) =>
                            (openings.value = event.currentTarget.value as typeof openings.value)
                        }
                    >
                        {kinds.map(([kind, label]) => (
                            <option key={kind} value={kind}>
                                {label}
                            </option>
                        ))}
                    </select>
                </div>
                <Test />
            </div>
        </details>
    )
}

function Pace() {
    const id = useId()
    return (
        <div class="pace">
            <label for={id}>{texts.match.pace}</label>
            <input
                id={id}
                type="range"
                min={0}
                max={5000}
                step={250}
                value={play.matchDelayMs.value}
                onInput={(event) => (play.matchDelayMs.value = Number(event.currentTarget.value))}
            />
            <output for={id}>{fixed(play.matchDelayMs.value / 1000, 2).replace(/0$/, "")} s</output>
        </div>
    )
}

interface ActionProps {
    label: string
    act: () => void
    disabled?: boolean
}

const Primary = ({ label, act, disabled = false }: ActionProps) => (
    <button type="button" class="primary" onClick={act} disabled={disabled}>
        {label}
    </button>
)

const Swap = () => (
    <button
        type="button"
        class="icon swap"
        onClick={switchSides}
        aria-label={texts.match.switchSides}
        title={texts.match.switchSides}
    >
        <Icon path="M5 8h13M14 4l4 4-4 4M19 16H6M10 12l-4 4 4 4" />
    </button>
)

/** The players and the number of games. Players are chosen before a game. */
function Setup() {
    const count = gameCount.value
    return (
        <>
            <div class="seats">
                <Seat color="white" />
                <Seat color="black" />
            </div>
            <div class="fields">
                <GameCount />
                <TimeControlField />
                <Swap />
            </div>
            <div class="start-row" role="group" aria-label={texts.match.match}>
                <Primary
                    label={count > 1 ? texts.match.startGames(count) : texts.match.start}
                    act={count > 1 ? () => void startGames() : play.startMatch}
                    disabled={isPending.value || !isAiMatch.value}
                />
            </div>
            {count > 1 ? <More /> : <Pace />}
        </>
    )
}

function again(): void {
    newGame()
    play.startMatch()
}

/** A single game on the board: running, paused or over. */
function WatchedGame() {
    const isRunning = play.matchRunning.value
    return (
        <>
            <div class="buttons" role="group" aria-label={texts.match.match}>
                {isRunning ? (
                    <Primary label={texts.match.pause} act={play.pauseMatch} />
                ) : isOver.value ? (
                    <Primary label={texts.match.playAgain} act={again} />
                ) : (
                    <Primary label={texts.match.resume} act={play.startMatch} />
                )}
                {!isOver.value && (
                    <button
                        type="button"
                        onClick={play.playOneMove}
                        disabled={isRunning || play.isSearching.value || result.value !== null}
                    >
                        {texts.match.playOne}
                    </button>
                )}
                {isOver.value && (
                    <button type="button" onClick={openReview}>
                        {texts.page.review}
                    </button>
                )}
                <button type="button" onClick={() => newGame()}>
                    {texts.match.newGame}
                </button>
            </div>
            {!isOver.value && <Pace />}
        </>
    )
}

function newMatch(): void {
    forget()
    newGame()
}

/** A server match: its score and its games. */
function ServerMatch() {
    return (
        <>
            <Score />
            <div class="buttons" role="group" aria-label={texts.match.match}>
                {isOpen.value ? (
                    <Primary
                        label={texts.match.stop}
                        act={() => void stopGames()}
                        disabled={isPending.value}
                    />
                ) : (
                    <Primary label={texts.match.newMatch} act={newMatch} />
                )}
            </div>
            <MatchGames />
        </>
    )
}

function Stage() {
    if (match.value) return <ServerMatch />
    return isChoosingPlayers.value ? <Setup /> : <WatchedGame />
}

/** The Watch panel. */
export function MatchPanel() {
    return (
        <>
            {matchError.value && (
                <p class="error-text" role="alert">
                    {matchError.value}
                </p>
            )}
            <Stage />
        </>
    )
}
