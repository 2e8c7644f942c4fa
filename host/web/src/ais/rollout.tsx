// The evidence for a candidate, in the AI's and the candidate's profiles. Only admins see it.

import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { call, clientId, clientKey } from "../api"
import type { Rollout, RolloutSide } from "../api"
import { aiName } from "../ais"
import { fixed, formatCount, formatTime } from "../format"
import { faultText } from "./health"
import { texts } from "../texts/board"
import { common } from "../texts/common"

const rollouts = signal<readonly Rollout[]>([])
const intervalMs = 5000

/** Polls the rollouts while the AIs are shown. A client without a key is not an admin. */
export function useRollouts(): void {
    useEffect(() => {
        rollouts.value = []
        if (!clientKey.value) return undefined
        const controller = new AbortController()
        const { signal } = controller
        let timer: ReturnType<typeof setTimeout> | undefined
        const ask = async () => {
            if (!document.hidden) {
                const found = await call<{ rollouts: Rollout[] }>("/v1/rollouts", undefined, signal)
                if (!signal.aborted) rollouts.value = found.rollouts
            }
            timer = setTimeout(() => void ask().catch(() => undefined), intervalMs)
        }
        const begin = async () => {
            const { features } = await call<{ features: string[] }>(
                "/v1/version",
                undefined,
                signal,
            )
            if (features.includes("rollouts")) await ask()
        }
        // If the client is not an admin, the first request fails and nothing is shown.
        begin().catch(() => undefined)
        return () => {
            controller.abort()
            clearTimeout(timer)
        }
    }, [clientId.value, clientKey.value])
}

const shareText = (part: number, of: number) =>
    of > 0 ? common.percent(fixed((100 * part) / of, 1)) : "–"
const timeText = (ms: number | null) =>
    ms === null ? "–" : formatTime(Math.max(1, Math.round(ms)))

function faultsText({ faults }: RolloutSide): string {
    const known = Object.entries(faults).map(
        ([code, count]) => `${faultText(code)} × ${formatCount(count)}`,
    )
    return known.join(", ") || "0"
}

/** The AI and the candidate side by side. */
function Sides({ sides: { ai, candidate }, ...rollout }: Rollout) {
    const rows: [string, (side: RolloutSide) => string][] = [
        [texts.rollout.requests, ({ requests }) => formatCount(requests)],
        [texts.ais.median, ({ p50_ms }) => timeText(p50_ms)],
        [texts.ais.slowest, ({ p99_ms }) => timeText(p99_ms)],
        [texts.ais.faultTitle, faultsText],
    ]
    return (
        <table>
            <thead>
                <tr>
                    <td />
                    <th scope="col">{aiName(rollout.ai)}</th>
                    <th scope="col">{aiName(rollout.candidate)}</th>
                </tr>
            </thead>
            <tbody>
                {rows.map(([name, of]) => (
                    <tr key={name}>
                        <th scope="row">{name}</th>
                        <td>{of(ai)}</td>
                        <td>{of(candidate)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    )
}

/** Bars that show how often the candidate's score is lower or higher. */
function Differences({ comparison }: Rollout) {
    const classes = comparison.score_differences
    const most = Math.max(1, ...classes.map(({ count }) => count))
    if (comparison.moves === 0) return null
    return (
        <figure class="differences">
            <div aria-hidden="true">
                {classes.map(({ count }, index) => (
                    <span key={index} style={{ height: `${(100 * count) / most}%` }} />
                ))}
            </div>
            <figcaption class="muted">
                {classes
                    .filter(({ count }) => count > 0)
                    .map(({ from_cp, to_cp, count }) =>
                        texts.rollout.difference(
                            from_cp === null ? null : from_cp / 100,
                            to_cp === null ? null : to_cp / 100,
                            shareText(count, comparison.moves),
                        ),
                    )
                    .join(" · ")}
            </figcaption>
        </figure>
    )
}

function Strength({ strength }: Rollout) {
    if (!strength) return <p class="muted">{texts.rollout.noArena}</p>
    const { elo, llr, bounds, accepted } = strength
    const verdict = accepted ? texts.rollout.accepted[accepted] : texts.rollout.undecided
    return (
        <p>
            {[
                elo && `Elo ${fixed(elo.elo, 0)} ± ${fixed(elo.error ?? 0, 0)}`,
                `LLR ${fixed(llr, 2)} (${bounds.map((bound) => fixed(bound, 2)).join(", ")})`,
                verdict,
            ]
                .filter(Boolean)
                .join(" · ")}
        </p>
    )
}

/** The rollout that an AI is part of. */
export function RolloutCard({ id }: { id: string }) {
    const rollout = rollouts.value.find(({ ai, candidate }) => ai === id || candidate === id)
    if (!rollout) return null
    const { ai, candidate, shadow, canary, copies, comparison, refusals, notes } = rollout
    return (
        <section class="rollout card" aria-label={texts.rollout.title} data-testid="rollout">
            <h2>{texts.rollout.mayReplace(aiName(candidate), aiName(ai))}</h2>
            <p class="muted">{texts.rollout.shares(shadow, canary)}</p>
            <Sides {...rollout} />
            <p>
                {texts.rollout.copies(copies.asked, copies.dropped)}
                {comparison.moves > 0 &&
                    ` · ${texts.rollout.agreed(shareText(comparison.agreed, comparison.moves))}`}
            </p>
            <Differences {...rollout} />
            <Strength {...rollout} />
            {refusals.length > 0 ? (
                <>
                    <p>{texts.rollout.against}</p>
                    <ul>
                        {refusals.map(({ reason, detail }) => (
                            <li key={reason}>{detail}</li>
                        ))}
                    </ul>
                </>
            ) : (
                <p>{texts.rollout.ready(ai)}</p>
            )}
            {notes.map((note) => (
                <p key={note} class="muted">
                    {note}
                </p>
            ))}
        </section>
    )
}
