// The board editor, files, recent games, import, export and links.

import type { positions as english } from "../en/positions"
import { count } from "../plural"

export const positions = {
    palette: "Figur wählen",
    erase: "Entfernen",
    editorHint:
        "Ziehe eine Figur aufs Brett, oder klicke erst sie, dann ein Feld an. Zum Entfernen ziehst du sie vom Brett.",
    fen: "FEN",
    enPassant: "En passant",
    noEnPassant: "Keins",
    quietPlies: "Halbzüge seit Schlag- oder Bauernzug",
    moveNumber: "Zugnummer",
    clear: "Brett leeren",
    start: "Ausgangsstellung",
    sideToMove: "Am Zug",
    castlingRights: "Rochaderechte",
    rights: { K: "Weiß O-O", Q: "Weiß O-O-O", k: "Schwarz O-O", q: "Schwarz O-O-O" },
    playFromHere: "Ab hier spielen",
    analyseFromHere: "Ab hier analysieren",
    cancel: "Abbrechen",
    editor: "Stellungseditor",

    paste: "FEN, PGN oder ein anderes Format einfügen",
    dropFile: "oder eine Datei auf die Seite ziehen",
    readAs: (format: string) => `Gelesen als ${format}`,
    load: "Laden",
    openFile: "Datei öffnen",
    file: "Datei mit Partien",
    pasteQuestion:
        "Mit der eingefügten Stellung beginnen? Deine bisherige Partie bleibt unter „Zuletzt“.",
    pasteYes: "Damit beginnen",
    pasteNo: "Weiterspielen",
    copy: "Kopieren",
    wholeGame: "Die ganze Partie",
    thisPosition: "Diese Stellung",
    gameAtPosition: "Die ganze Partie, bei dieser Stellung geöffnet",
    link: "Link",
    downloadPgn: "PGN herunterladen",
    copied: (name: string) => `${name} kopiert`,
    chess960: (last: number) => `Chess960-Stellung, 0 bis ${last}`,
    random: "Zufällig",

    games: "Partien",
    reading: (file: string, games: number) =>
        `${file} wird gelesen: ${count(games, "Partie", "Partien")}`,
    chooseGame: (games: number) => `${count(games, "Partie", "Partien")}: Wähle eine`,
    filterGames: "Nach Name, Turnier oder Ergebnis filtern",
    moreGames: (games: number) => `${games} weitere. Der Filter findet sie.`,
    noGame: "Keine Partie passt zum Filter. Leere ihn, um alle zu sehen.",

    dates: "de-DE",
    recent: "Zuletzt",
    recentHint:
        "Hier erscheinen deine Partien, Analysen und Stellungen. Sie bleiben in diesem Browser.",
    recentHere: "Zuletzt, nur in diesem Browser",
    searchRecent: "Nach Name, Turnier, Ergebnis oder Datum suchen",
    nothingFound: "Nichts gefunden. Leere die Suche, um alles zu sehen.",
    showMore: "Mehr zeigen",
    exportAll: "Alle als PGN herunterladen",
    deleteAll: "Alle löschen",
    deleteEntry: (name: string, date: string) => `${name}, ${date} löschen`,

    movedFile: "die Datei wurde seit dem Öffnen verschoben oder geändert; öffne sie noch einmal",
    largeFile: (megabytes: number, most: number) =>
        `die Datei hat ${megabytes} MB, die Seite liest höchstens ${most} MB; teile sie auf`,
    emptyFile: "die Datei ist leer",
    notFen: "Das ist keine FEN. Der erste Teil braucht acht Reihen, getrennt durch Schrägstriche.",
    notChess: "das ist keine Schachpartie oder Stellung, die die Seite lesen kann",
    unreadableFile: "die Datei ist nicht lesbar; öffne sie noch einmal",
    foreignLink: (site: string) =>
        `die Seite kann Links zu ${site} nicht öffnen; kopiere dort das PGN der Partie und füge es hier ein`,
    longLink: (kilobytes: number, most: number) =>
        `Die Partie ist zu lang für einen Link: ${kilobytes} kB von höchstens ${most} kB. Schicke stattdessen ihr PGN.`,
    damagedLink:
        "der Link ist beschädigt oder unvollständig; kopiere ihn noch einmal oder bitte um das PGN",
    noArenaGame: (id: string) => `die Arena dieses Servers hat keine Partie ${id}; prüfe den Link`,
    commentsLost: "Die Kommentare und Varianten waren nicht lesbar.",
    variationsLost: (most: number) => `Nur die ersten ${most} Varianten wurden geladen.`,
    variationCut: (reason: string) => `Eine Variante wurde gekürzt: ${reason}`,
    drawnAt: (number: string | null, reason: string) =>
        `Nach heutigen Regeln war die Partie ${number === null ? "in der ersten Stellung" : `mit Zug ${number}`} remis ${reason}, ging aber weiter.`,
    notes: {
        bare_quote: "Ein PGN-Tag enthält Anführungszeichen. Es wurde bis zum letzten gelesen.",
        repeated_tag: "Ein PGN-Tag kommt zweimal vor. Das erste gilt.",
        other_result: "Das Tag „Result“ widerspricht dem Ergebnis nach den Zügen. Dieses gilt.",
        stray_comment: "Ein Kommentar zwischen Partien wurde übergangen.",
        other_epd_text: "Text zwischen den Operationen des EPD wurde zum Kommentar.",
        control_character: "Steuerzeichen wurden durch Leerzeichen ersetzt.",
        move_number_zero: "Die Zugnummer 0 wurde als 1 gelesen.",
        impossible_check:
            "Kein Zug kann zu diesem Schach geführt haben. Du kannst dir die Stellung ansehen, aber die KIs spielen sie nicht.",
        double_fischer_random:
            "Diese Rochaderechte gibt es nur im Double Fischer Random. Du kannst dir die Stellung ansehen, aber die KIs spielen sie nicht.",
    },
    issues: {
        missing_king: "Ein König fehlt",
        too_many_kings: "Zu viele Könige",
        pawn_on_back_rank: "Bauern auf der Grundreihe",
        too_much_material: "Mehr Figuren, als eine Seite haben kann",
        opponent_in_check: "Die Seite, die nicht am Zug ist, steht im Schach",
        impossible_check: "Kein Zug kann zu diesem Schach geführt haben",
        bad_castling_rights: "Diese Rochaderechte sind nicht möglich",
        bad_en_passant_square: "Dieses En-passant-Feld ist nicht möglich",
    },
    moveIssue: (move: string, issue: string) => `Zug ${move} ${issue}`,
} satisfies typeof english
