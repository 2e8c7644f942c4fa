/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * rookery_ai.h: the contract between a chess AI and the Rookery host.
 *
 * An AI is a shared library that exports one symbol and carries one note:
 *
 *     ROOKERY_NOTE("dice", "1.0");
 *     ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {
 *         .size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = ..., .create = ..., .destroy = ..., .search = ...};
 *
 * An AI searches for moves (`search`), evaluates positions for the host's search (`evaluate`), or does both. Build with
 *
 *     cc -std=c11 -O2 -fPIC -shared -I path/to/include dice.c -o libdice.so
 *
 * `rookery check-ai` tests an AI; docs/ai-cookbook.md in Rookery lists the rules and their checks.
 *
 * Promise. This is contract 1.0. A library built with this header today loads and plays in every later host of ABI 1, just
 * as it does now: no layout, value or meaning described here changes, and additions follow the rules for growth below. The
 * author need not rebuild it or know later versions. Anything not described here, such as the order of legal moves or the
 * time between two calls, may change.
 *
 * Conventions:
 *   process  A process runs one host and one library, with one instance at a time. This never changes.
 *   thread   "AI's thread" is the thread that called `create`. The host calls one function at a time there. A function for
 *            "any thread" may run on several at once. When a function returns, all threads of the AI are idle and use
 *            nothing of the host. No exception, longjmp or unwinding crosses a function.
 *   memory   The host's memory is valid until the call returns, unless stated otherwise. The AI's memory must stay valid
 *            until the next call with the same instance. Neither side frees what the other side has allocated, and neither
 *            writes to memory that it receives as const. An empty array is NULL with length 0.
 *   text     UTF-8, NUL-terminated. The host truncates long text and removes control characters.
 *   scores   ALWAYS for White: higher is better for White.
 *
 * Growth. ABI 1 stays; later minor versions only append:
 *   - A struct that begins with `size` may get further fields at its end. `size` is the size in bytes known to the side that
 *     created the struct. A reader uses the smaller of this size and its own, and treats an absent field as 0 (ROOKERY_HAS).
 *     A writer writes nothing beyond this size (ROOKERY_SET). These structs are always passed by pointer. `size` is never
 *     smaller than in 1.0, so the fields of 1.0 need no ROOKERY_HAS, and it never ends inside a field.
 *   - An array whose elements may grow has a stride, the size of one element in bytes.
 *   - rookery_position, rookery_move, rookery_move_list, rookery_value, rookery_setting and rookery_wdl never grow.
 *   - Reserved fields are 0. No struct has other padding, so an appended field always changes the size.
 *   - Enumerations may get further values, except colors, roles, bounds and the enumerations of an extension. The host does
 *     not offer an option of an unknown kind and passes no value for it: the AI uses its own default. It treats an unknown
 *     status as ROOKERY_FAILED and an unknown node kind as ROOKERY_NODE_OTHER.
 *   - An AI built with a newer header than the host's runs. It may rely on everything up to the host's `minor`, and finds
 *     anything newer absent. A host without `minor` has version 1.0.
 *   - Everything else is an extension, which either side requests by name.
 *
 * A crash, an endless loop or an illegal move costs the AI its worker process and nothing else.
 */
#ifndef ROOKERY_AI_H
#define ROOKERY_AI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROOKERY_ABI 1u
/* The version of this header is ABI.MINOR. */
#define ROOKERY_MINOR 0u

#if UINTPTR_MAX != UINT64_MAX || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "ABI 1 is for 64-bit little-endian machines"
#endif

/* Limits. The host rejects more, with an error. */
#define ROOKERY_MAX_OPTIONS 1000
#define ROOKERY_MAX_CHOICES 4096     /* of an option, and texts in a list */
#define ROOKERY_MAX_LINES 4096       /* of a result, in addition to the best one */
#define ROOKERY_MAX_PV 4096          /* moves of a line */
#define ROOKERY_MAX_TRACE_NODES 4096
#define ROOKERY_MAX_TERMS 64

/* Whether the side that created a struct knows this field. */
#define ROOKERY_HAS(pointer, field)                                                                                  \
    ((size_t)((const char *)&(pointer)->field - (const char *)(pointer)) + sizeof((pointer)->field) <= (pointer)->size)
