// Figures of the AIs over time: queue, response times and faults, from the server's metrics. The
// page collects them while it shows the AIs.

import { batch, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { noteAnswer } from "../ai-faults"
import { clientId, clientKey, metrics } from "../api"

/** An AI's metrics since the server started. */
export interface Figures {
    searches: number
    restarts: number
    queue: number
    memoryBytes: number
    faults: Readonly<Record<string, number>>
    answers: number
    answerSeconds: number
    /** The number of answers within each response time in seconds, shortest time first. */
    within: readonly (readonly [seconds: number, answers: number])[]
}

/** An AI's figures for one interval. */
export interface Sample {
    time: number
    queue: number
    /** The mean response time in seconds; null if no search succeeded. */
    seconds: number | null
    faults: number
}

export const figures = signal<Readonly<Record<string, Figures>>>({})
export const history = signal<Readonly<Record<string, readonly Sample[]>>>({})

const intervalMs = 3000
const maxSamples = 120

const line = /^rookery_ai_(\w+)\{([^}]*)\} (\S+)$/gm
const labels = (text: string) =>
    Object.fromEntries(
        [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )

const nothing = (): Figures => ({
    searches: 0,
    restarts: 0,
    queue: 0,
    memoryBytes: 0,
    faults: {},
    answers: 0,
    answerSeconds: 0,
    within: [],
})

/** Maps each metric that is a single number to its field. */
const numbers: Readonly<Record<string, keyof Figures>> = {
    searches_total: "searches",
    restarts_total: "restarts",
    queue_length: "queue",
    memory_bytes: "memoryBytes",
    thinking_seconds_count: "answers",
    thinking_seconds_sum: "answerSeconds",
}

/** Parses the server's metrics. Returns the figures by AI id. */
export function figuresOf(text: string): Record<string, Figures> {
    const found: Record<string, Figures> = {}
    for (const [, name = "", labelled = "", value] of text.matchAll(line)) {
        const { ai = "", code = "", le = "" } = labels(labelled)
        const now = (found[ai] ??= nothing())
        const [key, number] = [numbers[name], Number(value)]
        if (key) Object.assign(now, { [key]: number })
        else if (name === "faults_total") now.faults = { ...now.faults, [code]: number }
        else if (name === "thinking_seconds_bucket")
            now.within = [...now.within, [le === "+Inf" ? Infinity : Number(le), number]]
    }
    return found
}

export const faultCount = ({ faults }: Figures): number =>
    Object.values(faults).reduce((sum, count) => sum + count, 0)

/** Returns a quantile of the response times in ms; null before the first answer. */
export function quantileMs({ within, answers }: Figures, share: number): number | null {
    if (answers === 0) return null
    let [before, counted] = [0, 0]
    for (const [seconds, count] of within) {
        if (count >= share * answers) {
            if (seconds === Infinity) return before * 1000
            const part = (share * answers - counted) / (count - counted)
            return (before + (seconds - before) * part) * 1000
        }
        before = seconds
        counted = count
    }
    return before * 1000
}

function sampleOf(before: Figures | undefined, now: Figures): Sample {
    const answers = now.answers - (before?.answers ?? now.answers)
    const seconds = now.answerSeconds - (before?.answerSeconds ?? 0)
    // `answers` includes failed searches. Only `searches` shows that one succeeded.
    const isAnswered = now.searches > (before?.searches ?? now.searches)
    return {
        time: Date.now(),
        queue: now.queue,
        seconds: isAnswered && answers > 0 ? seconds / answers : null,
        faults: before ? Math.max(0, faultCount(now) - faultCount(before)) : 0,
    }
}

function add(found: Record<string, Figures>): void {
    const next = Object.entries(found).map(([id, now]) => {
        const before = figures.value[id]
        const sample = sampleOf(before, now)
        if (before && now.searches > before.searches && sample.faults === 0) noteAnswer(id)
        return [id, [...(history.value[id] ?? []).slice(1 - maxSamples), sample]] as const
    })
    batch(() => {
        history.value = Object.fromEntries(next)
        figures.value = found
    })
}

/** Polls the figures while the AIs are shown. Stops if the server refuses them. */
export function useFigures(): void {
    useEffect(() => {
        const controller = new AbortController()
        let timer: ReturnType<typeof setTimeout> | undefined
        const ask = async () => {
            if (!document.hidden) add(figuresOf(await metrics(controller.signal)))
            timer = setTimeout(() => void ask().catch(() => undefined), intervalMs)
        }
        ask().catch(() => undefined)
        return () => {
            controller.abort()
            clearTimeout(timer)
        }
    }, [clientId.value, clientKey.value])
}
