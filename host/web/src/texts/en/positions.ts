// The board editor, files, recent games, import, export and links.

import { count } from "../plural"

export const positions = {
    palette: "Piece to place",
    erase: "Erase",
    editorHint:
        "Drag a piece to the board, or click it and then a square. Drag a piece off the board to erase it.",
    fen: "FEN",
    enPassant: "En passant",
    noEnPassant: "None",
    quietPlies: "Half-moves since a capture or pawn move",
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
    pasteQuestion: "Start from the pasted position? Your current game stays under Recent.",
    pasteYes: "Start from this position",
    pasteNo: "Keep playing",
    copy: "Copy",
    wholeGame: "The whole game",
    thisPosition: "This position",
    gameAtPosition: "The whole game, open at this position",
    link: "Link",
    downloadPgn: "Download PGN",
    copied: (name: string) => `${name} copied`,
    chess960: (last: number) => `Chess960 position, 0 to ${last}`,
    random: "Random",

    games: "Games",
    reading: (file: string, games: number) => `Reading ${file}: ${count(games, "game", "games")}`,
    chooseGame: (games: number) => `${count(games, "game", "games")}: choose one`,
    filterGames: "Filter by name, event or result",
    moreGames: (games: number) => `${games} more. Use the filter to find them.`,
    noGame: "No game matches the filter. Clear it to see all.",

    /** The locale for dates. */
    dates: "en-GB",
    recent: "Recent",
    recentHint: "Your games, analyses and positions appear here. They stay in this browser.",
    recentHere: "Recent, in this browser only",
    searchRecent: "Search by name, event, result or date",
    nothingFound: "Nothing matches the search. Clear it to see all.",
    showMore: "Show more",
    exportAll: "Download all as PGN",
    deleteAll: "Delete all",
    deleteEntry: (name: string, date: string) => `Delete ${name}, ${date}`,

    movedFile: "the file was moved or changed since it was opened; open it again",
    largeFile: (megabytes: number, most: number) =>
        `the file is ${megabytes} MB, but the page reads at most ${most} MB; split it`,
    emptyFile: "the file is empty",
    notFen: "This is not a FEN. The first part needs eight ranks, separated by slashes.",
    notChess: "this is not a chess game or position that the page can read",
    unreadableFile: "the file cannot be read; open it again",
    foreignLink: (site: string) =>
        `the page cannot open links to ${site}; copy the game’s PGN there and paste it here`,
    longLink: (kilobytes: number, most: number) =>
        `The game is too long for a link: ${kilobytes} kB of at most ${most} kB. Send its PGN instead.`,
    damagedLink: "the link is damaged or incomplete; copy it again, or ask for the PGN",
    noArenaGame: (id: string) => `this server’s arena has no game ${id}; check the link`,
    commentsLost: "The comments and variations could not be read.",
    variationsLost: (most: number) => `Only the first ${most} variations were loaded.`,
    variationCut: (reason: string) => `A variation was cut short: ${reason}`,
    drawnAt: (number: string | null, reason: string) =>
        `Under today’s rules the game was drawn ${reason} ${number === null ? "in its first position" : `at move ${number}`}, but it went on.`,
    /** Faults in the input that the host accepted, by kind. Other kinds need no message. */
    notes: {
        bare_quote: "A tag contains quotation marks. It was read up to the last one.",
        repeated_tag: "A tag appears twice. The first one counts.",
        other_result:
            "The “Result” tag differs from the result after the moves. The latter counts.",
        stray_comment: "A comment between games was skipped.",
        other_epd_text: "Text between the operations of the EPD became a comment.",
        control_character: "Control characters were replaced by spaces.",
        move_number_zero: "The move number 0 was read as 1.",
        impossible_check:
            "No legal move leads to this check. You can view the position, but AIs do not play it.",
        double_fischer_random:
            "These castling rights exist only in double Fischer Random. You can view the position, but AIs do not play it.",
    } as Readonly<Record<string, string>>,
    /** Issues with positions, by code. The host's message is the fallback. */
    issues: {} as Readonly<Record<string, string>>,
    moveIssue: (move: string, issue: string) => `Move ${move} ${issue}`,
}
