// Asks an AI for its move in the current position, outside the game.

import { useEffect, useRef, useState } from "preact/hooks"
import { aiName } from "../ais"
import { bestMove } from "../api"
import type { BestMove } from "../api"
import { CopyCurl } from "../curl"
import { currentNode, gameForm, status } from "../game"
import { errorMessage, formatScore, formatTime, sanText } from "../format"
import { scoreOfResult } from "../progress"
import { texts } from "../texts/board"

/** Returns a move with its score and search: `Nf3 +0.3, depth 5, 1.2 s`. */
function answerText(reply: BestMove): string {
    const { move, search } = reply
    const score = scoreOfResult(reply)
    const found = [move && sanText(move.san), score && formatScore(score)].filter(Boolean).join(" ")
    return [found, search.depth > 0 && texts.ais.depth(search.depth), formatTime(search.time_ms)]
        .filter(Boolean)
        .join(", ")
}

export function TryOut({ id }: { id: string }) {
    const [reply, setReply] = useState<BestMove | null>(null)
    const [error, setError] = useState<string | null>(null)
    const [isAsking, setAsking] = useState(false)
    const active = useRef<AbortController | null>(null)
    const position = currentNode.value.id
    const forget = () => {
        active.current?.abort()
        setAsking(false)
        setReply(null)
        setError(null)
    }
    // The answer is only valid for its position.
    useEffect(() => forget, [position])
    const ask = async () => {
        forget()
        const controller = new AbortController()
        active.current = controller
        setAsking(true)
        try {
            const answer = await bestMove(
                { game: gameForm(), ai: id },
                () => undefined,
                controller.signal,
            )
            if (!controller.signal.aborted) setReply(answer)
        } catch (error) {
            if (!controller.signal.aborted) setError(errorMessage(aiName(id), error))
        }
        if (!controller.signal.aborted) setAsking(false)
    }
    return (
        <div class="try-out">
            <button
                type="button"
                onClick={() => (isAsking ? forget() : void ask())}
                disabled={status.value?.state !== "in_progress"}
            >
                {isAsking ? texts.ais.stop : texts.ais.tryMove}
            </button>
            <span role="status">
                {reply ? answerText(reply) : error && <span class="error-text">{error}</span>}
            </span>
            <CopyCurl answer={reply} />
        </div>
    )
}
