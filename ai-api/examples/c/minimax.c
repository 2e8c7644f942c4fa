/* A complete AI with alpha-beta, iterative deepening and quiescence. It evaluates material and centre in named terms,
 * recognises draws by repetition, obeys every limit and declares options. */
#define _POSIX_C_SOURCE 199309L
#include "rookery_ai.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_DEPTH 64
#define MAX_PLY (MAX_DEPTH + 32)
#define INFINITE (ROOKERY_MATE + 1)

typedef struct minimax {
    int centre; /* centipawns that a piece in the centre is worth */
    bool captures;
    /* The current request: */
    const rookery_search_request *request;
    const rookery_host *host;
    uint64_t nodes, max_nodes, max_ms;
    struct timespec begin;
    bool stopped;
    uint64_t hashes[MAX_PLY + 1];
    rookery_move lines[MAX_PLY + 1][MAX_PLY + 1];
    int line_lengths[MAX_PLY + 1];
    rookery_move best_line[MAX_PLY + 1];
    rookery_eval_term terms[2];
} minimax;

/* ---- The manifest ---- */

static const rookery_option options[] = {
    {.name = "centre",
     .help = "centipawns that a piece in the centre is worth",
     .max = 100,
     .value = {.kind = ROOKERY_VALUE_INTEGER, .integer = 10},
     .kind = ROOKERY_OPTION_INTEGER},
    {.name = "captures",
     .help = "follow captures beyond the last ply",
     .value = {.kind = ROOKERY_VALUE_FLAG, .flag = true},
     .kind = ROOKERY_OPTION_FLAG},
};

static rookery_status manifest(const rookery_host *host, const rookery_setting *settings, size_t count,
                               rookery_manifest *manifest, rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    manifest->name = "Minimax in C";
    manifest->version = "1.0";
    manifest->author = "The Rookery developers";
    manifest->options = options;
    manifest->option_count = sizeof options / sizeof options[0];
    manifest->option_stride = sizeof(rookery_option);
    manifest->capabilities->chess960 = true;
    manifest->capabilities->root_moves = true;
    manifest->capabilities->ponder = true;
    return ROOKERY_OK;
}

static rookery_status create(const rookery_host *host, const rookery_setting *settings, size_t count, void **instance,
                             rookery_error *error) {
    (void)host;
    minimax *ai = calloc(1, sizeof *ai);
    if (!ai) {
        snprintf(error->message, sizeof error->message, "cannot allocate %zu bytes", sizeof *ai);
        return ROOKERY_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(settings[i].name, "centre")) ai->centre = (int)settings[i].value.integer;
        if (!strcmp(settings[i].name, "captures")) ai->captures = settings[i].value.flag;
    }
    *instance = ai;
    return ROOKERY_OK;
}

static void destroy(void *ai) { free(ai); }

/* ---- The evaluation ---- */

static const int values[6] = {100, 300, 310, 500, 900, 0};
static const rookery_bitboard centre = 0x0000001818000000, around = 0x00003c24243c0000;

static int material(const rookery_position *position) {
    int sum = 0;
    for (int role = ROOKERY_PAWN; role < (int)ROOKERY_KING; role++) {
        int white = rookery_count(position->roles[role] & position->colors[ROOKERY_WHITE]);
        int black = rookery_count(position->roles[role] & position->colors[ROOKERY_BLACK]);
        sum += values[role] * (white - black);
    }
    return sum;
}

static int centrality(const minimax *ai, const rookery_position *position) {
    rookery_bitboard white = position->colors[ROOKERY_WHITE] & ~position->roles[ROOKERY_KING];
    rookery_bitboard black = position->colors[ROOKERY_BLACK] & ~position->roles[ROOKERY_KING];
    int inner = rookery_count(white & centre) - rookery_count(black & centre);
    int outer = rookery_count(white & around) - rookery_count(black & around);
    return ai->centre * inner + ai->centre * outer / 2;
}

static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error) {
    (void)host, (void)error;
    return material(position) + centrality(ai, position);
}

static rookery_status terms(void *instance, const rookery_position *position, const rookery_host *host,
                            rookery_eval_terms *terms, rookery_error *error) {
    (void)host, (void)error;
    minimax *ai = instance;
    ai->terms[0] = (rookery_eval_term){.name = "material", .score = material(position)};
    ai->terms[1] = (rookery_eval_term){.name = "centre", .score = centrality(ai, position)};
    terms->terms = ai->terms;
    terms->count = 2;
    terms->stride = sizeof *ai->terms;
    return ROOKERY_OK;
}

/* ---- The search: negamax, with scores for the side to move ---- */

static bool is_over(minimax *ai) {
    if (ai->stopped || ai->nodes >= ai->max_nodes) return ai->stopped = true;
    if (ai->nodes % 256) return false;
    if (rookery_should_stop(ai->host)) return ai->stopped = true;
    if (rookery_is_pondering(ai->host)) {
        clock_gettime(CLOCK_MONOTONIC, &ai->begin);
    } else if (ai->max_ms) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t passed = (now.tv_sec - ai->begin.tv_sec) * 1000 + (now.tv_nsec - ai->begin.tv_nsec) / 1000000;
        ai->stopped = passed >= (int64_t)ai->max_ms;
    }
    return ai->stopped;
}

