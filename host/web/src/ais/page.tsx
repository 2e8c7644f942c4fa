// The AIs tool: the list of AIs, and the client id and key.

import { ais, aisProblem, areAisKnown } from "../ais"
import { errorMessage } from "../format"
import { Client } from "./client"
import { AiList } from "./list"
import { texts } from "../texts/board"
import { common } from "../texts/common"

export function AisPage() {
    if (!areAisKnown.value) return <p class="hint">{common.loading}</p>
    return (
        <>
            {aisProblem.value && (
                <p class="error-text">{errorMessage(common.theAis, aisProblem.value)}</p>
            )}
            {ais.value.length > 0 && <AiList />}
            {!aisProblem.value && ais.value.length === 0 && <p class="hint">{texts.ais.none}</p>}
            <Client />
            <p class="hint">
                <a href="/licenses.txt">{texts.ais.credits}</a>
            </p>
        </>
    )
}
