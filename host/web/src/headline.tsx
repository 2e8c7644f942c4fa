// The headline: whose turn it is, or how the game ended.

import { useSignalEffect } from "@preact/signals"
import { chooseNewGame, isChoosing, rematch } from "./beginnings"
import {
    atEnd,
    currentId,
    goTo,
    isOver,
    opposite,
    plies,
    positionError,
    result,
    status,
} from "./game"
import { lesson } from "./learn"
import { isChoosingPlayers, isFollowing, isOpen, match, showMatch } from "./match"
import { shownGame } from "./match-board"
import { moveLabel } from "./move-label"
import { openReview } from "./places"
import { opponentName } from "./opponent-name"
import { isSearching } from "./play"
import { aiToMoveAtEnd, isAiMatch, userColor, userPlaysBoth } from "./players"
import { switches } from "./switches"
import { rootId } from "./tree"
import { overlay } from "./view"
import { colorName, errorMessage, reasonText, resultText } from "./format"
import type { GameResult } from "./format"
import { texts } from "./texts/board"
import { common } from "./texts/common"

const isEdited = () => overlay.value?.isEdited ?? false
/** Whether an earlier position of a game with an AI is shown. */
const isLookingBack = () => !atEnd.value && !userPlaysBoth.value && !isEdited() && !lesson.value

function headline(): string {
    if (isEdited()) return texts.page.editor
    if (overlay.value?.leave) return texts.page.imagined
    if (lesson.value) return texts.lesson.learn(lesson.value.color)
    if (isLookingBack())
        return currentId.value === rootId
            ? texts.page.start
            : texts.page.positionAfter(moveLabel(currentId.value))
    // The moves of a match may be too fast for a headline.
    if (isFollowing.value) return texts.page.gameOf(shownGame.value, match.value?.games)
    if (isChoosingPlayers.value) return texts.match.title
    if (switches.place.value === "watch" && match.value && !isOpen.value) return texts.match.over
    if (result.value) return outcomeText(result.value)
    if (!status.value)
        return positionError.value ? errorMessage(common.theServer, positionError.value) : "…"
    const { turn, check } = status.value
    const ai = aiToMoveAtEnd.value !== null
    if (ai && isChoosing.value) return texts.page.pressStart
    if (ai && isSearching.value) return texts.page.thinking(opponentName(turn), check)
    if (ai) return texts.page.toMove(opponentName(turn), check)
    return userPlaysBoth.value
        ? texts.page.toMove(colorName(turn), check)
        : texts.page.yourMove(check)
}

/** Whether the open tool fills the column, so that its title is the heading of the view. */
export const isTitledByTool = () =>
    switches.tool.value === "report" || switches.tool.value === "ais" || isEdited()

/** Says how a game ended. Players read “You won” or “You lost”. */
function outcomeText(result: GameResult): string {
    if (!result.winner || userPlaysBoth.value || isAiMatch.value) return resultText(result)
    const isWon = result.winner === userColor.value
    if (result.reason === "resignation")
        return isWon
            ? texts.page.resigned(opponentName(opposite(userColor.value)))
            : texts.page.youResigned
    return (isWon ? texts.page.youWon : texts.page.youLost)(reasonText(result.reason))
}

export function Headline() {
    useSignalEffect(() => {
        document.title = `${headline()} · Rookery`
    })
    const leave = overlay.value?.leave
    const Title = isTitledByTool() ? "p" : "h1"
    const isHidden = isTitledByTool() || isChoosing.value
    return (
        <div class="headline-row">
            <div role="status">
                <Title
                    class={`headline${isHidden ? " visually-hidden" : ""}`}
                    data-testid="headline"
                >
                    {headline()}
                </Title>
            </div>
            {overlay.value?.add && (
                <button type="button" class="link" onClick={overlay.value.add}>
                    {texts.page.addToGame}
                </button>
            )}
            {(leave || isLookingBack()) && (
                <button
                    type="button"
                    class="link"
                    onClick={leave ?? (() => goTo(plies.value.length))}
                >
                    {texts.page.backToGame}
                </button>
            )}
            {isOpen.value && !isFollowing.value && (
                <button type="button" class="link" onClick={showMatch}>
                    {texts.page.followMatch}
                </button>
            )}
        </div>
    )
}

/** The buttons shown after a person's game ends. */
export function GameOverActions() {
    if (
        !isOver.value ||
        isEdited() ||
        lesson.value ||
        switches.place.value !== "play" ||
        plies.value.length === 0
    )
        return null
    return (
        <div class="buttons game-over" role="group" aria-label={texts.page.gameOver}>
            <button type="button" class="primary" onClick={openReview}>
                {texts.page.review}
            </button>
            <button type="button" title={texts.page.rematchHint} onClick={rematch}>
                {texts.page.rematch}
            </button>
            <button type="button" class="link" onClick={chooseNewGame}>
                {texts.page.newGame}
            </button>
        </div>
    )
}