static bool is_draw(const minimax *ai, const rookery_position *position, int ply) {
    if (ai->host->rules->is_insufficient_material(position) || position->halfmove_clock >= 100) return true;
    for (int back = 4; back <= position->halfmove_clock && back <= ply; back += 2)
        if (ai->hashes[ply - back] == position->hash) return true;
    if (position->halfmove_clock < ply) return false;
    /* The opponent can avoid repeating a position of the game, so only its third occurrence is a draw. */
    int earlier = 0;
    for (size_t i = 0; i < ai->request->history_length; i++) earlier += ai->request->history[i] == position->hash;
    return earlier >= 2;
}

/* Sorts the most valuable captures first. Equally valuable moves keep the host's order. */
static void sort(const rookery_position *position, rookery_move *moves, size_t count) {
    int keys[ROOKERY_MAX_MOVES];
    for (size_t i = 0; i < count; i++) {
        rookery_bitboard to = (rookery_bitboard)1 << ROOKERY_TO(moves[i]);
        int key = ROOKERY_PROMOTION(moves[i]) ? 500 : 0;
        for (int role = 0; role < 6; role++)
            if (position->roles[role] & position->colors[!position->turn] & to) key += values[role];
        rookery_move move = moves[i];
        size_t place = i;
        for (; place > 0 && keys[place - 1] < key; place--) {
            keys[place] = keys[place - 1];
            moves[place] = moves[place - 1];
        }
        keys[place] = key;
        moves[place] = move;
    }
}

static int search_from(minimax *ai, const rookery_position *position, int depth, int ply, int alpha, int beta) {
    const rookery_rules_vtable *rules = ai->host->rules;
    ai->line_lengths[ply] = 0;
    if (is_over(ai)) return 0;
    ai->nodes++;
    ai->hashes[ply] = position->hash;
    if (!rules->has_legal_move(position)) return position->checkers ? ROOKERY_MATED_IN(ply) : 0;
    if (ply > 0 && is_draw(ai, position, ply)) return 0;

    rookery_move_list list;
    int best = -INFINITE;
    if (depth > 0) {
        rules->legal_moves(position, &list);
    } else {
        best = (material(position) + centrality(ai, position)) * (position->turn == ROOKERY_WHITE ? 1 : -1);
        if (!ai->captures || best >= beta || ply >= MAX_PLY) return best;
        if (best > alpha) alpha = best;
        rules->legal_captures(position, &list);
    }
    rookery_move *moves = list.moves;
    size_t count = list.count;
    if (ply == 0 && ai->request->root_move_count > 0) {
        count = ai->request->root_move_count < ROOKERY_MAX_MOVES ? ai->request->root_move_count : ROOKERY_MAX_MOVES;
        memcpy(moves, ai->request->root_moves, count * sizeof *moves);
    }
    sort(position, moves, count);
    for (size_t i = 0; i < count; i++) {
        rookery_position next;
        rules->play(position, moves[i], &next);
        int score = -search_from(ai, &next, depth > 0 ? depth - 1 : 0, ply + 1, -beta, -alpha);
        if (ai->stopped) return 0;
        if (score <= best) continue;
        best = score;
        if (score <= alpha) continue;
        alpha = score;
        int below = ai->line_lengths[ply + 1] < MAX_PLY ? ai->line_lengths[ply + 1] : MAX_PLY;
        ai->lines[ply][0] = moves[i];
        memcpy(ai->lines[ply] + 1, ai->lines[ply + 1], (size_t)below * sizeof(rookery_move));
        ai->line_lengths[ply] = below + 1;
        if (alpha >= beta) break;
    }
    return best;
}

static rookery_status search(void *instance, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    minimax *ai = instance;
    (void)error;
    const rookery_limits *limits = request->limits;
    ai->request = request;
    ai->host = host;
    ai->nodes = 0;
    ai->max_nodes = limits->nodes ? limits->nodes : UINT64_MAX;
    ai->max_ms = limits->soft_ms;
    ai->stopped = false;
    clock_gettime(CLOCK_MONOTONIC, &ai->begin);
    uint32_t max_depth = limits->depth && limits->depth < MAX_DEPTH ? limits->depth : MAX_DEPTH;
    if (limits->mate_plies && limits->mate_plies < max_depth) max_depth = limits->mate_plies;

    /* The result if the search is stopped before it completes depth 1. */
    rookery_move_list list;
    host->rules->legal_moves(request->position, &list);
    ai->best_line[0] = request->root_move_count ? request->root_moves[0] : list.moves[0];
    result->pv_length = 1;
    for (uint32_t depth = 1; depth <= max_depth; depth++) {
        int score = search_from(ai, request->position, (int)depth, 0, -INFINITE, INFINITE);
        if (ai->stopped) break;
        result->score = request->position->turn == ROOKERY_WHITE ? score : -score;
        result->depth = depth;
        result->pv_length = (size_t)ai->line_lengths[0];
        memcpy(ai->best_line, ai->lines[0], result->pv_length * sizeof(rookery_move));
        rookery_search_info info = {.size = sizeof info,
                                    .nodes = ai->nodes,
                                    .pv = ai->best_line,
                                    .pv_length = result->pv_length,
                                    .depth = depth,
                                    .pv_number = 1,
                                    .score = result->score};
        host->report(host->context, &info);
    }
    result->pv = ai->best_line;
    result->best_move = ai->best_line[0];
    result->nodes = ai->nodes;
    return ROOKERY_OK;
}

ROOKERY_NOTE("c-minimax", "1.0");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {.size = sizeof(rookery_ai),
                                                    .abi = ROOKERY_ABI,
                                                    .manifest = manifest,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .search = search,
                                                    .evaluate = evaluate,
                                                    .terms = terms};
