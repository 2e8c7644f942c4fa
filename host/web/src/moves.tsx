// The move list in SAN, and the input for the next move.

import { signal } from "@preact/signals"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { cursor, goTo, legal, plies, submitMove } from "./game"
import { userMayMove } from "./play"
import { moveReports } from "./report"
import { moveNumber } from "./preview"
import { errorMessage } from "./format"

export function MoveList() {
    const list = useRef<HTMLOListElement>(null)
    const here = cursor.value
    useLayoutEffect(() => {
        const box = list.current
        if (!box) return
        const row = box.querySelector<HTMLElement>(`[data-ply="${here}"]`)
        if (!row) box.scrollTop = 0
        else if (row.offsetTop < box.scrollTop || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
            box.scrollTop = row.offsetTop - box.clientHeight / 2
        }
    }, [here, plies.value, moveReports.value])
    if (plies.value.length === 0) {
        return <p class="moves empty">No moves yet. Drag or click a piece, or type a move below.</p>
    }
    return (
        <ol class="moves" ref={list} aria-label="Moves" tabIndex={0} data-testid="moves">
            {plies.value.map((ply, index) => {
                const entry = moveReports.value.get(index + 1)
                const number = moveNumber(index, index === 0)
                return (
                    <li key={index}>
                        {number && <span class="number">{number}</span>}
                        <button
                            type="button"
                            data-ply={index + 1}
                            {...(cursor.value === index + 1 ? { "aria-current": "step" as const } : {})}
                            onClick={() => goTo(index + 1)}
                        >
                            {ply.san}
                            {entry?.glyph && <b class={entry.judgement ?? ""}>{entry.glyph}</b>}
                        </button>
                    </li>
                )
            })}
        </ol>
    )
}

const typed = signal("")
const inputError = signal<string | null>(null)

/** Normalizes a move for lenient input: `0-0`, `exd8Q`, `Nf3+`. */
const normalize = (text: string) => text.replace(/[+#=x!?\s-]/g, "").replace(/0/g, "O")

export function MoveField() {
    const id = useId()
    const send = (event: SubmitEvent) => {
        event.preventDefault()
        const text = typed.value.trim()
        if (!text) return
        const same = legal.value.filter((move) => move.san === text || move.uci === text.toLowerCase())
        const candidates = same.length > 0 ? same : legal.value.filter((move) => normalize(move.san) === normalize(text))
        const [move] = candidates
        if (candidates.length === 1 && move) {
            typed.value = ""
            inputError.value = null
            submitMove(move).catch((error: unknown) => (inputError.value = errorMessage("the server", error)))
        } else {
            inputError.value = candidates.length > 1 ? `${text} is ambiguous: ${candidates.map((move) => move.san).join(" or ")}.` : `${text} is not a legal move.`
        }
    }
    return (
        <form class="move-field" onSubmit={send}>
            <label class="visually-hidden" for={id}>
                Your move, for example Nf3 or g1f3
            </label>
            <input
                id={id}
                value={typed.value}
                placeholder="Nf3"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                onInput={(event) => {
                    typed.value = event.currentTarget.value
                    inputError.value = null
                }}
            />
            <button type="submit" disabled={!userMayMove.value || !typed.value.trim()}>
                Move
            </button>
            <span class="input-error" role="status">
                {inputError.value}
            </span>
        </form>
    )
}
