// The board editor, games of files, recent games, import, export and links.

import { count } from "../plural"

export const positions = {
    palette: "Piece to place",
    erase: "Erase",
    editorHint:
        "Drag a piece to the board, or click it and then squares. Drag it off the board to erase it.",
    fen: "FEN",
    enPassant: "En passant",
    noEnPassant: "None",
    quietPlies: "Plies since a capture or pawn move",
    moveNumber: "Move number",
    clear: "Clear board",
    start: "Starting position",
    sideToMove: "Side to move",
    castlingRights: "Castling rights",
    rights: { K: "White O-O", Q: "White O-O-O", k: "Black O-O", q: "Black O-O-O" },
    playFromHere: "Play from here",
    analyseFromHere: "Analyse from here",
    cancel: "Cancel",
    editor: "Board editor",

    paste: "Paste FEN, PGN or any other format",
    dropFile: "or drop a file anywhere on the page",
    readAs: (format: string) => `Read as ${format}`,
    load: "Load",
    openFile: "Open file",
    file: "File with games",
    pasteQuestion:
        "Start from the pasted position? Your game stops here, and stays under Positions and games.",
    pasteYes: "Start from it",
    pasteNo: "Go on playing",
    copy: "Copy",
    wholeGame: "The whole game",
    thisPosition: "This position",
    gameAtPosition: "The whole game, open at this position",
    link: "Link",
    downloadPgn: "Download PGN",
    copied: (name: string) => `${name} copied`,
    chess960: (last: number) => `Chess960 start, 0 to ${last}`,
    random: "Random",

    games: "Games",
    reading: (file: string, games: number) => `Reading ${file}: ${count(games, "game", "games")}`,
    chooseGame: (games: number) => `${count(games, "game", "games")}; choose a game`,
    filterGames: "Filter by name, event or result",
    moreGames: (games: number) => `${games} more; filter to find them.`,
    noGame: "No game matches the filter. Clear it to see all.",

    /** The form of dates. */
    dates: "en-GB",
    recent: "Recent",
    recentHint: "Your games, analyses and set-ups appear here. They stay in this browser.",
    recentHere: "Recent, in this browser only",
    searchRecent: "Search by name, event, result or date",
    nothingFound: "Nothing matches the search. Clear it to see all.",
    showMore: "Show more",
    exportAll: "Export all as PGN",
    deleteAll: "Delete all",
    deleteEntry: (name: string, date: string) => `Delete ${name}, ${date}`,

    movedFile: "the file was moved or changed since it was opened; open it again",
    largeFile: (megabytes: number, most: number) =>
        `the file has ${megabytes} MB, more than the ${most} MB that the page reads; split it`,
    emptyFile: "the file is empty",
    notChess: "this is no chess game or position that the page can read",
    unreadableFile: "the file cannot be read; open it again",
    foreignLink: (site: string) =>
        `this is a link to ${site}, which the page does not open; copy the game’s PGN there and paste it here`,
    longLink: (kilobytes: number, most: number) =>
        `The game is too long for a link: ${kilobytes} kB of at most ${most} kB. Send its PGN instead.`,
    damagedLink: "the link is damaged or not whole; copy it again, or ask for the PGN",
    commentsLost: "The comments and variations could not be read.",
    variationsLost: (most: number) => `Only the first ${most} variations were loaded.`,
    variationCut: (reason: string) => `A variation was cut: ${reason}`,
    drawnAt: (number: string | null, reason: string) =>
        `By today’s rules the game was drawn ${reason} ${number === null ? "in its first position" : `with move ${number}`}. It went on.`,
    /** What the host accepted in a text, by kind; the others need no word. */
    notes: {
        bare_quote: "A tag has quotation marks inside. It was read to the last one.",
        repeated_tag: "A tag occurs twice. The first one counts.",
        other_result:
            "The tag “Result” and the end of the moves differ. The end of the moves counts.",
        stray_comment: "A comment between games was left out.",
        other_epd_text: "Text between the operations of the EPD became a comment.",
        control_character: "Control characters became spaces.",
        move_number_zero: "The move number 0 was read as 1.",
        impossible_check:
            "No last move can have given this check. The position can be looked at, but AIs do not play it.",
        double_fischer_random:
            "These are castling rights of double Fischer Random. The position can be looked at, but AIs do not play it.",
    } as Readonly<Record<string, string>>,
    /** The issues of positions by their codes; without one the message of the host. */
    issues: {} as Readonly<Record<string, string>>,
    moveIssue: (move: string, issue: string) => `Move ${move} ${issue}`,
}
