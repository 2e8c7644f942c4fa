// Copies the request behind an answer as a curl command.

import { useEffect, useState } from "preact/hooks"
import { requestOf } from "./api"
import type { SentRequest } from "./api"
import { texts } from "./texts/board"

/** Quotes text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the curl command. It takes the key from a shell variable. */
function curlOf({ path, body, client, hasKey, id }: SentRequest): string {
    const headers = [
        "Content-Type: application/json",
        ...(client ? [`X-Client-Id: ${client}`] : []),
    ].map((header) => `-H ${quoted(header)}`)
    const key = hasKey ? ['-H "Authorization: Bearer $ROOKERY_KEY"'] : []
    const command = [
        "curl",
        "-s",
        quoted(location.origin + path),
        ...headers,
        ...key,
        "-d",
        quoted(JSON.stringify(body)),
    ].join(" ")
    return `# The answer had the request id ${id}.\n${command}\n`
}

/** Shows nothing for an answer from an earlier visit, whose request is unknown. */
export function CopyCurl({ answer }: { answer: object | null }) {
    const [isCopied, setCopied] = useState<boolean | null>(null)
    const request = answer && requestOf(answer)
    useEffect(() => setCopied(null), [answer])
    if (!request) return null
    const copy = () =>
        (navigator.clipboard?.writeText(curlOf(request)) ?? Promise.reject(new Error())).then(
            () => setCopied(true),
            () => setCopied(false),
        )
    return (
        <button
            type="button"
            class="link curl"
            title={texts.ais.requestId(request.id)}
            onClick={() => void copy()}
        >
            <span aria-live="polite">
                {isCopied === null
                    ? texts.ais.copyCurl
                    : isCopied
                      ? texts.ais.copied
                      : texts.ais.notCopied}
            </span>
        </button>
    )
}
