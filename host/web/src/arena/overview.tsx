// The first screen: state, running games, ladder and crosstable.

import { useEffect, useState } from "preact/hooks"
import { Boards } from "./boards"
import { Crosstable } from "./crosstable"
import { NoGames } from "./empty"
import { Ladder } from "./ladder"
import { arena, arenaError, setState } from "./ladder-data"
import { watchGames } from "./live"
import { AdminActions, ErrorText, Figures, Heading } from "./parts"
import { texts } from "../texts/arena"
import { common } from "../texts/common"
import type { Arena, StateReply } from "../api/types"
import { stateText } from "./words"

const changeState = (label: string, verb: "pause" | "resume") => ({
    label,
    path: `/v1/arena/${verb}`,
    done: (reply: StateReply) => {
        setState(reply)
        return ""
    },
})

/** Maps each state of the arena to the AI state whose dot it uses. */
const dots = { playing: "ready", waiting: "busy", paused: "draining" } as const

function State({ now }: { now: Arena }) {
    return (
        <>
            <p class="state-text" data-testid="state">
                {/* A new element when the text changes, which counts as no layout shift. */}
                <span key={stateText(now)}>
                    <span class={`state state-${dots[now.state]}`} aria-hidden="true" />
                    {stateText(now)}
                </span>
            </p>
            <Figures
                of={[
                    [texts.timeControl, now.time_control],
                    [texts.games, now.games],
                    [texts.pairs, now.pairs],
                    [texts.voidPairs, now.void_pairs],
                ]}
            />
        </>
    )
}

function Overview({ now, streamError }: { now: Arena; streamError: unknown }) {
    return (
        <>
            <AdminActions
                actions={[
                    now.state === "paused"
                        ? changeState(texts.resume, "resume")
                        : changeState(texts.pause, "pause"),
                ]}
            />
            {now.games === 0 && <NoGames />}
            <div class="columns overview">
                {now.players.length > 0 && <Ladder now={now} />}
                <Boards error={streamError} />
                {now.pairings.length > 0 && <Crosstable now={now} />}
            </div>
        </>
    )
}

export function LadderScreen() {
    const now = arena.value
    const [streamError, setStreamError] = useState<unknown>(null)
    useEffect(() => {
        const leaving = new AbortController()
        watchGames(leaving.signal).catch((error: unknown) => {
            if (!leaving.signal.aborted) setStreamError(error)
        })
        return () => leaving.abort()
    }, [])
    return (
        <>
            <div class="arena-head">
                <Heading title={texts.name} />
                {now && <State now={now} />}
            </div>
            {!now && <p class="hint">{common.loading}</p>}
            {arenaError.value !== null && <ErrorText error={arenaError.value} />}
            {now && <Overview now={now} streamError={streamError} />}
        </>
    )
}