/* Writes a field of a struct from the host if the host knows the field. */
#define ROOKERY_SET(pointer, field, value)                                                                           \
    do {                                                                                                             \
        if (ROOKERY_HAS(pointer, field)) (pointer)->field = (value);                                                 \
    } while (0)

/* ---- The vocabulary of chess ---------------------------------------------------------------------------------- */

/* A square: a1 is 0, b1 is 1, h8 is 63. A set of squares has bit n for square n. */
typedef uint8_t rookery_square;
typedef uint64_t rookery_bitboard;

/* The number of squares in a set. Never a function call, unlike a compiler's builtin on some processors. */
static inline int rookery_count(rookery_bitboard squares) {
    squares -= squares >> 1 & 0x5555555555555555u;
    squares = (squares & 0x3333333333333333u) + (squares >> 2 & 0x3333333333333333u);
    return (int)(((squares + (squares >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* The first square of a set, which must not be empty. */
static inline rookery_square rookery_first(rookery_bitboard squares) {
    return (rookery_square)rookery_count((squares & (0 - squares)) - 1);
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

/* A move: origin in bits 0 to 5, target in bits 6 to 11, promotion in bits 12 to 14 (0 for none). Castling is the
 * king taking its own rook: e1h1. */
typedef uint16_t rookery_move;
#define ROOKERY_NO_MOVE ((rookery_move)0)
#define ROOKERY_MOVE(from, to) ((rookery_move)((from) | (to) << 6))
#define ROOKERY_FROM(move) ((rookery_square)((move) & 63))
#define ROOKERY_TO(move) ((rookery_square)((move) >> 6 & 63))
#define ROOKERY_PROMOTION(move) ((rookery_role)((move) >> 12 & 7))

/* Centipawns for White, at most 989,999 for either side, or a mate, counted in plies from now, at most 10,000.
 * ROOKERY_MATE_IN(1): White mates with a move now. ROOKERY_MATED_IN(2): White moves, and Black mates.
 * ROOKERY_MATED_IN(0): White is mated. */
typedef int32_t rookery_score;
#define ROOKERY_MATE ((rookery_score)1000000) /* White has mated */
#define ROOKERY_MATE_IN(plies) ((rookery_score)(ROOKERY_MATE - (plies)))
#define ROOKERY_MATED_IN(plies) ((rookery_score)((plies)-ROOKERY_MATE))

/* The return value of `evaluate` on failure. */
#define ROOKERY_NO_SCORE INT32_MIN

/* How a score relates to the true score. */
typedef uint8_t rookery_bound;
#define ROOKERY_EXACT 0u
#define ROOKERY_LOWER 1u /* the true score is at least this, for White */
#define ROOKERY_UPPER 2u /* the true score is at most this, for White */

/* White's chances per mille, or all 0 if unknown. Round two of them and give the third the rest: the host treats chances that
 * do not add up to 1000 as unknown. */
typedef struct rookery_wdl {
    uint16_t win, draw, loss;
} rookery_wdl;

/* A legal position. Only the host creates positions. An AI receives them with a request and from `play`. */
typedef struct rookery_position {
    rookery_bitboard roles[6];     /* the squares of each role, by rookery_role */
    rookery_bitboard colors[2];    /* the squares of each side, by rookery_color */
    rookery_bitboard checkers;     /* the pieces that give check to the side to move */
    rookery_bitboard pinned;       /* the pinned pieces of the side to move */
    uint64_t hash;                 /* equal for positions that repeat each other */
    uint8_t castling[2][2];        /* by color, then king's side and queen's side: the rook's file, or 8 for none */
    uint8_t en_passant_file;       /* the file on which an en passant capture is legal now, or 8 for none */
    uint8_t halfmove_clock;        /* plies since the last capture or pawn move, 0 to 150 */
    uint16_t fullmove_number;      /* from 1, incremented after Black's move */
    rookery_color turn;            /* the side to move */
    bool chess960;                 /* whether kings and rooks may start elsewhere, as in Chess960; castling is encoded the
                                      same way in both. ABI 1 has no other variants */
    uint8_t reserved[6];
} rookery_position;

#define ROOKERY_MAX_MOVES 256
typedef struct rookery_move_list {
    uint32_t count;
    rookery_move moves[ROOKERY_MAX_MOVES];
} rookery_move_list;

/* ---- The host ---------------------------------------------------------------------------------------------------- */

/* The rules of chess. Any thread. No function blocks or keeps its arguments, and each takes nanoseconds. The table is valid
   until the process ends, so an AI may copy the pointers. The order of moves and `hash` are the same on every machine for one
   version of the host, but may differ between versions: do not store them. */
typedef struct rookery_rules_vtable {
    size_t size;
    /* Replaces the list with the legal moves, in an order that never changes for a position. */
    void (*legal_moves)(const rookery_position *position, rookery_move_list *list);
    /* Replaces the list with the legal moves that capture or promote. */
    void (*legal_captures)(const rookery_position *position, rookery_move_list *list);
    /* Whether there is a legal move. If not, it is mate or stalemate. Much cheaper than the list. */
    bool (*has_legal_move)(const rookery_position *position);
    /* The number of legal moves of a side, as if it were its turn: its mobility. */
    uint32_t (*count_legal_moves)(const rookery_position *position, rookery_color color);
    /* Whether neither side can ever mate with the material on the board. */
    bool (*is_insufficient_material)(const rookery_position *position);
    /* Writes the position after a legal move. `next` must not be `position`. An illegal move gives a meaningless position. */
    void (*play)(const rookery_position *position, rookery_move move, rookery_position *next);
    /* Writes the position after a null move, which passes the turn. `next` must not be `position`. Returns false
       and writes nothing if the side to move is in check. */
    bool (*pass)(const rookery_position *position, rookery_position *next);
    /* Whether a move is legal. Accepts any bits. */
    bool (*is_legal)(const rookery_position *position, rookery_move move);
    /* The pieces of a side that attack a square. */
    rookery_bitboard (*attackers)(const rookery_position *position, rookery_square square, rookery_color color);
    /* Whether a legal move gives check. */
    bool (*gives_check)(const rookery_position *position, rookery_move move);
} rookery_rules_vtable;

/* The header of an extension: a table of functions that the host or the AI offers in addition to this contract. Its name is
 * OWNER.NAME/REVISION, such as "rookery.log/1". A revision never changes, including its enumerations. The owner `rookery` is
 * this project. Others use their own reversed domain: "org.example.tables/1". */
typedef struct rookery_extension {
    size_t size; /* the size of the table, including this header */
} rookery_extension;

/* A search in progress: a line after each iteration or, without a line (pv_length 0), news between two iterations. */
typedef struct rookery_search_info {
    size_t size;
    uint64_t nodes; /* positions visited so far */
    const rookery_move *pv;
    size_t pv_length;
    uint32_t depth;           /* completed plies */
    uint32_t selective_depth; /* the length of the longest line searched; 0 if unknown */
    uint32_t pv_number;       /* 1 for the best line, 2 for the second best, ... */
    rookery_score score;
    rookery_wdl wdl;
    rookery_bound bound;
    uint8_t reserved;
    uint64_t tablebase_hits;     /* positions found in endgame tables so far */
    const char *text;            /* a line for people, or NULL */
    uint32_t current_number;     /* the number of the root move being searched, from 1; 0 if unknown */
    rookery_move current_move;   /* that move */
    uint16_t hashfull;           /* how full the transposition table is, per mille; 0 if unknown */
} rookery_search_info;

/* What the operator grants to an AI. */
typedef struct rookery_grants {
    size_t size;
    uint64_t memory_mb; /* megabytes, including the library; 0 without a limit */
    const char *const *paths; /* absolute paths of files and folders that the AI may read */
    size_t path_count;
    uint32_t threads; /* threads that it may start in addition to the AI's thread */
    uint32_t reserved;
} rookery_grants;

/* The host, valid during one call. */
typedef struct rookery_host {
    size_t size; /* sizeof(rookery_host) of the host */
    const rookery_rules_vtable *rules;
    const rookery_grants *grants;
    const uint32_t *stop;      /* load atomically: nonzero means stop; see rookery_should_stop */
    const uint32_t *pondering; /* load atomically: nonzero means pondering; see rookery_is_pondering */
    const void *context;       /* for the host */
    /* Reports an iteration, with the host's context. The host copies what it keeps, so `info` and the data it points to are
     * read only during this call. AI's thread, during `search`. */
    void (*report)(const void *context, const rookery_search_info *info);
    /* An extension of the host, or NULL for an unknown name. Any thread. Valid until the process ends. */
    const rookery_extension *(*extension)(const char *name);
    uint32_t minor; /* ROOKERY_MINOR of the host */
    uint32_t reserved;
    const char *version; /* of the host's contract, such as "1.0.0"; valid until the process ends */
} rookery_host;

static inline uint32_t rookery_load(const uint32_t *flag) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
#else
    return *(const volatile uint32_t *)flag;
#endif
}

/* Whether the AI must return its best result now. Any thread. A single load: check every few hundred nodes. */
static inline bool rookery_should_stop(const rookery_host *host) { return rookery_load(host->stop) != 0; }

/* Whether the opponent is still thinking. The time limits, including `hard_ms`, start when this turns false, so earlier time does
 * not count. The host holds back a result until then. Any thread. */
static inline bool rookery_is_pondering(const rookery_host *host) { return rookery_load(host->pondering) != 0; }

/* The host's extension "rookery.log/1": messages to the AI's log, with the id of the request. */
#define ROOKERY_LOG "rookery.log/1"
#define ROOKERY_LOG_ERROR 1u
#define ROOKERY_LOG_WARN 2u
#define ROOKERY_LOG_INFO 3u
#define ROOKERY_LOG_DEBUG 4u
typedef struct rookery_log {
    rookery_extension head;
    /* Logs a message. Any thread. The host truncates long messages and drops floods. */
    void (*log)(uint32_t level, const char *message);
} rookery_log;

/* The host's extension "rookery.tablebase/1": endgames with known results, for the side to move. After a "cursed" win or a
 * "blessed" loss, the fifty-move rule draws the game before the mate. */
#define ROOKERY_TABLEBASE "rookery.tablebase/1"
#define ROOKERY_TABLE_UNKNOWN 0u
#define ROOKERY_TABLE_LOSS 1u
#define ROOKERY_TABLE_BLESSED_LOSS 2u
#define ROOKERY_TABLE_DRAW 3u
#define ROOKERY_TABLE_CURSED_WIN 4u
#define ROOKERY_TABLE_WIN 5u

/* A legal move and its result for the side that moves. */
typedef struct rookery_table_move {
    rookery_move chosen;
    uint16_t reserved;
    uint32_t result;
    /* The distance to zeroing: half-moves until a capture, a pawn move or mate, including this move. Negative for a loss, 0 for a
     * draw. Tables round some distances up by one. */
    int32_t dtz;
} rookery_table_move;

typedef struct rookery_tablebase {
    rookery_extension head;
    /* The maximum number of pieces in a table, including kings; 0 without tables. Any thread. */
    uint32_t (*max_pieces)(void);
    /* The result as if the last move had been a capture or a pawn move; ROOKERY_TABLE_UNKNOWN without a table or with castling
     * rights. Any thread. The first probe of an ending may read a file. */
    uint32_t (*probe_wdl)(const rookery_position *position);
    /* The result, counting the half-moves since the last capture or pawn move; ROOKERY_TABLE_UNKNOWN without tables or with castling
     * rights. Writes the distance to zeroing, up to `capacity` moves, best first, and their number. Any thread. Meant for the root
     * of a search. */
    uint32_t (*probe_root)(const rookery_position *position, int32_t *dtz, rookery_table_move *moves, size_t capacity,
                           size_t *count);
} rookery_tablebase;

/* ---- Options ---------------------------------------------------------------------------------------------------- */

typedef uint8_t rookery_value_kind;
#define ROOKERY_VALUE_FLAG 0u
#define ROOKERY_VALUE_INTEGER 1u
#define ROOKERY_VALUE_DECIMAL 2u
#define ROOKERY_VALUE_TEXT 3u
#define ROOKERY_VALUE_LIST 4u

typedef struct rookery_value {
    rookery_value_kind kind; /* tells which field holds the value; the others are meaningless */
    bool flag;
    uint8_t reserved[6];
    int64_t integer;
    double decimal;
    const char *text;
    const char *const *list; /* texts */
    size_t list_length;
} rookery_value;

/* An option and its value. */
typedef struct rookery_setting {
    const char *name;
    rookery_value value;
} rookery_setting;

typedef uint8_t rookery_option_kind;
#define ROOKERY_OPTION_FLAG 0u
#define ROOKERY_OPTION_INTEGER 1u /* from min to max */
#define ROOKERY_OPTION_DECIMAL 2u /* from decimal_min to decimal_max */
#define ROOKERY_OPTION_CHOICE 3u  /* one of the texts in choices */
#define ROOKERY_OPTION_TEXT 4u
#define ROOKERY_OPTION_FILE 5u   /* a text: the absolute path of a readable file, or "" for none */
#define ROOKERY_OPTION_FOLDER 6u /* a text: the absolute path of a readable folder, or "" for none */
#define ROOKERY_OPTION_FILES 7u  /* a list of absolute paths of readable files and folders */

/* An option that a configuration may set. The host checks a value before it passes it on. Files, folders and lists of
 * files have no default: only a configuration names files.
 *
 * Hosts know these names and may set them on their own: the integers `hash_mb` (megabytes of the transposition table),
 * `threads`, `elo` (strength) and `seed` (for weaker play; the same seed gives the same play), the files `syzygy` (endgame
 * tables) and the file `book` (openings). */
typedef struct rookery_option {
    const char *name; /* in snake_case */
    const char *help; /* one line for the operator */
    int64_t min, max;
    double decimal_min, decimal_max;
    const char *const *choices;
    size_t choice_count;
    rookery_value value; /* the default */
    rookery_option_kind kind;
    bool secret;   /* a text that the host never shows and no request sets, such as a password or a key */
    bool advanced; /* for experts: shown last, or on request */
    bool live;     /* changed by set_option, without a new instance; not for a file, folder or files */
    uint8_t reserved[4];
} rookery_option;

/* ---- The manifest ------------------------------------------------------------------------------------------------ */

/* What an AI can do beyond the minimum, and what it needs. Zero is the minimum. The host passes it with all fields zero
 * except `size`. */
typedef struct rookery_capabilities {
    size_t size; /* sizeof(rookery_capabilities) of the host */
    uint64_t memory_mb;       /* megabytes that it needs; 0 if unknown */
    uint32_t threads;         /* threads that it starts in addition to the AI's thread */
    uint32_t max_lines;       /* the maximum number of lines that it reports at once, including the best one; 0 and 1 mean
                                 only the best line */
    uint32_t max_trace_nodes; /* the maximum number of nodes in a trace that it returns; 0 for none */
    bool chess960;            /* plays positions where kings and rooks may start elsewhere, as in Chess960 */
    bool root_moves;          /* chooses only among a request's root_moves */
    bool ponder;              /* keeps searching while is_pondering */
    bool manages_time;        /* divides the time on the request's `clocks` itself, between soft_ms and hard_ms */
    bool varies;              /* results may differ with the same depth or node limit, because of several threads or a
                                 table kept across new_game */
    uint8_t reserved[7];
} rookery_capabilities;

/* The description of an AI. The host passes it with all fields zero except `size` and `capabilities`. */
typedef struct rookery_manifest {
    size_t size; /* sizeof(rookery_manifest) of the host */
    rookery_capabilities *capabilities;
    const char *name;
    const char *version;
    const char *author; /* may be NULL */
    const rookery_option *options;
    size_t option_count;
    size_t option_stride; /* sizeof(rookery_option) of the AI */
} rookery_manifest;

/* ---- Requests and results ---------------------------------------------------------------------------------------- */

/* The limits of a search. The first limit reached ends it. 0 means no limit. Without limits, the search ends at `stop`. */
typedef struct rookery_limits {
    size_t size;         /* sizeof(rookery_limits) of the host */
    uint64_t nodes;      /* visit at most this many positions */
    uint64_t soft_ms;    /* the time that the host would spend */
    uint64_t hard_ms;    /* when the host sets `stop`, counted from the end of pondering; equals soft_ms unless the AI has
                            manages_time and the request has clocks */
    uint32_t depth;      /* stop after completing this many plies */
    uint32_t mate_plies; /* end when the side to move is known to mate within this many plies (2 x moves - 1), or when this
                            many are complete */
} rookery_limits;

/* The clocks of a game, by rookery_color. */
typedef struct rookery_clocks {
    size_t size; /* sizeof(rookery_clocks) of the host */
    uint64_t remaining_ms[2];
    uint64_t increment_ms[2]; /* per move */
    uint32_t moves_to_go;     /* moves until the next time control; 0 for none */
    uint32_t reserved;
} rookery_clocks;

/* A position to search. The game is never over: there is a legal move and enough material, no position has occurred five times,
 * and no 75 moves have passed without a capture or pawn move. A player may be able to claim a draw (threefold repetition, 50 moves). */
typedef struct rookery_search_request {
    size_t size; /* sizeof(rookery_search_request) of the host */
    const rookery_position *position;
    /* `hash` of the earlier positions in the game that can still repeat, oldest first, without `position`. */
    const uint64_t *history;
    size_t history_length;
    /* The game: its first position and the moves since. */
    const rookery_position *start;
    const rookery_move *moves;
    size_t move_count;
    const rookery_limits *limits;
    const rookery_clocks *clocks; /* or NULL */
    /* The moves to choose from. If root_move_count is 0, every legal move is allowed. */
    const rookery_move *root_moves;
    size_t root_move_count;
    uint32_t lines;       /* the number of requested lines, 1 to max_lines */
    uint32_t trace_nodes; /* the maximum number of nodes in the requested trace; 0 for none */
    bool analysis;        /* whether the request analyses a position instead of playing a game */
    uint8_t reserved[7];
} rookery_search_request;

typedef struct rookery_pv_line {
    const rookery_move *moves;
    size_t move_count;
    uint32_t depth; /* completed plies */
    rookery_score score;
    rookery_wdl wdl;
    rookery_bound bound;
    uint8_t reserved;
} rookery_pv_line;

typedef uint8_t rookery_node_kind;
#define ROOKERY_NODE_COMPLETE 0u    /* every move was searched */
#define ROOKERY_NODE_CUTOFF 1u      /* a move caused a beta cutoff */
#define ROOKERY_NODE_STATIC_EVAL 2u /* a leaf, evaluated */
#define ROOKERY_NODE_TT_HIT 3u      /* from the transposition table */
#define ROOKERY_NODE_PRUNED 4u      /* not searched */
#define ROOKERY_NODE_CHECKMATE 5u
#define ROOKERY_NODE_STALEMATE 6u
#define ROOKERY_NODE_REPETITION 7u
#define ROOKERY_NODE_FIFTY_MOVES 8u
#define ROOKERY_NODE_INSUFFICIENT_MATERIAL 9u
#define ROOKERY_NODE_STOPPED 10u /* the search ended here */
#define ROOKERY_NODE_OTHER 11u

/* A node of the search tree. A trace lists nodes in the order in which they were entered: a node comes after its parent. */
typedef struct rookery_trace_node {
    uint32_t parent; /* the index of the parent; UINT32_MAX for the root */
    uint32_t depth;  /* plies left to search */
    rookery_score alpha, beta; /* the window, for White */
    rookery_score score;       /* the result, for White */
    rookery_move chosen;       /* the move from the parent */
    rookery_bound bound;
    rookery_node_kind kind;
} rookery_trace_node;

/* The result of a search. The host passes it with all fields zero except `size`, and reads all fields: without a score it is an
 * exact 0, and without a pv it is only best_move. */
typedef struct rookery_search_result {
    size_t size; /* sizeof(rookery_search_result) of the host */
    uint64_t nodes; /* positions visited */
    /* The principal variation: the line that leads to the score, best_move first. */
    const rookery_move *pv;
    size_t pv_length;
    /* The second best line, the third best, ..., if several are requested. */
    const rookery_pv_line *multipv;
    size_t multipv_count;
    size_t multipv_stride; /* sizeof(rookery_pv_line) of the AI */
    const rookery_trace_node *trace;
    size_t trace_length;
    size_t trace_stride; /* sizeof(rookery_trace_node) of the AI */
    uint32_t depth;      /* completed plies */
    rookery_score score;
    rookery_move best_move;
    rookery_wdl wdl;
    rookery_bound bound;
    uint8_t reserved[7];
} rookery_search_result;

/* A named part of an evaluation. */
typedef struct rookery_eval_term {
    const char *name;
    rookery_score score;
    uint32_t reserved;
} rookery_eval_term;

/* The parts of an evaluation. The host passes it with all fields zero except `size`. */
typedef struct rookery_eval_terms {
    size_t size; /* sizeof(rookery_eval_terms) of the host */
    const rookery_eval_term *terms;
    size_t count;
    size_t stride; /* sizeof(rookery_eval_term) of the AI */
} rookery_eval_terms;

/* The return value of a function of an AI. */
typedef int32_t rookery_status;
#define ROOKERY_OK 0
#define ROOKERY_FAILED 1   /* the reason is in the error */
#define ROOKERY_PANICKED 2 /* like ROOKERY_FAILED, and the host replaces the instance, whose state is unknown */

#define ROOKERY_MAX_MESSAGE 1000
/* Why a function failed: a sentence for the operator, written before the function returns. */
typedef struct rookery_error {
    size_t size; /* sizeof(rookery_error) of the host */
    char message[ROOKERY_MAX_MESSAGE];
} rookery_error;

/* ---- The functions of an AI ------------------------------------------------------------------------------------- */

typedef struct rookery_ai {
    size_t size;  /* sizeof(rookery_ai) of the AI; at this place in every ABI */
    uint32_t abi; /* ROOKERY_ABI; at this place in every ABI */
    uint32_t reserved;

    /* Describes the AI with these settings, which include all settings in the configuration. Their names, kinds and values are
     * not checked yet. Any thread, one call at a time, and never during another function of the AI except `extension`; within
     * the host's time limit for a start. The description must stay valid until the next call of `manifest`. */
    rookery_status (*manifest)(const rookery_host *host, const rookery_setting *settings, size_t setting_count,
                               rookery_manifest *manifest, rookery_error *error);

    /* Creates an instance with a value for every option that the host offers, and writes it to `ai`. Anything but NULL is an
     * instance. It is ready for a game. The host destroys it before it creates the next. After a failure, `create` must free
     * what it allocated, and the host ignores `ai`. */
    rookery_status (*create)(const rookery_host *host, const rookery_setting *settings, size_t setting_count, void **ai,
                             rookery_error *error);

    /* Destroys an instance, even after ROOKERY_PANICKED. AI's thread, called once. */
    void (*destroy)(void *ai);

    /* Called before another game, and before each request that must not depend on earlier ones. The host calls it often, so make
     * it cheap. Afterwards the instance gives the same results as a new one with the same options. AI's thread. NULL: does
     * nothing. */
    rookery_status (*new_game)(void *ai, const rookery_host *host, rookery_error *error);

    /* Searches for a move within the limits. AI's thread. Checks should_stop every few hundred nodes, and returns its best
     * result once that is true. With only depth or node limits, the same requests in the same order since `create` or
     * `new_game` give the same results, unless the AI `varies`. NULL: the AI only evaluates. */
    rookery_status (*search)(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error);

    /* Evaluates a position for White, without a search. On failure it returns ROOKERY_NO_SCORE, with the effect of
     * ROOKERY_PANICKED. AI's thread, must not block. The position has a legal move. NULL: the AI only searches. */
    rookery_score (*evaluate)(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error);

    /* The parts that add up to the evaluation, valid until the next call with the instance. AI's thread. NULL: none. */
    rookery_status (*terms)(void *ai, const rookery_position *position, const rookery_host *host,
                            rookery_eval_terms *terms, rookery_error *error);

    /* An extension of the AI, or NULL for an unknown name. Any thread. Valid until the process ends. NULL: none. */
    const rookery_extension *(*extension)(const char *name);

    /* Changes the value of a live option of an instance. AI's thread. One `new_game` follows the last change. The host sets
     * the options of a request this way, and restores them before the next request without them. On failure it destroys the
     * instance and creates another. NULL: the host creates a new instance for every change. */
    rookery_status (*set_option)(void *ai, const rookery_setting *setting, const rookery_host *host,
                                 rookery_error *error);
} rookery_ai;

/* ---- The layout ------------------------------------------------------------------------------------------------- */

/* The offset at which a field ends. */
#define ROOKERY_END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
#ifdef __cplusplus
#define ROOKERY_ASSERT(condition) static_assert(condition, #condition)
#else
#define ROOKERY_ASSERT(condition) _Static_assert(condition, #condition)
#endif
ROOKERY_ASSERT(sizeof(rookery_wdl) == 6);
ROOKERY_ASSERT(sizeof(rookery_position) == 104);
ROOKERY_ASSERT(sizeof(rookery_move_list) == 516);
ROOKERY_ASSERT(ROOKERY_END(rookery_rules_vtable, gives_check) == 88);
ROOKERY_ASSERT(ROOKERY_END(rookery_extension, size) == 8);
ROOKERY_ASSERT(ROOKERY_END(rookery_search_info, hashfull) == 80);
ROOKERY_ASSERT(ROOKERY_END(rookery_grants, reserved) == 40);
ROOKERY_ASSERT(ROOKERY_END(rookery_host, version) == 80);
ROOKERY_ASSERT(ROOKERY_END(rookery_log, log) == 16);
ROOKERY_ASSERT(sizeof(rookery_table_move) == 12);
ROOKERY_ASSERT(ROOKERY_END(rookery_tablebase, probe_root) == 32);
ROOKERY_ASSERT(sizeof(rookery_value) == 48);
ROOKERY_ASSERT(sizeof(rookery_setting) == 56);
ROOKERY_ASSERT(ROOKERY_END(rookery_option, reserved) == 120);
ROOKERY_ASSERT(ROOKERY_END(rookery_capabilities, reserved) == 40);
ROOKERY_ASSERT(ROOKERY_END(rookery_manifest, option_stride) == 64);
ROOKERY_ASSERT(ROOKERY_END(rookery_limits, mate_plies) == 40);
ROOKERY_ASSERT(ROOKERY_END(rookery_clocks, reserved) == 48);
ROOKERY_ASSERT(ROOKERY_END(rookery_search_request, reserved) == 104);
ROOKERY_ASSERT(ROOKERY_END(rookery_pv_line, reserved) == 32);
ROOKERY_ASSERT(ROOKERY_END(rookery_trace_node, kind) == 24);
ROOKERY_ASSERT(ROOKERY_END(rookery_search_result, reserved) == 104);
ROOKERY_ASSERT(ROOKERY_END(rookery_eval_term, reserved) == 16);
ROOKERY_ASSERT(ROOKERY_END(rookery_eval_terms, stride) == 32);
ROOKERY_ASSERT(ROOKERY_END(rookery_error, message) == 1008);
ROOKERY_ASSERT(ROOKERY_END(rookery_ai, set_option) == 88);

/* ---- Exporting -------------------------------------------------------------------------------------------------- */

#if defined(_WIN32)
#define ROOKERY_EXPORT __declspec(dllexport)
#else
#define ROOKERY_EXPORT __attribute__((visibility("default")))
#endif

/* The symbol that the host looks up. */
extern ROOKERY_EXPORT const rookery_ai rookery_ai_entry;

/* The version of this contract. */
#define ROOKERY_API "1.0.0"

/* The note by which a host identifies a library before it runs any of its code. `id` is the name of the AI for clients
 * unless the configuration gives another: 1 to 64 of a-z, 0-9, _ and -. `version` appears in errors about a library that does not
 * load, while clients see the manifest's version: make both equal. Both arguments are literals. Only ELF libraries have notes.
 *
 * In bytes: an ELF note in a section `.note.rookery`, aligned to 4, in a segment PT_NOTE. It starts with three 32-bit numbers:
 * 8, the length of the content, and the type 1. The name "Rookery" and its NUL follow. The content consists of UTF-8 texts
 * KEY=VALUE of at most 255 bytes, each with a terminating NUL, in any order: `abi` (decimal), `api`, `id`, `version`,
 * `compiler`. Readers ignore other keys. */
#if defined(__ELF__)
#define ROOKERY_NOTE(id, version)                                                                                    \
    static const struct {                                                                                            \
        uint32_t name_bytes, content_bytes, kind;                                                                    \
        char name[8];                                                                                                \
        char content[sizeof(ROOKERY_NOTE_TEXT(id, version))];                                                        \
    } rookery_note __attribute__((used, section(".note.rookery"), aligned(4))) = {                                   \
        8, sizeof(ROOKERY_NOTE_TEXT(id, version)), 1, "Rookery", ROOKERY_NOTE_TEXT(id, version)}
#else
#define ROOKERY_NOTE(id, version) typedef int rookery_note
#endif
#define ROOKERY_NOTE_TEXT(id, version)                                                                               \
    "abi=1\0api=" ROOKERY_API "\0id=" id "\0version=" version "\0compiler=cc " __VERSION__

#ifdef __cplusplus
}
#endif

#endif
