// Playable moves in the current position from the tablebases or the opening book.

import { effect, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { call } from "./api"
import type { Book, Move } from "./api"
import { sanText } from "./format"
import { positionInfo } from "./game"
import { submitMove, userMayMove } from "./play"
import { bestTableMoves } from "./tablebase"
import { texts } from "./texts/board"
import { common } from "./texts/common"
import { isContest } from "./view"

const book = signal<Book | null>(null)

/** Requests the book moves of each position, except while a person plays. */
function followPosition(): () => void {
    return effect(() => {
        const game = positionInfo.value?.game
        book.value = null
        if (!game || isContest.value) return
        const controller = new AbortController()
        const query = new URLSearchParams({ fen: game.fen })
        const show = async () => {
            const found = await call<Book>(`/v1/book?${query}`, undefined, controller.signal)
            if (!controller.signal.aborted) book.value = found
        }
        // If the request fails, the row stays empty.
        show().catch(() => undefined)
        return () => controller.abort()
    })
}

function MoveButton({ move, about, title }: { move: Move; about: string; title: string }) {
    return (
        <button
            type="button"
            class="known-move"
            title={title}
            disabled={!userMayMove.value}
            onClick={() => void submitMove(move)}
        >
            {sanText(move.san)} <span class="muted">{about}</span>
        </button>
    )
}

function shareText(weight: number, total: number): string {
    const percent = (100 * weight) / total
    return common.percent(percent > 0 && percent < 1 ? "< 1" : percent.toFixed(0))
}

function bookMoves({ moves }: Book) {
    const total = Math.max(
        1,
        moves.reduce((sum, { weight }) => sum + weight, 0),
    )
    return moves.map((move) => (
        <MoveButton
            key={move.uci}
            move={move}
            about={shareText(move.weight, total)}
            title={texts.analysis.weight(move.weight)}
        />
    ))
}

export function KnownMoves() {
    useEffect(followPosition, [])
    if (isContest.value) return null
    const table = bestTableMoves.value
    return (
        <div
            class="known-moves"
            role="group"
            aria-label={table.length > 0 ? texts.analysis.tablebaseMoves : texts.analysis.bookMoves}
            data-testid="known-moves"
        >
            {table.length > 0 ? (
                <>
                    <span class="muted">{texts.analysis.tablebase}</span>
                    {table.map((move) => (
                        <MoveButton
                            key={move.uci}
                            move={move}
                            about={texts.analysis.wdl[move.wdl]}
                            title={`DTZ ${Math.abs(move.dtz)}`}
                        />
                    ))}
                </>
            ) : (
                <>
                    <span
                        class="muted"
                        title={book.value ? texts.analysis.bookName(book.value.book) : undefined}
                    >
                        {book.value?.moves.length === 0
                            ? texts.analysis.notInBook
                            : texts.analysis.book}
                    </span>
                    {book.value && bookMoves(book.value)}
                </>
            )}
        </div>
    )
}
