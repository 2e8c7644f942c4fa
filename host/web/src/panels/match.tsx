// AI game controls: start, pause and pace for one game; start, stop and score for a server match.

import { useId } from "preact/hooks"
import { aiName } from "../ais"
import type { Match } from "../api"
import { DraftInput } from "../fields"
import { signed } from "../format"
import { isOver, plies, result } from "../game"
import { isOpen, match, matchError, startGames, stopGames } from "../match"
import { aiOfText } from "../match-board"
import { isPending } from "../pending"
import * as play from "../play"
import { isAiMatch } from "../players"
import { switches } from "../switches"

/** The most games that a server may allow. */
const maxGames = 1000
const { gameCount } = switches

/** Returns the names of the players; their texts if the same AI plays itself. */
function namesOf({ players }: Match): string[] {
    const [first, second] = players.map(aiOfText)
    return first === second ? players : players.map((player) => aiName(aiOfText(player)))
}

function eloText({ elo }: Match): string {
    if (!elo || elo.bound !== "exact") return "Elo unknown while one side has all points"
    const error = elo.error === null ? "" : ` ± ${elo.error.toFixed(0)}`
    return `Elo ${signed(elo.elo, 0)}${error}`
}

/** Returns what the score does not say. */
function stateText({ state, reason }: Match): string {
    const texts = { waiting: "It waits for another match.", paused: "It waits for another match.", running: "", finished: "", stopped: "It was stopped.", failed: "" }
    return reason ? `It failed: ${reason}.` : texts[state]
}

function Score() {
    const now = match.value
    if (!now) return null
    const { wins, draws } = now.tally
    const [first, second] = namesOf(now)
    const won = wins + draws / 2
    const about = [`after ${now.played} of ${now.games} games`, now.played > 0 ? eloText(now) : "", stateText(now)]
    return (
        <p class="agreement" role="status" data-testid="score">
            {first} {won} – {now.played - won} {second}
            <span class="muted"> {about.filter(Boolean).join(". ")}</span>
        </p>
    )
}

function Pace({ isUsed }: { isUsed: boolean }) {
    const id = useId()
    return (
        <div class="field strength">
            <label for={id}>Time per move, at least</label>
            <input
                id={id}
                type="range"
                min={0}
                max={5000}
                step={250}
                disabled={!isUsed}
                value={play.matchDelayMs.value}
                onInput={(event) => (play.matchDelayMs.value = Number(event.currentTarget.value))}
            />
            <output for={id}>{(play.matchDelayMs.value / 1000).toFixed(2).replace(/0$/, "")} s</output>
        </div>
    )
}

interface MainButtonProps {
    label: string
    act: () => void
    disabled?: boolean
}

const MainButton = ({ label, act, disabled = false }: MainButtonProps) => (
    <button type="button" class="primary" onClick={act} disabled={disabled}>
        {label}
    </button>
)

function StartOrStop() {
    const count = gameCount.value
    if (isOpen.value) return <MainButton label="Stop" act={() => void stopGames()} disabled={isPending.value} />
    if (play.matchRunning.value) return <MainButton label="Pause" act={play.pauseMatch} />
    if (count > 1) return <MainButton label={`Start ${count} games`} act={() => void startGames()} disabled={isPending.value} />
    return <MainButton label={plies.value.length > 0 ? "Resume" : "Start"} act={play.startMatch} disabled={isOver.value} />
}

export function MatchControls() {
    const isSingle = gameCount.value === 1 && !isOpen.value
    return (
        <>
            {(isAiMatch.value || isOpen.value) && (
                <div class="buttons" role="group" aria-label="AI match">
                    <StartOrStop />
                    <button type="button" onClick={play.playOneMove} disabled={!isSingle || play.matchRunning.value || play.isSearching.value || result.value !== null}>
                        Play one move
                    </button>
                    <label class="games-count">
                        <DraftInput
                            field={{ type: "number", min: 1, max: maxGames }}
                            value={gameCount.value}
                            commit={(text) => void (gameCount.value = Math.max(1, Math.min(maxGames, Math.round(Number(text)) || 1)))}
                        />
                        <span>{gameCount.value === 1 ? "game" : "games"}</span>
                    </label>
                </div>
            )}
            {matchError.value && (
                <p class="error-text" role="alert">
                    {matchError.value}
                </p>
            )}
            <Score />
            {isAiMatch.value && <Pace isUsed={isSingle} />}
        </>
    )
}
