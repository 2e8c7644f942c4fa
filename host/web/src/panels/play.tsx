// The panel of a running game: hint, draw offer, take back and resign.

import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { aiName } from "../ais"
import { chooseNewGame } from "../beginnings"
import { isPaused, timeControl } from "../clocks"
import { answerToDraw } from "../draw-offer"
import { errorMessage, formatScore, reasonText, sanText } from "../format"
import { currentId, gameNumber, isOver, plies, status } from "../game"
import { askForHint } from "../hint"
import { Icon } from "../icon"
import { aiColor } from "../opponent"
import { opponentName } from "../opponent-name"
import * as play from "../play"
import { texts } from "../texts/board"
import { common } from "../texts/common"

/** The question waiting for the user's answer. */
const asked = signal<"resign" | "draw" | null>(null)
/** The last hint or reply to a draw offer. */
const answer = signal("")
gameNumber.subscribe(forget)
currentId.subscribe(forget)
function forget(): void {
    asked.value = null
    answer.value = ""
}

/** Focuses an element that appears in the next frame. */
const focusOn = (selector: string) =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus())

function cancel(): void {
    focusOn(`[data-action=${asked.peek()}]`)
    asked.value = null
}

function confirm(): void {
    if (asked.peek() === "resign") play.resign()
    else agreeDraw()
    forget()
    focusOn(".game-over .primary")
}

function offerDraw(): void {
    const color = aiColor()
    if (!color) return void (asked.value = "draw")
    const { isAccepted, reason, score } = answerToDraw(color)
    answer.value = texts.game.drawAnswers[reason](opponentName(color), formatScore(score))
    if (isAccepted) agreeDraw()
}

const agreeDraw = () => play.endGame({ winner: null, reason: "agreement" })

const isHintDue = signal(false)

async function hint(): Promise<void> {
    isHintDue.value = true
    const node = currentId.peek()
    const say = (text: string) => node === currentId.peek() && (answer.value = text)
    try {
        const san = await askForHint()
        if (san) say(texts.game.hintIs(sanText(san)))
    } catch (error) {
        say(errorMessage(common.theServer, error))
    }
    isHintDue.value = false
}

interface ActionProps {
    name: "hint" | "draw" | "takeBack" | "resign"
    icon: string
    act: () => void
    isDisabled: boolean
}

const Action = ({ name, icon, act, isDisabled }: ActionProps) => (
    <button type="button" data-action={name} onClick={act} disabled={isDisabled}>
        <Icon path={icon} />
        {texts.game.actions[name]}
    </button>
)

function Actions() {
    const isEmpty = plies.value.length === 0
    return (
        <div class="play-actions">
            <Action
                name="hint"
                icon="M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5.5 1.1.5 1.6h6c0-.5-.1-1.1.5-1.6A6 6 0 0 0 12 3z"
                act={() => void hint()}
                isDisabled={!play.userMayMove.value || isHintDue.value}
            />
            <Action name="draw" icon="M5 9h14M5 15h14" act={offerDraw} isDisabled={isEmpty} />
            <Action
                name="takeBack"
                icon="M9 7L4 12l5 5M5 12h9a5 5 0 0 1 5 5v1"
                act={play.undo}
                isDisabled={!play.canUndo.value}
            />
            <Action
                name="resign"
                icon="M6 21V4M6 5c4-3 7 3 12 0v9c-5 3-8-3-12 0"
                act={() => (asked.value = "resign")}
                isDisabled={isEmpty}
            />
        </div>
    )
}

/** A question in place of the actions. */
function Question({ text }: { text: string }) {
    const no = useRef<HTMLButtonElement>(null)
    useLayoutEffect(() => no.current?.focus(), [])
    return (
        <div
            class="play-actions question"
            role="group"
            aria-label={text}
            onKeyDown={(event) => event.key === "Escape" && cancel()}
        >
            <strong>{text}</strong>
            {/* A double click on “Resign” must not answer the question. */}
            <button type="button" onClick={({ detail }) => detail < 2 && confirm()}>
                {texts.game.yes}
            </button>
            <button type="button" ref={no} onClick={cancel}>
                {texts.game.no}
            </button>
        </div>
    )
}

function Clocks() {
    if (!timeControl.value) return null
    return (
        <button
            type="button"
            onClick={() => (isPaused.value ? (isPaused.value = false) : play.pauseClocks())}
        >
            {isPaused.value ? texts.game.resumeClocks : texts.game.pauseClocks}
        </button>
    )
}

const Note = ({ children }: { children: ComponentChildren }) => <p class="hint">{children}</p>

function Fallback() {
    const ai = play.fallbackAi.value
    return ai && <Note>{texts.game.fallback(ai.name, aiName(ai.fallback_for ?? ""))}</Note>
}

/** The actions of a running game. After the game ends, the headline has its own actions. */
export function PlayPanel() {
    if (isOver.value) return answer.value ? <Note>{answer.value}</Note> : null
    return (
        <>
            <p class="hint" role="status">
                {answer.value}
            </p>
            <Fallback />
            {asked.value ? <Question text={texts.game.questions[asked.value]} /> : <Actions />}
            <div class="buttons">
                {(status.value?.claims ?? []).map((claim) => (
                    <button key={claim} type="button" onClick={() => play.claimDraw(claim)}>
                        {texts.game.claimDraw(reasonText(claim))}
                    </button>
                ))}
                <Clocks />
                <button type="button" class="link" onClick={chooseNewGame}>
                    {texts.game.newGame}
                </button>
            </div>
        </>
    )
}
