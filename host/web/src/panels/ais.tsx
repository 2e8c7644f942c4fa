// The AIs panel: the list of AIs, and the client id and key.

import { ais, aisProblem } from "../ais"
import { Client } from "../ais/client"
import { AiList } from "../ais/list"
import { errorMessage } from "../format"

export function AisPanel() {
    return (
        <>
            {aisProblem.value && <p class="error-text">{errorMessage("the AIs", aisProblem.value)}</p>}
            {ais.value.length > 0 && <AiList />}
            {!aisProblem.value && ais.value.length === 0 && <p class="hint">This client may ask no AI. Enter another client’s id and key here, or add an AI to the server’s configuration.</p>}
            <Client />
            <p class="hint">
                <a href="/licenses.txt">Credits and licences</a>
            </p>
        </>
    )
}
