// The client id and key.

import { useId } from "preact/hooks"
import { clientId, clientKey, setClient } from "../api"

export function Client() {
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
