// German strings of both pages.

import type { Color } from "../../api/types"
import type { common as english } from "../en/common"
import { count } from "../plural"

const colors = { white: "Weiß", black: "Schwarz" }

export const common = {
    pieceLetters: "KDTLS",
    colors,
    clock: (color: Color, time: string, isRunning: boolean) =>
        `Uhr von ${colors[color]}${isRunning ? ", läuft" : ""}: ${time}`,
    places: "Bereiche",
    placeNames: { play: "Spielen", analyse: "Analyse", watch: "Zusehen" },
    arena: "Arena",
    backToArena: "Zurück zur Arena",
    ais: "KIs",
    more: "Mehr",
    connectionLost: "Verbindung verloren. Neuer Versuch …",
    loading: "Wird geladen …",
    percent: (number: string) => `${number} %`,

    result: (winner: Color | null, reason: string) =>
        `${winner ? `${colors[winner]} gewinnt` : "Remis"} ${reason}`.trim(),
    reasons: {
        checkmate: "durch Matt",
        stalemate: "durch Patt",
        insufficient_material: "wegen ungenügenden Materials",
        seventyfive_moves: "nach der 75-Züge-Regel",
        fivefold_repetition: "durch fünffache Stellungswiederholung",
        threefold_repetition: "durch dreifache Stellungswiederholung",
        fifty_moves: "nach der 50-Züge-Regel",
        resignation: "durch Aufgabe",
        agreement: "durch Vereinbarung",
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
    requestFailed: (to: string, error: string) =>
        `Die Anfrage an ${to} ist fehlgeschlagen: ${error}`,
    requestRejected: (detail: string, ai: string) =>
        `Die Anfrage wurde abgelehnt: ${detail}. Prüfe die Optionen von ${ai}.`,
    unexpectedResponse: "Unerwartete Antwort",
    noProblem: (status: number) => `Status ${status} ohne Fehlermeldung`,
    tryAgain: (seconds: number) =>
        `Versuche es in ${seconds < 120 ? `${count(seconds, "Sekunde", "Sekunden")}` : `${count(Math.ceil(seconds / 60), "Minute", "Minuten")}`} erneut.`,
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
        unknown_client: (_: string) =>
            "Unbekannter Client. Gib unter „KIs“ deine Client-ID und deinen API-Schlüssel ein.",
        ai_not_allowed: (ai: string) => `Du darfst ${ai} nicht benutzen.`,
    },
    problemTitles: {
        malformed_request: "Die Anfrage ist fehlerhaft",
        host_not_allowed: "Der Host der Anfrage ist nicht erlaubt",
        cross_site_request: "Die Anfrage kam von einer anderen Website",
        unknown_ai: "Die KI gibt es nicht",
        not_found: "Nicht gefunden",
        tablebase_missing: "Die Stellung ist in keiner Endspieldatenbank",
        method_not_allowed: "Die Methode ist nicht erlaubt",
        request_timeout: "Die Anfrage kam nicht rechtzeitig vollständig an",
        match_running: "Dein Wettkampf läuft noch",
        body_too_large: "Die Anfrage ist zu groß",
        unsupported_media_type: "Die Anfrage ist kein JSON",
        illegal_game: "Die Partie ist regelwidrig",
        idempotency_key_reused: "Dieser Schlüssel gehört zu einer anderen Anfrage",
        server_busy: "Der Server ist ausgelastet",
        internal: "Interner Fehler des Servers",
    },

    theme: (now: string) => `Farben: ${now}`,
    switchTheme: (now: string, next: string) => `Farben: ${now}. Wechseln zu: ${next}`,
    themes: { system: "wie im System", light: "hell", dark: "dunkel" },
} satisfies typeof english
