// How an AI is doing: its state, response times, queue and faults over time.

import type { Ai } from "../api"
import { textOf, fixed, formatCount, formatTime } from "../format"
import { figures, faultCount, history, quantileMs } from "./figures"
import type { Figures, Sample } from "./figures"
import { stateText } from "./since"
import { texts } from "../texts/board"

const timeText = (ms: number | null): string =>
    ms === null ? "–" : formatTime(Math.max(1, Math.round(ms)))

/** Returns a quantile of the response times in ms; null if every search failed. */
const answerMs = (now: Figures, share: number) => (now.searches > 0 ? quantileMs(now, share) : null)

/** Returns the line for the list: the state and the server's counts. */
export function healthText(ai: Ai): string {
    const now = figures.value[ai.id]
    if (!now) return stateText(ai)
    const median = answerMs(now, 0.5)
    const faults = faultCount(now)
    return [
        stateText(ai),
        median !== null && texts.ais.usually(timeText(median)),
        now.queue > 0 && texts.ais.waiting(now.queue),
        faults > 0 && texts.ais.faultCount(faults),
    ]
        .filter(Boolean)
        .join(" · ")
}

const [width, height] = [240, 40]

interface Course {
    minutes: number
    /** The slowest response in seconds; null if no search succeeded. */
    slowest: number | null
    queue: number
    faults: number
    /** The points of the response-time line, as SVG coordinates. */
    line: string
    marks: { kind: "queue" | "fault"; x: number; top: number }[]
}

/** Computes the chart of the samples, which begin with `first` and end with `last`. */
function courseOf(samples: readonly Sample[], first: Sample, last: Sample): Course {
    const times = samples.flatMap(({ seconds }) => seconds ?? [])
    const slowest = times.length > 0 ? Math.max(...times) : null
    const queue = Math.max(...samples.map((sample) => sample.queue))
    const x = ({ time }: Sample) => (width * (time - first.time)) / (last.time - first.time)
    const y = (share: number) => height - 2 - (height - 6) * share
    const line = samples.flatMap((sample) =>
        sample.seconds === null ? [] : [x(sample), y(sample.seconds / (slowest || 1))],
    )
    return {
        minutes: Math.max(1, Math.round((last.time - first.time) / 60_000)),
        slowest,
        queue,
        faults: samples.reduce((sum, sample) => sum + sample.faults, 0),
        line: line.map((at) => at.toFixed(1)).join(" "),
        marks: samples.flatMap((sample) => [
            ...(sample.queue > 0
                ? [{ kind: "queue" as const, x: x(sample), top: y(sample.queue / queue) }]
                : []),
            ...(sample.faults > 0 ? [{ kind: "fault" as const, x: x(sample), top: 0 }] : []),
        ]),
    }
}

/** Draws response times as a line, the queue as bars, and faults as marks. */
function Course({ samples }: { samples: readonly Sample[] }) {
    const [first, last] = [samples[0], samples.at(-1)]
    if (!first || !last || first === last) return null
    const { minutes, slowest, queue, faults, line, marks } = courseOf(samples, first, last)
    return (
        <figure class="course">
            {(line || marks.length > 0) && (
                <svg
                    viewBox={`0 0 ${width} ${height}`}
                    preserveAspectRatio="none"
                    aria-hidden="true"
                >
                    {marks.map(({ kind, x, top }, index) => (
                        <line key={index} class={kind} x1={x} x2={x} y1={height} y2={top} />
                    ))}
                    <polyline points={line} />
                </svg>
            )}
            <figcaption class="muted">
                {[
                    slowest === null
                        ? texts.ais.noAnswer(minutes)
                        : texts.ais.slowestOf(minutes, timeText(slowest * 1000)),
                    texts.ais.longestQueue(queue),
                    texts.ais.faultCount(faults),
                ].join(" · ")}
            </figcaption>
        </figure>
    )
}

function Faults({ faults }: Figures) {
    const known = Object.entries(faults).filter(([, count]) => count > 0)
    if (known.length === 0) return null
    return (
        <ul class="fault-list" aria-label={texts.ais.faultList}>
            {known.map(([code, count]) => (
                <li key={code}>
                    {faultText(code)} <span class="muted">× {formatCount(count)}</span>
                </li>
            ))}
        </ul>
    )
}

/** Returns the text for a fault code. */
export const faultText = (code: string): string =>
    textOf(texts.ais.faults, code) ?? texts.ais.otherFault

/** The figures of an AI since the server started. */
export function Health({ ai }: { ai: Ai }) {
    const now = figures.value[ai.id]
    const facts: [string, string][] = now
        ? [
              [texts.ais.median, timeText(answerMs(now, 0.5))],
              [texts.ais.slowest, timeText(answerMs(now, 0.99))],
              [texts.ais.queue, String(now.queue)],
              [texts.ais.searches, formatCount(now.searches)],
              [texts.ais.faultTitle, String(faultCount(now))],
              [texts.ais.restarts, String(now.restarts)],
              [texts.ais.memory, `${fixed(now.memoryBytes / 2 ** 20, 0)} MB`],
          ]
        : []
    return (
        <div class="health" data-testid="health">
            <dl class="facts">
                {facts.map(([name, value]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>{value}</dd>
                    </div>
                ))}
            </dl>
            <Course samples={history.value[ai.id] ?? []} />
            {now && <Faults {...now} />}
        </div>
    )
}
