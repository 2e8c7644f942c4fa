// The list of AIs: one line each, which unfolds into a profile.

import { signal } from "@preact/signals"
import { useId, useState } from "preact/hooks"
import { ais } from "../ais"
import type { Ai } from "../api"
import { ratingText } from "../arena/words"
import { StateDot } from "../fields"
import { useFigures } from "./figures"
import { healthText } from "./health"
import { Profile } from "./profile"
import { recordOf, useRatings } from "./ratings"
import { useRollouts } from "./rollout"
import { texts } from "../texts/board"

const search = signal("")

/** Whether every word of the search occurs in the id, name, author or state. */
function isFound({ id, name, author, state }: Ai): boolean {
    const text = [id, name, author, texts.ais.states[state]].join(" ").toLowerCase()
    return search.value
        .toLowerCase()
        .split(/\s+/)
        .every((word) => text.includes(word))
}

const isWell = ({ state }: Ai) => state === "ready" || state === "busy"

function Entry({ ai }: { ai: Ai }) {
    const [isOpen, setOpen] = useState(false)
    const player = recordOf(ai.id)
    return (
        <li>
            <details
                class="ai"
                data-testid={`ai-${ai.id}`}
                open={isOpen}
                onToggle={(event) => setOpen(event.currentTarget.open)}
            >
                <summary>
                    <StateDot state={ai.state} />
                    <span class="ai-name">
                        <strong title={ai.id}>{ai.name}</strong>
                        {ai.name.toLowerCase() !== ai.id && (
                            <span class="muted ai-id">{ai.id}</span>
                        )}
                        <span class="muted">{ai.version}</span>
                    </span>
                    {player && <span class="rating">{ratingText(player)}</span>}
                    <span class={isWell(ai) ? "ai-health muted" : "ai-health error-text"}>
                        {healthText(ai)}
                    </span>
                </summary>
                {isOpen && <Profile ai={ai} />}
            </details>
        </li>
    )
}

export function AiList() {
    const id = useId()
    useRatings()
    useFigures()
    useRollouts()
    const found = ais.value.filter(isFound)
    return (
        <>
            <div class="field">
                <label for={id}>{texts.ais.search}</label>
                <input
                    id={id}
                    type="search"
                    value={search.value}
                    onInput={(event) => (search.value = event.currentTarget.value)}
                />
            </div>
            <ul class="ais" aria-label={texts.ais.list}>
                {found.map((ai) => (
                    <Entry key={ai.id} ai={ai} />
                ))}
            </ul>
            <p class="hint" role="status">
                {found.length === ais.value.length
                    ? texts.ais.count(found.length)
                    : texts.ais.found(found.length, ais.value.length)}
            </p>
        </>
    )
}
