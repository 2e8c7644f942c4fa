// The move list in SAN, and the input for the next move.

import { signal } from "@preact/signals"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { choose, cursor, goTo, legal, plies } from "./game"
import { youMayMove } from "./play"
import { judgements } from "./report"
import { moveNumber } from "./preview"
import { faultInWords } from "./words"

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
    }, [here, plies.value, judgements.value])
    if (plies.value.length === 0) {
        return <p class="moves empty">No moves yet. Drag or click a piece, or type a move below.</p>
    }
    return (
        <ol class="moves" ref={list} aria-label="Moves" tabIndex={0} data-testid="moves">
            {plies.value.map((ply, index) => {
                const judged = judgements.value.get(index + 1)
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
                            {judged?.glyph && <b class={judged.judgement ?? ""}>{judged.glyph}</b>}
                        </button>
                    </li>
                )
            })}
        </ol>
    )
}

const typed = signal("")
const refused = signal<string | null>(null)

/** Normalizes a move for lenient input: `0-0`, `exd8Q`, `Nf3+`. */
const plain = (text: string) => text.replace(/[+#=x!?\s-]/g, "").replace(/0/g, "O")

export function MoveField() {
    const id = useId()
    const send = (event: SubmitEvent) => {
        event.preventDefault()
        const text = typed.value.trim()
        if (!text) return
        const same = legal.value.filter((move) => move.san === text || move.uci === text.toLowerCase())
        const meant = same.length > 0 ? same : legal.value.filter((move) => plain(move.san) === plain(text))
        const [move] = meant
        if (meant.length === 1 && move) {
            typed.value = ""
            refused.value = null
            choose(move).catch((error: unknown) => (refused.value = faultInWords("the server", error)))
        } else {
            refused.value = meant.length > 1 ? `${text} is ambiguous: ${meant.map((move) => move.san).join(" or ")}.` : `${text} is not a legal move.`
        }
    }
    return (
        <form class="move-field" onSubmit={send}>
            <label class="unseen" for={id}>
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
                    refused.value = null
                }}
            />
            <button type="submit" disabled={!youMayMove.value || !typed.value.trim()}>
                Move
            </button>
            <span class="refused" role="status">
                {refused.value}
            </span>
        </form>
    )
}
