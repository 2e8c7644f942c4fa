// The AIs panel: the list of AIs, and the client id and key.

import { useId } from "preact/hooks"
import { ais, aisProblem } from "../ais"
import { clientId, clientKey, setClient } from "../api"
import type { Ai } from "../api"
import { StateDot } from "../fields"
import { AiOptions } from "../option-fields"
import { errorMessage } from "../format"

const kindLabels: Record<string, string> = { searcher: "search", evaluator: "evaluation" }

function capabilityText({ kinds, capabilities }: Ai): string {
    const labels = kinds.map((kind) => kindLabels[kind] ?? kind)
    if (capabilities.lines > 1) labels.push("MultiPV")
    if (capabilities.trace_nodes > 0) labels.push("search tree")
    if (capabilities.chess960) labels.push("Chess960")
    return labels.join(", ")
}

function Card({ ai }: { ai: Ai }) {
    return (
        <article class="card ai" data-testid={`ai-${ai.id}`}>
            <header>
                <StateDot state={ai.state} />
                <strong>{ai.name}</strong>
                <span class="muted">
                    {[ai.id, ai.version, ai.state].filter(Boolean).join(" · ")}
                </span>
            </header>
            <p class="muted">
                {[ai.author && `by ${ai.author}`, capabilityText(ai)].filter(Boolean).join("; ")}
            </p>
            {ai.nodes && (
                <p class="muted">
                    on {ai.nodes.map(({ name, slots, busy }) => `${name} (${busy} of ${slots} busy)`).join(", ")}
                </p>
            )}
            <AiOptions id={ai.id} />
            <p class="checksum" title="SHA-256 of the loaded library">
                {ai.library.file} {ai.library.sha256.slice(0, 12)}
            </p>
        </article>
    )
}

function Client() {
    const [name, key] = [useId(), useId()]
    const save = (event: SubmitEvent) => {
        event.preventDefault()
        const fields = new FormData(event.currentTarget as HTMLFormElement)
        setClient(String(fields.get("client") ?? "").trim(), String(fields.get("key") ?? "").trim())
    }
    return (
        <form class="client" onSubmit={save} aria-label="Client">
            <div class="fields">
                <div class="field">
                    <label for={name}>Client id</label>
                    <input id={name} name="client" autocomplete="username" defaultValue={clientId.value} />
                </div>
                <div class="field">
                    <label for={key}>API key</label>
                    <input id={key} name="key" type="password" autocomplete="current-password" defaultValue={clientKey.value} />
                </div>
            </div>
            <div class="buttons">
                <button type="submit">Save</button>
            </div>
            <p class="hint">Required only if the server uses API keys. The key is deleted when this tab is closed.</p>
        </form>
    )
}

export function AisPanel() {
    return (
        <>
            {aisProblem.value && <p class="error-text">{errorMessage("the AIs", aisProblem.value)}</p>}
            <div class="cards">
                {ais.value.map((ai) => (
                    <Card key={ai.id} ai={ai} />
                ))}
            </div>
            {!aisProblem.value && ais.value.length === 0 && <p class="hint">No AIs available.</p>}
            <Client />
            <p class="hint">
                <a href="/licenses.txt">Credits and licences</a>
            </p>
        </>
    )
}
