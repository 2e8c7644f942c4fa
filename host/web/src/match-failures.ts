// Why a match failed, in the page's language. The server's reason is in English.

import { texts } from "./texts/board"

export const failures: Readonly<Record<string, RegExp>> = {
    player: /^the player '(.+)' does not start/,
    files: /^the files of '(.+)' have changed/,
    store: /^the arena's file cannot/,
    room: /^there is no room/,
    time: /^it has been played for (\S+) hours/,
    openings: /does not know the openings/,
    result: /^a game has no result/,
    client: /^the server's configuration no longer/,
}

export function failureText(reason: string): string {
    for (const [code, words] of Object.entries(failures)) {
        const found = words.exec(reason)
        if (found) return texts.match.failures[code]?.(found[1] ?? "") ?? reason
    }
    return reason
}
