// The AIs, their options and limits, and access for clients.

import type { ais as english } from "../en/ais"

export const ais = {
    ai: "KI",
    states: {
        starting: "startet",
        ready: "bereit",
        busy: "sucht",
        draining: "wird beendet",
        failed: "ausgefallen, startet neu",
        quarantined: "nach wiederholten Ausfällen nicht verfügbar",
    },
    none: "Dieser Client darf keine KI befragen. Gib hier ID und Schlüssel eines anderen ein, oder trage eine KI in die Konfiguration des Servers ein.",
    credits: "Mitwirkende und Lizenzen",
    search: "KIs suchen",
    list: "KIs",
    count: (ais: number) => `${ais} KIs`,
    found: (found: number, ais: number) =>
        `${found} von ${ais} KIs${found === 0 ? ". Leere die Suche, um alle zu sehen." : ""}`,
    kinds: { searcher: "Suche", evaluator: "Bewertung" },
    searchTree: "Suchbaum",
    by: (author: string) => `von ${author}`,
    onNodes: (nodes: string) => `auf ${nodes}`,
    node: (name: string, busy: number, slots: number) => `${name} (${busy} von ${slots} belegt)`,
    arena: "Arena",
    rank: (rank: number) => `Rang ${rank}`,
    games: (tally: string, games: number) => `${tally} in ${games} Partien`,
    lastFault: "Letzter Ausfall",
    request: (id: string) => `Anfrage ${id}`,
    checksum: "SHA-256 der geladenen Bibliothek",
    tryMove: "Einen Zug probieren",
    stop: "Beenden",
    depth: (depth: number) => `Tiefe ${depth}`,
    copied: "Kopiert",
    notCopied: "Der Browser erlaubt das Kopieren nicht",
    copyCurl: "Als curl kopieren",
    requestId: (id: string | null) => `Anfrage ${id}`,

    client: "Client",
    clientId: "Client-ID",
    apiKey: "API-Schlüssel",
    save: "Speichern",
    clientHint:
        "Nur nötig, wenn der Server API-Schlüssel verlangt. Der Schlüssel wird gelöscht, wenn dieser Tab geschlossen wird.",

    limit: "Suchlimit",
    defaultLimit: "Vorgabe der KI",
    limits: { depth: "Tiefe", nodes: "Knoten", movetime_ms: "Zeit" },
    units: { depth: "Halbzüge", nodes: "Knoten", movetime_ms: "ms" },
    limitIn: (unit: string) => `Limit in ${unit === "Halbzüge" ? "Halbzügen" : unit}`,
    atMost: (most: number | undefined) => `höchstens ${most}`,
    untilStopped: "Bis zum Beenden",
    inSearchesOf: (time: string) => `in Suchen von ${time}`,

    options: (ai: string) => `Optionen von ${ai}`,
    changed: (count: number) => `${count} geändert`,
    advanced: "Erweitert",
    advancedOptions: (ai: string) => `Erweiterte Optionen von ${ai}`,
    range: (least: number, most: number) => `${least} bis ${most}`,
    hidden: "vom Server gesetzt, verborgen",
    readOnly: "vom Server gesetzt",
    expected: (isWhole: boolean, least: number, most: number, found: string) =>
        `erwartet wird ${isWhole ? "eine ganze Zahl" : "eine Zahl"} von ${least} bis ${most}${found === "" ? "" : `, nicht ${found}`}`,
    notEditable: "Der Server erlaubt nicht, diese Optionen zu ändern.",
    reset: "Auf Vorgaben zurücksetzen",
} satisfies typeof english
