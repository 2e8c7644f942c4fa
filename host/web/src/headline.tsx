// The headline: whose turn it is, or how the game ended.

import { useSignalEffect } from "@preact/signals"
import { aiName } from "./ais"
import { atEnd, currentId, goTo, isOver, opposite, plies, positionError, result, status } from "./game"
import { learnFromGame, lesson } from "./learn"
import { learnLabel } from "./learn-texts"
import { switchSides } from "./levels"
import { isFollowing, isOpen, match, showMatch } from "./match"
import { shownGame } from "./match-board"
import { moveLabel } from "./moves"
import { openTool } from "./places"
import { isSearching, matchRunning } from "./play"
import { aiOf, aiToMoveAtEnd, isAiMatch, userColor, userPlaysBoth } from "./players"
import { newGame } from "./steps"
import { switches } from "./switches"
import { rootId } from "./tree"
import { overlay } from "./view"
import { colorName, errorMessage, resultText } from "./format"
import type { GameResult } from "./format"

const isEdited = () => overlay.value?.isEdited ?? false
/** Whether an earlier position of a game with an AI is shown. */
const isLookingBack = () => !atEnd.value && !userPlaysBoth.value && !isEdited() && !lesson.value

function headline(): string {
    if (isEdited()) return "Board editor"
    if (overlay.value?.leave) return "Imagined position"
    if (lesson.value) return learnLabel(lesson.value.color)
    if (isLookingBack()) return currentId.value === rootId ? "Starting position" : `Position after ${moveLabel(currentId.value)}`
    // The moves of a match may be too fast for a text that changes with each.
    if (isFollowing.value) return `Game ${shownGame.value} of ${match.value?.games}`
    if (result.value) return outcomeText(result.value)
    if (!status.value) return positionError.value ? errorMessage("the server", positionError.value) : "…"
    const { turn, check } = status.value
    const inCheck = check ? ", in check" : ""
    const ai = aiToMoveAtEnd.value
    if (ai && isSearching.value) return `${aiName(ai)} is thinking${inCheck}`
    if (ai && isAiMatch.value && !matchRunning.value) return `${aiName(ai)} to move${inCheck}`
    return ai ? `${aiName(ai)} to move${inCheck}` : userPlaysBoth.value ? `${colorName(turn)} to move${inCheck}` : `Your move${inCheck}`
}

/** Says how a game ended: to a player in its own words. */
function outcomeText(result: GameResult): string {
    const text = resultText(result)
    if (!result.winner || userPlaysBoth.value || isAiMatch.value) return text
    const isWon = result.winner === userColor.value
    if (result.reason === "resignation") return isWon ? `${aiName(aiOf(opposite(userColor.value)) ?? "")} resigned` : "You resigned"
    return text.replace(/^(White|Black) wins/, isWon ? "You won" : "You lost")
}

/** Plays the same opponent again, with the other color. */
function rematch(): void {
    newGame()
    switchSides()
}

export function Headline() {
    useSignalEffect(() => {
        document.title = `${headline()} · Rookery`
    })
    const leave = overlay.value?.leave
    return (
        <div class="headline-row">
            <div role="status">
                <h1 class={`headline${result.value && !isEdited() && !isFollowing.value ? " over" : ""}`} data-testid="headline">
                    {headline()}
                </h1>
            </div>
            {overlay.value?.add && (
                <button type="button" class="link" onClick={overlay.value.add}>
                    Add to the game
                </button>
            )}
            {(leave || isLookingBack()) && (
                <button type="button" class="link" onClick={leave ?? (() => goTo(plies.value.length))}>
                    Back to the game
                </button>
            )}
            {isOpen.value && !isFollowing.value && (
                <button type="button" class="link" onClick={showMatch}>
                    Follow the match
                </button>
            )}
        </div>
    )
}

/** The actions after the end of a game. */
export function GameOverActions() {
    if (!isOver.value || isEdited() || lesson.value || isFollowing.value || plies.value.length === 0) return null
    return (
        <div class="buttons" role="group" aria-label="Game over">
            {userPlaysBoth.value || isAiMatch.value ? (
                <button type="button" class="primary" onClick={() => newGame()}>
                    Play again
                </button>
            ) : (
                <button type="button" class="primary" title="The same opponent, with the other color" onClick={rematch}>
                    Rematch
                </button>
            )}
            {switches.tool.value !== "report" && (
                <button type="button" onClick={() => openTool("report")}>
                    Review game
                </button>
            )}
            {!userPlaysBoth.value && !isAiMatch.value && (
                <button type="button" onClick={() => void learnFromGame(userColor.value)}>
                    {learnLabel(userColor.value)}
                </button>
            )}
        </div>
    )
}
