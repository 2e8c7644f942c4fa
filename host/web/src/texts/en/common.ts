// English strings of both pages.

import type { Color } from "../../api/types"
import { count } from "../plural"

const colors = { white: "White", black: "Black" }

/** How games end. `resultOfTermination` matches these words in the host's sentences. */
export const reasons = {
    checkmate: "by checkmate",
    stalemate: "by stalemate",
    insufficient_material: "by insufficient material",
    seventyfive_moves: "by the 75-move rule",
    fivefold_repetition: "by fivefold repetition",
    threefold_repetition: "by threefold repetition",
    fifty_moves: "by the 50-move rule",
    resignation: "by resignation",
    agreement: "by agreement",
    time: "on time",
    time_without_mate: "on time: the opponent cannot checkmate",
    adjudication: "by adjudication",
    too_long: "by adjudication: too long",
    tablebase: "by tablebase",
    fault: "by a fault of the opponent",
}

export const common = {
    /** The letters for king, queen, rook, bishop and knight. */
    pieceLetters: "KQRBN",
    colors,
    clock: (color: Color, time: string, isRunning: boolean) =>
        `${colors[color]}’s clock${isRunning ? ", running" : ""}: ${time}`,
    places: "Places",
    placeNames: { play: "Play", analyse: "Analyse", watch: "Watch" },
    arena: "Arena",
    backToArena: "Back to the arena",
    ais: "AIs",
    more: "More",
    connectionLost: "Connection lost. Reconnecting…",
    loading: "Loading…",
    percent: (number: string) => `${number}%`,

    result: (winner: Color | null, reason: string) =>
        `${winner ? `${colors[winner]} wins` : "Draw"} ${reason}`.trim(),
    reasons,

    theServer: "the server",
    theArena: "the arena",
    theAis: "the AIs",
    requestFailed: (to: string, error: string) => `Request to ${to} failed: ${error}`,
    requestRejected: (detail: string, ai: string) =>
        `Request rejected: ${detail}. Check the options of ${ai}.`,
    unexpectedResponse: "Unexpected response",
    noProblem: (status: number) => `status ${status} without an error message`,
    tryAgain: (seconds: number) =>
        `Try again in ${seconds < 120 ? `${count(seconds, "second", "seconds")}` : `${count(Math.ceil(seconds / 60), "minute", "minutes")}`}.`,
    restarting: "The server is restarting it.",
    /** API errors by code. */
    problems: {
        ai_crashed: (ai: string) => `${ai} crashed during its search.`,
        ai_timeout: (ai: string) => `${ai} timed out and was stopped.`,
        ai_out_of_memory: (ai: string) => `${ai} exceeded its memory limit.`,
        ai_illegal_move: (ai: string) => `${ai} returned an illegal move.`,
        ai_failed: (ai: string) => `${ai} returned an error.`,
        ai_protocol_error: (ai: string) => `${ai} returned an invalid response.`,
        ai_unavailable: (ai: string) => `${ai} is unavailable after repeated failures.`,
        queue_full: (ai: string) => `Too many requests are waiting for ${ai}.`,
        rate_limited: (_: string) => "Too many requests.",
        unknown_client: (_: string) =>
            "Unknown client. Enter your client id and API key under AIs.",
        ai_not_allowed: (ai: string) => `You are not allowed to use ${ai}.`,
    },
    /** Titles of other errors by code. The server's title is the fallback. */
    problemTitles: {} as Readonly<Record<string, string>>,

    theme: (now: string) => `Theme: ${now}`,
    switchTheme: (now: string, next: string) => `Theme: ${now}. Switch to ${next}`,
    themes: { system: "system", light: "light", dark: "dark" },
}
