/*
 * rookery_ai.h: what a chess AI in C tells the Rookery server, and what the server lends it.
 *
 * An AI is a shared library that exports one symbol and carries one note:
 *
 *     ROOKERY_NOTE("dice", "1.0");
 *     ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {
 *         .size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = ..., .create = ..., .destroy = ..., .search = ...};
 *
 * It searches itself (`search`), judges positions while the host searches (`evaluate`), or both. Build it with
 *
 *     cc -std=c11 -O2 -fPIC -shared -I path/to/include dice.c -o libdice.so
 *
 * What is said here holds for ABI 1 for good; what comes later comes as an extension.
 *
 * How to read the functions:
 *   thread   "AI's thread" is the one that made the instance; the host calls one function at a time there. "Any thread"
 *            may be several at once.
 *   memory   What the host hands over belongs to the host and is gone when the call returns, unless it says otherwise.
 *            What an AI hands over stays the AI's: it must stand until the next call with the same instance. Nobody
 *            ever frees what the other side has made.
 *   text     UTF-8, ended by a NUL. The host cuts what is long and shows no control characters.
 *   scores   ALWAYS White's: more is better for White.
 *
 * A crash, an endless loop or a lie costs an AI its worker process and nobody else anything.
 */
#ifndef ROOKERY_AI_H
#define ROOKERY_AI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of what follows. */
#define ROOKERY_ABI 1u

/* ---- The vocabulary of chess ---------------------------------------------------------------------------------- */

/* A square: a1 is 0, b1 is 1, h8 is 63. A set of squares has bit n for square n. */
typedef uint8_t rookery_square;
typedef uint64_t rookery_bitboard;

