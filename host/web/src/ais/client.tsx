// The client id and key.

import { useId } from "preact/hooks"
import { clientId, clientKey, setClient } from "../api"
import { texts } from "../texts/board"

export function Client() {
    const [name, key] = [useId(), useId()]
    const save = (event: SubmitEvent) => {
        event.preventDefault()
        const fields = new FormData(event.currentTarget as HTMLFormElement)
        setClient(String(fields.get("client") ?? "").trim(), String(fields.get("key") ?? "").trim())
    }
    return (
        <form class="client" onSubmit={save} aria-label={texts.ais.client}>
            <div class="fields">
                <div class="field">
                    <label for={name}>{texts.ais.clientId}</label>
                    <input
                        id={name}
                        name="client"
                        autocomplete="username"
                        defaultValue={clientId.value}
                    />
                </div>
                <div class="field">
                    <label for={key}>{texts.ais.apiKey}</label>
                    <input
                        id={key}
                        name="key"
                        type="password"
                        autocomplete="current-password"
                        defaultValue={clientKey.value}
                    />
                </div>
            </div>
            <div class="buttons">
                <button type="submit">{texts.ais.save}</button>
            </div>
            <p class="hint">{texts.ais.clientHint}</p>
        </form>
    )
}
