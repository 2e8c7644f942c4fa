// An AI's profile: its record, last fault, a try-out and its options.

import { useEffect, useState } from "preact/hooks"
import { call } from "../api"
import type { Ai, LastFault } from "../api"
import { percent, ratingText, tallyText, timeText } from "../arena/words"
import { textOf } from "../format"
import { AiOptions } from "../option-fields"
import { faultText, Health } from "./health"
import { recordOf } from "./ratings"
import { RolloutCard } from "./rollout"
import { texts } from "../texts/board"
import { TryOut } from "./try-out"

function capabilityText({ kinds, capabilities }: Ai): string {
    const labels = kinds.map((kind) => textOf(texts.ais.kinds, kind) ?? kind)
    if (capabilities.lines > 1) labels.push("MultiPV")
    if (capabilities.trace_nodes > 0) labels.push(texts.ais.searchTree)
    if (capabilities.chess960) labels.push("Chess960")
    return labels.join(", ")
}

function ArenaRecord({ id }: { id: string }) {
    const player = recordOf(id)
    if (!player) return null
    const figures = [
        ratingText(player),
        player.rank !== null && texts.ais.rank(player.rank),
        texts.ais.games(tallyText(player), player.games),
        percent(player.score),
    ]
    return (
        <p data-testid="record">
            <a href={`/arena#/players/${player.id}`}>{texts.ais.arena}</a>:{" "}
            {figures.filter(Boolean).join(", ")}
        </p>
    )
}

/** The last fault, which the server shows only to admins. */
function Fault({ ai }: { ai: Ai }) {
    const [fault, setFault] = useState<LastFault | null>(null)
    useEffect(() => {
        const controller = new AbortController()
        call<{ last_fault?: LastFault }>(
            `/v1/ais/${encodeURIComponent(ai.id)}`,
            undefined,
            controller.signal,
        )
            .then(({ last_fault }) => controller.signal.aborted || setFault(last_fault ?? null))
            .catch(() => undefined)
        return () => controller.abort()
    }, [ai.id, ai.state])
    if (!fault) return null
    return (
        <div class="last-fault" data-testid="last-fault">
            <p>
                <strong>{texts.ais.lastFault}</strong> {faultText(fault.code)}{" "}
                <span class="muted">
                    {[timeText(fault.time), fault.request_id && texts.ais.request(fault.request_id)]
                        .filter(Boolean)
                        .join(", ")}
                </span>
            </p>
            <p>{fault.detail}</p>
            {fault.stderr && <pre tabIndex={0}>{fault.stderr}</pre>}
        </div>
    )
}

export function Profile({ ai }: { ai: Ai }) {
    return (
        <div class="profile">
            <p class="muted">
                {[ai.id, ai.author && texts.ais.by(ai.author), capabilityText(ai)]
                    .filter(Boolean)
                    .join("; ")}
            </p>
            {ai.nodes && (
                <p class="muted">
                    {texts.ais.onNodes(
                        ai.nodes
                            .map(({ name, slots, busy }) => texts.ais.node(name, busy, slots))
                            .join(", "),
                    )}
                </p>
            )}
            <Health ai={ai} />
            <ArenaRecord id={ai.id} />
            <RolloutCard id={ai.id} />
            <Fault ai={ai} />
            <TryOut id={ai.id} />
            <AiOptions id={ai.id} />
            <p class="checksum" title={texts.ais.checksum}>
                {ai.library.file} {ai.library.sha256.slice(0, 12)}
            </p>
        </div>
    )
}
