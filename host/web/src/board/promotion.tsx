// The dialog that asks for the promotion piece.

import { useLayoutEffect, useRef } from "preact/hooks"
import type { Color, Move } from "../api"
import { cornerOf, tile } from "./geometry"
import { texts } from "../texts/board"

interface PromotionProps {
    /** The moves to choose from: the same squares with different promotions. */
    moves: Move[]
    color: Color
    orientation: Color
    choose: (move: Move | null) => void
}

const letters = { queen: "q", rook: "r", bishop: "b", knight: "n" } as const
const order = ["queen", "rook", "bishop", "knight"] as const

export function Promotion({ moves, color, orientation, choose }: PromotionProps) {
    const dialog = useRef<HTMLDivElement>(null)
    const buttons = () => [...(dialog.current?.querySelectorAll("button") ?? [])]
    useLayoutEffect(() => {
        const before = document.activeElement
        buttons()[0]?.focus({ preventScroll: true })
        return () => {
            if (before instanceof SVGElement || before instanceof HTMLInputElement)
                before.focus({ preventScroll: true })
        }
    }, [])
    const sorted = order.flatMap((role) => {
        const move = moves.find(({ promotion }) => promotion === role)
        return move ? { role, move } : []
    })
    const { x, y } = cornerOf(sorted[0]?.move.to ?? "a8", orientation)
    const onKeyDown = (event: KeyboardEvent) => {
        const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
        if (event.key === "Escape") choose(null)
        else if (by) {
            const all = buttons()
            all[
                (all.indexOf(document.activeElement as HTMLButtonElement) + by + all.length) %
                    all.length
            ]?.focus()
        } else return
        event.preventDefault()
        event.stopPropagation()
    }
    const percent = (units: number) => `${(units / (8 * tile)) * 100}%`
    return (
        <>
            <div class="promotion-backdrop" onPointerDown={() => choose(null)} />
            <div
                class="promotion-dialog"
                role="dialog"
                aria-label={texts.game.promoteTo}
                ref={dialog}
                style={{ left: percent(x), ...(y === 0 ? { top: "0" } : { bottom: "0" }) }}
                onKeyDown={onKeyDown}
            >
                {sorted.map(({ role, move }) => (
                    <button
                        key={move.uci}
                        type="button"
                        class="promotion-dialog-button"
                        aria-label={texts.game.promotions[role]}
                        onClick={() => choose(move)}
                    >
                        <svg viewBox="0 0 40 40" aria-hidden="true">
                            <use href={`#${color === "white" ? "w" : "b"}${letters[role]}`} />
                        </svg>
                    </button>
                ))}
            </div>
        </>
    )
}
