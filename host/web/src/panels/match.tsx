// AI game controls: start, pause and pace for one game; start, stop and score for a server match.

import { useId } from "preact/hooks"
import { aiName } from "../ais"
import type { Match } from "../api"
import { DraftInput } from "../fields"
import { fixed, signed } from "../format"
import { isOver, plies, result } from "../game"
import { isOpen, match, matchError, startGames, stopGames } from "../match"
import { aiOfText } from "../match-board"
import { isPending } from "../pending"
import * as play from "../play"
import { isAiMatch } from "../players"
import { switches } from "../switches"
import { texts } from "../texts/board"

/** The most games that a server may allow. */
const maxGames = 1000
const { gameCount } = switches

/** Returns the names of the players; their texts if the same AI plays itself. */
function namesOf({ players }: Match): string[] {
    const [first, second] = players.map(aiOfText)
    return first === second ? players : players.map((player) => aiName(aiOfText(player)))
}

function eloText({ elo }: Match): string {
    if (!elo || elo.bound !== "exact") return texts.game.eloUnknown
    return texts.game.eloDifference(
        signed(elo.elo, 0),
        elo.error === null ? null : fixed(elo.error, 0),
    )
}

/** Returns what the score does not say. */
function stateText({ state, reason }: Match): string {
    return reason ? texts.game.matchFailed(reason) : texts.game.matchStates[state]
}

/** Formats points: `2.5`. */
const scoreText = (points: number) => fixed(points, Number.isInteger(points) ? 0 : 1)

function Score() {
    const now = match.value
    if (!now) return null
    const { wins, draws } = now.tally
    const [first, second] = namesOf(now)
    const won = wins + draws / 2
    const about = [
        texts.game.scoreAfter(now.played, now.games),
        now.played > 0 ? eloText(now) : "",
        stateText(now),
    ]
    return (
        <p class="agreement" role="status" data-testid="score">
            {first} {scoreText(won)} – {scoreText(now.played - won)} {second}
            <span class="muted"> {about.filter(Boolean).join(". ")}</span>
        </p>
    )
}

function Pace({ isUsed }: { isUsed: boolean }) {
    const id = useId()
    return (
        <div class="field strength">
            <label for={id}>{texts.game.pace}</label>
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
            <output for={id}>{fixed(play.matchDelayMs.value / 1000, 2).replace(/0$/, "")} s</output>
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
    if (isOpen.value)
        return (
            <MainButton
                label={texts.game.stop}
                act={() => void stopGames()}
                disabled={isPending.value}
            />
        )
    if (play.matchRunning.value)
        return <MainButton label={texts.game.pause} act={play.pauseMatch} />
    if (count > 1)
        return (
            <MainButton
                label={texts.game.startGames(count)}
                act={() => void startGames()}
                disabled={isPending.value}
            />
        )
    return (
        <MainButton
            label={plies.value.length > 0 ? texts.game.resume : texts.game.start}
            act={play.startMatch}
            disabled={isOver.value}
        />
    )
}

export function MatchControls() {
    const isSingle = gameCount.value === 1 && !isOpen.value
    return (
        <>
            {(isAiMatch.value || isOpen.value) && (
                <div class="buttons" role="group" aria-label={texts.game.match}>
                    <StartOrStop />
                    <button
                        type="button"
                        onClick={play.playOneMove}
                        disabled={
                            !isSingle ||
                            play.matchRunning.value ||
                            play.isSearching.value ||
                            result.value !== null
                        }
                    >
                        {texts.game.playOne}
                    </button>
                    <label class="games-count">
                        <DraftInput
                            field={{ type: "number", min: 1, max: maxGames }}
                            value={gameCount.value}
                            commit={(text) =>
                                void (gameCount.value = Math.max(
                                    1,
                                    Math.min(maxGames, Math.round(Number(text)) || 1),
                                ))
                            }
                        />
                        <span>{texts.game.games(gameCount.value)}</span>
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