/* How many squares are in a set. Without a call, whatever the processor: a compiler's own builtin may be one. */
static inline int rookery_count(rookery_bitboard squares) {
    squares -= squares >> 1 & 0x5555555555555555u;
    squares = (squares & 0x3333333333333333u) + (squares >> 2 & 0x3333333333333333u);
    return (int)(((squares + (squares >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

typedef uint8_t rookery_color;
#define ROOKERY_WHITE 0u
#define ROOKERY_BLACK 1u

typedef uint8_t rookery_role;
#define ROOKERY_PAWN 0u
#define ROOKERY_KNIGHT 1u
#define ROOKERY_BISHOP 2u
#define ROOKERY_ROOK 3u
#define ROOKERY_QUEEN 4u
#define ROOKERY_KING 5u

/* A move: from in bits 0 to 5, to in bits 6 to 11, what a pawn becomes in bits 12 to 14 (0 for none). Castling is the
 * king taking its own rook: e1h1. */
typedef uint16_t rookery_move;
#define ROOKERY_NO_MOVE ((rookery_move)0)
#define ROOKERY_MOVE(from, to) ((rookery_move)((from) | (to) << 6))
#define ROOKERY_FROM(move) ((rookery_square)((move) & 63))
#define ROOKERY_TO(move) ((rookery_square)((move) >> 6 & 63))
#define ROOKERY_PROMOTION(move) ((rookery_role)((move) >> 12 & 7))

/* Centipawns for White, at most 989,999 either way; or a mate, counted in plies from now. */
typedef int32_t rookery_score;
#define ROOKERY_MATE ((rookery_score)1000000)
#define ROOKERY_MATE_IN(plies) ((rookery_score)(ROOKERY_MATE - (plies)))
#define ROOKERY_MATED_IN(plies) ((rookery_score)((plies)-ROOKERY_MATE))

/* What `evaluate` returns where it failed. */
#define ROOKERY_NO_SCORE INT32_MIN

/* What a score says: itself, or that the true one is no less, or no more, for White. */
typedef uint8_t rookery_bound;
#define ROOKERY_EXACT 0u
#define ROOKERY_AT_LEAST 1u
#define ROOKERY_AT_MOST 2u

/* A legal position. Only the host makes positions; an AI gets them with a question and from `play`. */
typedef struct rookery_position {
    rookery_bitboard roles[6];     /* where each role stands, by rookery_role */
    rookery_bitboard colors[2];    /* where each side stands, by rookery_color */
    rookery_bitboard checkers;     /* the pieces that give check to the side to move */
    rookery_bitboard pinned;       /* the pieces of the side to move that are pinned to their king */
    uint64_t hash;                 /* the same for positions that repeat each other */
    uint8_t castling[2][2];        /* by color, then king's side and queen's side: the rook's file, or 8 for none */
    uint8_t en_passant_file;       /* the file on which an en passant capture is legal now, or 8 for none */
    uint8_t halfmove_clock;        /* plies since the last capture or pawn move, 0 to 150 */
    uint16_t fullmove_number;      /* from 1; goes up after Black's move */
    rookery_color turn;            /* who moves */
    bool chess960;                 /* whether castling is written as king takes rook */
} rookery_position;

#define ROOKERY_MAX_MOVES 256
typedef struct rookery_move_list {
    uint32_t count;
    rookery_move moves[ROOKERY_MAX_MOVES];
} rookery_move_list;

/* ---- What the host lends --------------------------------------------------------------------------------------- */

/* The rules of chess. Any thread; none blocks, none keeps what it is given, each costs nanoseconds. They are the same for
   as long as the process lives: whoever calls one in a loop may take its pointer once. */
typedef struct rookery_services {
    /* Replaces the list by the legal moves, in an order that never changes for a position. */
    void (*legal_moves)(const rookery_position *position, rookery_move_list *list);
    /* Replaces the list by the legal moves that capture or promote. */
    void (*legal_captures)(const rookery_position *position, rookery_move_list *list);
    /* Whether there is a legal move: if not, it is mate or stalemate. Far cheaper than the list. */
    bool (*has_legal_move)(const rookery_position *position);
    /* How many legal moves a side has, as if it were its turn: mobility. */
    uint32_t (*count_legal_moves)(const rookery_position *position, rookery_color color);
    /* Whether nobody can ever mate with what is left. */
    bool (*is_insufficient_material)(const rookery_position *position);
    /* The position after a legal move; after any other move it is one without meaning. */
    rookery_position (*play)(const rookery_position *position, rookery_move move);
} rookery_services;

/* The head of an extension: a table of functions that host or AI offers beside this contract. The table follows. What it
 * holds is told by the name that it is asked for by, "name/revision", and never changes. */
typedef struct rookery_extension {
    size_t size; /* the bytes of the table, this head included */
} rookery_extension;

/* What an AI tells on the way, after each iteration of its search. */
typedef struct rookery_report {
    uint32_t depth; /* plies searched completely */
    rookery_score score;
    uint64_t nodes; /* positions looked at so far */
    const rookery_move *line;
    size_t line_length;
    uint32_t line_number;     /* 1 for the best line, 2 for the second best, ... */
    uint32_t selective_depth; /* the length of the longest line looked at; 0 where it is not known */
} rookery_report;

/* The host, as an AI sees it during one call, after which it must not be used. */
typedef struct rookery_host {
    size_t size; /* sizeof(rookery_host) of the host */
    const rookery_services *services;
    const volatile bool *stop;      /* see rookery_should_stop */
    const volatile bool *pondering; /* see rookery_is_pondering */
    const void *context;            /* the host's own */
    /* Tells the host, with its context, about an iteration. AI's thread. */
    void (*report)(const void *context, const rookery_report *report);
    /* An extension of the host, or NULL if it has none of that name. Any thread. Stands as long as the process. */
    const rookery_extension *(*extension)(const char *name);
} rookery_host;

/* Whether the AI must answer now with what it has. Any thread; one read of memory: ask every few hundred nodes. */
static inline bool rookery_should_stop(const rookery_host *host) { return *host->stop; }

/* Whether the opponent is still thinking. The time of a limit begins when this turns false; an answer before that waits
 * until then. As rookery_should_stop. */
static inline bool rookery_is_pondering(const rookery_host *host) { return *host->pondering; }

/* ---- Options ---------------------------------------------------------------------------------------------------- */

typedef uint8_t rookery_value_kind;
#define ROOKERY_VALUE_FLAG 0u
#define ROOKERY_VALUE_INTEGER 1u
#define ROOKERY_VALUE_TEXT 2u

typedef struct rookery_value {
    rookery_value_kind kind; /* which of these it is; the others mean nothing */
    bool flag;
    int64_t integer;
    const char *text;
} rookery_value;

/* An option and its value. */
typedef struct rookery_setting {
    const char *name;
    rookery_value value;
} rookery_setting;

typedef uint8_t rookery_option_kind;
#define ROOKERY_OPTION_FLAG 0u
#define ROOKERY_OPTION_INTEGER 1u /* from min to max */
#define ROOKERY_OPTION_CHOICE 2u  /* a text that is one of choices */
#define ROOKERY_OPTION_TEXT 3u
#define ROOKERY_OPTION_FILE 4u /* a text: the absolute path of a file that may be read, or "" for none */

/* An option that a configuration may set. The host checks what is set before the AI hears of it. */
typedef struct rookery_option {
    const char *name; /* in snake_case */
    const char *help; /* one line for the operator */
    rookery_option_kind kind;
    int64_t min, max;
    const char *const *choices;
    size_t choice_count;
    rookery_value value; /* the default */
} rookery_option;

/* ---- What an AI is ---------------------------------------------------------------------------------------------- */

/* What an AI can do beyond the simplest, and what it needs. Zero is the simplest. */
typedef struct rookery_abilities {
    bool chess960;            /* plays starts from which castling is written as king takes rook */
    bool root_moves;          /* keeps to a question's root_moves */
    bool ponder;              /* thinks on while is_pondering says so */
    uint32_t max_lines;       /* the most lines that it tells at once; 0 and 1 are the best alone */
    uint32_t max_trace_nodes; /* the most nodes of a trace that it tells; 0 for none */
    uint32_t threads;         /* threads that it starts beside the one that is asked */
    uint64_t memory_mb;       /* megabytes that it needs; 0 where it does not say */
} rookery_abilities;

/* What an AI says of itself. The host hands it over zeroed but for `size`. */
typedef struct rookery_manifest {
    size_t size; /* sizeof(rookery_manifest) of the host */
    const char *name;
    const char *version;
    const char *author; /* may be NULL */
    const rookery_option *options;
    size_t option_count;
    rookery_abilities abilities;
} rookery_manifest;

/* ---- Questions and answers -------------------------------------------------------------------------------------- */

typedef uint8_t rookery_limit_kind;
#define ROOKERY_LIMIT_DEPTH 0u       /* finish this many plies, no more */
#define ROOKERY_LIMIT_NODES 1u       /* look at no more than this many positions; UINT64_MAX: until asked to stop */
#define ROOKERY_LIMIT_MOVETIME_MS 2u /* answer within this many milliseconds */

typedef struct rookery_limit {
    rookery_limit_kind kind;
    uint64_t value;
} rookery_limit;

/* The clocks of a game, by rookery_color. */
typedef struct rookery_clocks {
    uint64_t remaining_ms[2];
    uint64_t increment_ms[2]; /* what each move brings */
    uint32_t moves_to_go;     /* moves until the next time control; 0: none is to come */
} rookery_clocks;

/* A position to think about. It is never one where the game is over. */
typedef struct rookery_question {
    size_t size; /* sizeof(rookery_question) of the host */
    const rookery_position *position;
    /* `hash` of the earlier positions of the game that can still be repeated, oldest first, without `position`. */
    const uint64_t *history;
    size_t history_length;
    /* The game: its first position and the moves since. */
    const rookery_position *start;
    const rookery_move *moves;
    size_t move_count;
    rookery_limit limit;
    /* The clocks, or NULL. They are advice: the limit holds. */
    const rookery_clocks *clocks;
    /* The moves to choose from; every legal one where there are none. */
    const rookery_move *root_moves;
    size_t root_move_count;
    uint32_t lines;       /* how many lines are wanted; at least 1, at most max_lines */
    uint32_t trace_nodes; /* how many nodes of a trace are wanted at most; 0 for none */
} rookery_question;

typedef struct rookery_line {
    rookery_score score;
    uint32_t depth;
    const rookery_move *moves;
    size_t move_count;
} rookery_line;

typedef uint8_t rookery_ending;
#define ROOKERY_ENDING_COMPLETE 0u /* every move was looked at */
#define ROOKERY_ENDING_CUTOFF 1u   /* a move was so good that the side before would not let it come to this */
#define ROOKERY_ENDING_JUDGED 2u   /* the last ply: the position was judged */
#define ROOKERY_ENDING_KNOWN 3u    /* the position was known from before */
#define ROOKERY_ENDING_PRUNED 4u   /* left out without a search */
#define ROOKERY_ENDING_CHECKMATE 5u
#define ROOKERY_ENDING_STALEMATE 6u
#define ROOKERY_ENDING_REPETITION 7u
#define ROOKERY_ENDING_FIFTY_MOVES 8u
#define ROOKERY_ENDING_INSUFFICIENT_MATERIAL 9u
#define ROOKERY_ENDING_STOPPED 10u /* the limit was reached or the host wanted an answer */
#define ROOKERY_ENDING_OTHER 11u

/* A position that the search looked at. A trace lists them as they were entered: a node stands behind its parent. */
typedef struct rookery_trace_node {
    uint32_t parent;         /* the place of the parent in the list; UINT32_MAX for the root */
    uint32_t depth;          /* plies still to be searched from here */
    rookery_score low, high; /* the scores between which it mattered, for White */
    rookery_score score;     /* what was found, for White */
    rookery_move chosen;     /* what leads here from the parent */
    rookery_bound bound;
    rookery_ending ending;
} rookery_trace_node;

/* What a search found. The host hands it over zeroed but for `size`. */
typedef struct rookery_answer {
    size_t size; /* sizeof(rookery_answer) of the host */
    rookery_move best_move;
    rookery_score score;
    uint32_t depth; /* plies searched completely */
    uint64_t nodes; /* positions looked at */
    /* The line that the score comes from, best_move first. */
    const rookery_move *line;
    size_t line_length;
    /* The second best line, the third best, …, where several are wanted. */
    const rookery_line *further_lines;
    size_t further_line_count;
    const rookery_trace_node *trace;
    size_t trace_length;
} rookery_answer;

/* A named part of a judgement. */
typedef struct rookery_term {
    const char *name;
    rookery_score score;
} rookery_term;

/* What a function of an AI returns. A host reads a number that it does not know as ROOKERY_FAILED. */
typedef int32_t rookery_status;
#define ROOKERY_OK 0
#define ROOKERY_FAILED 1   /* the reason is in the error */
#define ROOKERY_PANICKED 2 /* as ROOKERY_FAILED, and the host replaces the instance, whose state is not known any more */

#define ROOKERY_MAX_MESSAGE 1000
/* Why an AI could not do what it was asked: a sentence for the operator, written here before a function fails. */
typedef struct rookery_error {
    size_t size; /* sizeof(rookery_error) of the host */
    char message[ROOKERY_MAX_MESSAGE];
} rookery_error;

/* ---- The functions of an AI ------------------------------------------------------------------------------------- */

typedef struct rookery_ai {
    size_t size;  /* sizeof(rookery_ai), set by the AI */
    uint32_t abi; /* ROOKERY_ABI, set by the AI */

    /* What the AI says of itself once these options are set, which nobody has checked yet. Any thread; within the host's
     * time for a start. What it hands over must stand until the next call of it. */
    rookery_status (*manifest)(const rookery_setting *settings, size_t setting_count, rookery_manifest *manifest,
                               rookery_error *error);

    /* Makes an instance, told the value of every option, and writes it to `ai`; anything but NULL may be one. The thread
     * that makes it is the AI's thread from then on. There is one instance at a time: the host destroys it before it makes
     * the next. */
    rookery_status (*create)(const rookery_setting *settings, size_t setting_count, void **ai, rookery_error *error);

    /* Ends an instance and frees what it has. AI's thread; called once. */
    void (*destroy)(void *ai);

    /* Called before a new game. Clears state that could affect results. AI's thread. NULL: nothing to do. */
    rookery_status (*new_game)(void *ai, rookery_error *error);

    /* Finds a move within the limit. AI's thread; thinks as long as it may, asks should_stop every few hundred nodes and
     * returns what it has once that says so. With a depth or node limit the same question has the same answer, whatever
     * was asked before. NULL: the AI only judges. */
    rookery_status (*search)(void *ai, const rookery_question *question, const rookery_host *host,
                             rookery_answer *answer, rookery_error *error);

    /* How good a position is for White, without looking ahead; ROOKERY_NO_SCORE where it failed, which is ROOKERY_PANICKED.
     * AI's thread; must not block. The position has a legal move. NULL: the AI only searches. */
    rookery_score (*evaluate)(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error);

    /* The parts whose sum `evaluate` is, which stand until the next call with the same instance. AI's thread. NULL: none. */
    rookery_status (*terms)(void *ai, const rookery_position *position, const rookery_host *host,
                            const rookery_term **terms, size_t *term_count, rookery_error *error);

    /* An extension of the AI, or NULL if it has none of that name. Any thread. Stands as long as the process. NULL: there
     * are none. */
    const rookery_extension *(*extension)(const char *name);
} rookery_ai;

/* ---- Exporting -------------------------------------------------------------------------------------------------- */

#define ROOKERY_EXPORT __attribute__((visibility("default")))

/* What the host looks for in the library. */
extern ROOKERY_EXPORT const rookery_ai rookery_ai_entry;

/* The version of this contract in words. */
#define ROOKERY_API "1.0.0-rc.2"

/* The note by which a host knows a library before it runs a line of it. `id` is what clients call the AI unless the
 * configuration says otherwise: 1 to 64 of a-z, 0-9, _ and -. Both are literals. */
#define ROOKERY_NOTE(id, version)                                                                                    \
    static const struct {                                                                                            \
        uint32_t name_bytes, content_bytes, kind;                                                                    \
        char name[8];                                                                                                \
        char content[sizeof(ROOKERY_NOTE_TEXT(id, version))];                                                        \
    } rookery_note __attribute__((used, section(".note.rookery"), aligned(4))) = {                                   \
        8, sizeof(ROOKERY_NOTE_TEXT(id, version)), 1, "Rookery", ROOKERY_NOTE_TEXT(id, version)}
#define ROOKERY_NOTE_TEXT(id, version)                                                                               \
    "abi=1\0api=" ROOKERY_API "\0id=" id "\0version=" version "\0compiler=cc " __VERSION__

#ifdef __cplusplus
}
#endif

#endif
