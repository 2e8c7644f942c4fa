// The German texts of both pages.

import type { Color, Role } from "../../api/types"
import type { common as english } from "../en/common"

const colors = { white: "Weiß", black: "Schwarz" }

/** The names of the pieces with their gender. */
const pieces: Record<Role, [string, "m" | "f"]> = {
    pawn: ["Bauer", "m"],
    knight: ["Springer", "m"],
    bishop: ["Läufer", "m"],
    rook: ["Turm", "m"],
    queen: ["Dame", "f"],
    king: ["König", "m"],
}
const adjectives = { white: "weiß", black: "schwarz" }

/** Returns a piece without an article: `weißer Springer`. */
function piece(color: Color, role: Role): string {
    const [name, gender] = pieces[role]
    return `${adjectives[color]}${gender === "m" ? "er" : "e"} ${name}`
}

/** Returns a piece with its article: `der weiße Springer`. */
export function thePiece(color: Color, role: Role): string {
    const [name, gender] = pieces[role]
    return `${gender === "m" ? "der" : "die"} ${adjectives[color]}e ${name}`
}

const accusatives: Record<Role, string> = { pawn: "Bauern", knight: "Springer", bishop: "Läufer", rook: "Turm", queen: "Dame", king: "König" }

/** Returns a piece after `durch`: `den weißen Springer`, without its color `den Springer`. */
export function byPiece(role: Role, color?: Color): string {
    const isMasculine = pieces[role][1] === "m"
    const adjective = color ? `${adjectives[color]}${isMasculine ? "en" : "e"} ` : ""
    return `${isMasculine ? "den" : "die"} ${adjective}${accusatives[role]}`
}

/** Returns `dieser Springer` or `diese Dame`. */
export const thisPiece = (role: Role): string => `${pieces[role][1] === "m" ? "dieser" : "diese"} ${pieces[role][0]}`

export const common = {
    pieceLetters: "KDTLS",
    colors,
    piece,
    clock: (color: Color, time: string, isRunning: boolean) => `Uhr von ${colors[color]}${isRunning ? ", läuft" : ""}: ${time}`,
    connectionLost: "Verbindung verloren. Neuer Versuch …",
    loading: "Wird geladen …",

    result: (winner: Color | null, reason: string) => `${winner ? `${colors[winner]} gewinnt` : "Remis"} ${reason}`.trim(),
    reasons: {
        checkmate: "durch Matt",
        stalemate: "durch Patt",
        insufficient_material: "wegen ungenügenden Materials",
        seventyfive_moves: "nach der 75-Züge-Regel",
        fivefold_repetition: "durch fünffache Stellungswiederholung",
        threefold_repetition: "durch dreifache Stellungswiederholung",
        fifty_moves: "nach der 50-Züge-Regel",
        resignation: "durch Aufgabe",
        time: "durch Zeitüberschreitung",
        time_without_mate: "trotz Zeitüberschreitung: Der Gegner kann nicht mattsetzen",
        adjudication: "durch Abschätzung",
        too_long: "durch Abschätzung: zu lang",
        tablebase: "laut Endspieldatenbank",
        fault: "durch einen Ausfall des Gegners",
    },

    theServer: "den Server",
    theArena: "die Arena",
    theAis: "die KIs",
    requestFailed: (to: string, error: string) => `Die Anfrage an ${to} ist fehlgeschlagen: ${error}`,
    requestRejected: (detail: string, ai: string) => `Die Anfrage wurde abgelehnt: ${detail}. Prüfe die Optionen von ${ai}.`,
    unexpectedResponse: "Unerwartete Antwort",
    noProblem: (status: number) => `Status ${status} ohne Beschreibung des Fehlers`,
    tryAgain: (seconds: number) => `Versuche es in ${seconds < 120 ? `${seconds} Sekunden` : `${Math.ceil(seconds / 60)} Minuten`} wieder.`,
    restarting: "Der Server startet sie neu.",
    problems: {
        ai_crashed: (ai: string) => `${ai} ist während der Suche abgestürzt.`,
        ai_timeout: (ai: string) => `${ai} hat zu lange gebraucht und wurde beendet.`,
        ai_out_of_memory: (ai: string) => `${ai} hat zu viel Speicher belegt.`,
        ai_illegal_move: (ai: string) => `${ai} hat einen regelwidrigen Zug geliefert.`,
        ai_failed: (ai: string) => `${ai} hat einen Fehler gemeldet.`,
        ai_protocol_error: (ai: string) => `${ai} hat ungültig geantwortet.`,
        ai_unavailable: (ai: string) => `${ai} ist nach wiederholten Ausfällen nicht verfügbar.`,
        queue_full: (ai: string) => `Zu viele Anfragen warten auf ${ai}.`,
        rate_limited: (_: string) => "Zu viele Anfragen.",
        unknown_client: (_: string) => "Unbekannter Client. Gib unter ⋯, KIs deine Client-ID und deinen API-Schlüssel ein.",
        ai_not_allowed: (ai: string) => `Du darfst ${ai} nicht benutzen.`,
    },
    problemTitles: {
        malformed_request: "Die Anfrage ist fehlerhaft",
        host_not_allowed: "Der Host der Anfrage ist nicht erlaubt",
        cross_site_request: "Die Seite einer anderen Website hat die Anfrage gesendet",
        unknown_ai: "Die KI gibt es nicht",
        not_found: "Das Gesuchte gibt es nicht",
        tablebase_missing: "Keine Endspieldatenbank hat die Stellung",
        method_not_allowed: "Die Methode ist nicht erlaubt",
        request_timeout: "Die Anfrage kam nicht rechtzeitig an",
        match_running: "Dein Wettkampf läuft noch",
        body_too_large: "Die Anfrage ist zu groß",
        unsupported_media_type: "Die Anfrage ist kein JSON",
        illegal_game: "Die Partie ist regelwidrig",
        idempotency_key_reused: "Der Schlüssel gehört zu einer anderen Anfrage",
        server_busy: "Der Server ist ausgelastet",
        internal: "Interner Fehler des Servers",
    },

    theme: (now: string) => `Farben: ${now}`,
    switchTheme: (now: string, next: string) => `Farben: ${now}. Wechseln zu: ${next}`,
    themes: { system: "wie im System", light: "hell", dark: "dunkel" },
} satisfies typeof english
