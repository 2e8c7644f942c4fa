// The German texts of the page of the arena.

import type { arena as english } from "../en/arena"

export { common } from "./common"

const count = (number: number, one: string, several: string) =>
    `${number} ${number === 1 ? one : several}`

export const arena = {
    name: "Arena",
    about: "Über die Arena",
    explained:
        "Die Arena ist ein endloses Turnier der KIs dieses Servers. Sie spielt, solange niemand eine KI befragt, und behält die Partien und die Wertungszahl jeder KI über Neustarts und neue Versionen hinweg.",
    none: "Dieser Server hat keine Arena.",
    start: "Die Arena starten",
    startInConfiguration: "Nenne in der Konfiguration des Servers die Datei für die Partien:",
    startByCommand: "oder in der Befehlszeile:",
    startFromSources: "oder, aus den Quellen:",
    noGamesYet: "Noch keine Partien.",
    firstRatings: "Die ersten Wertungszahlen erscheinen nach dem ersten Partienpaar.",

    state: "Zustand",
    states: { playing: "Spielt", waiting: "Wartet", paused: "Pausiert" },
    stateFor: (state: string, reason: string) => `${state}: ${reason}`,
    timeControl: "Bedenkzeit",
    games: "Partien",
    pairs: "Paare",
    voidPairs: "Ungültige Paare",
    pause: "Anhalten",
    resume: "Fortsetzen",
    forAdmins: "Für Administratoren",

    runningGames: "Laufende Partien",
    noRunningGame: "Es läuft keine Partie. Die nächste erscheint hier.",
    against: (white: string, black: string) => `${white} gegen ${black}`,
    afterMove: (names: string, move: string) => `${names}, nach ${move}`,
    depthOf: (depth: number | null) => `Tiefe ${depth}`,
    beat: (winner: string, loser: string, reason: string) =>
        `${winner} gewinnt gegen ${loser} ${reason}`.trim(),
    drew: (white: string, black: string, reason: string) =>
        `${white} gegen ${black}: Remis ${reason}`.trim(),
    disturbedGame: (white: string, black: string) =>
        `Die Partie zwischen ${white} und ${black} wurde gestört; ihr letzter Zug wird wiederholt`,

    ladder: "Rangliste",
    ladderHint: (isAnchored: boolean) =>
        `Die Balken zeigen die 95-%-Intervalle der Wertungszahlen auf einer gemeinsamen Skala. ${isAnchored ? "Ein Anker hat eine feste Wertungszahl." : "Ohne Anker beziehen sich die Wertungszahlen auf einen Durchschnitt von 1500."}`,
    anchor: "Anker",
    restingUntil: (time: string) => `ruht bis ${time}`,
    rank: "Rang",
    ai: "KI",
    version: "Version",
    elo: "Elo",
    errorBar: "Fehlerbalken",
    score: "Punkte",
    draws: "Remis",
    faults: "Ausfälle",
    depth: "Tiefe",
    timePerMove: "Zeit pro Zug",
    superiority: "Besser als Nächste",

    crosstable: "Kreuztabelle",
    crosstableHint: (fewGames: number) =>
        `Die Punkte der Zeile gegen die Spalte in Prozent; ein Punkt kennzeichnet weniger als ${fewGames} Partien. Ein Feld öffnet die Partien.`,
    firstPlayers: (players: number) => `Nur die ersten ${players} Spieler sind zu sehen.`,
    cell: (score: string, first: string, second: string, tally: string) =>
        `${score}: ${first} gegen ${second}, ${tally}`,
    tally: (wins: number, draws: number, losses: number) =>
        `${count(wins, "Sieg", "Siege")}, ${draws} Remis, ${count(losses, "Niederlage", "Niederlagen")}`,

    filters: "Filter",
    player: "Spieler",
    opponent: "Gegner",
    result: "Ergebnis",
    opening: "Eröffnung",
    withFault: "Mit einem Ausfall",
    any: "Alle",
    resultChoices: { win: "Weiß gewann", draw: "Remis", loss: "Schwarz gewann" },
    resultsOfPlayer: { win: "Gewonnen", draw: "Remis", loss: "Verloren" },
    playerNumber: (id: number | string) => `Spieler ${id}`,
    playerVersion: (player: string, version: number) => `${player} (Version ${version})`,
    openGame: (id: number) => `${id}: auf dem Brett öffnen`,
    gamesFound: "Gefundene Partien",
    gamesHint: "Die neuesten zuerst. Die Nummer einer Partie öffnet sie auf dem Brett.",
    game: "Partie",
    white: "Weiß",
    black: "Schwarz",
    moves: "Züge",
    ended: "Beendet",
    atMove: (color: string, fault: string, move: number) => `${color} ${fault}, im Zug ${move}`,
    faultTexts: {
        ai_crashed: "ist abgestürzt",
        ai_timeout: "hat zu lange gebraucht",
        ai_out_of_memory: "hat zu viel Speicher belegt",
        ai_illegal_move: "hat regelwidrig gezogen",
        ai_failed: "hat einen Fehler gemeldet",
        ai_protocol_error: "hat ungültig geantwortet",
        ai_unavailable: "war nicht verfügbar",
    },
    noGames: "Keine Partien. Wähle in den Filtern „Alle“, um mehr zu sehen.",
    noGamesAtAll: "Keine Partien. Die ersten erscheinen nach dem ersten Paar.",
    noGamesOnPage: "Keine Partien auf dieser Seite.",
    pages: "Seiten",
    newestGames: "Neueste Partien",
    olderGames: "Ältere Partien",

    summary: "Übersicht",
    nameAndVersion: (name: string, version: number) => `${name}, Version ${version}`,
    earlierVersion: "eine frühere Version",
    wonDrawnLost: "Gewonnen, remis, verloren",
    fingerprint: "Prüfsumme von allem, was mitspielt",
    rateNow: "Diese KI jetzt bewerten",
    ratedFirst: (player: string) =>
        `Die Paare von ${player} kommen zuerst, bis der Fehler höchstens 60 beträgt.`,
    opponents: "Gegner",
    opponentsHint: "Siege, Remis und Niederlagen mit jeder Farbe.",
    asWhite: "Mit Weiß",
    asBlack: "Mit Schwarz",
    gamesAgainst: (player: string) => `Partien gegen ${player}`,
    all: "Alle",
    faultsHint: "Ein Ausfall verliert die Partie. Die neuesten zuerst.",
    move: "Zug",
    fault: "Ausfall",
    as: "Mit",
    details: "Einzelheiten",
    versions: "Versionen",
    versionsHint: "Der Unterschied zur Version davor kommt allein aus Partien.",
    since: "Seit",
    difference: "Unterschied",
    versionRating: (version: number, rating: string) => `Version ${version} ${rating}`,
    eloByVersion: (ratings: string) => `Elo je Version: ${ratings}`,
} satisfies typeof english
