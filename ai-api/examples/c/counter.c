/* A plain search that shows every part of the contract: a live option, several lines, pondering and time
 * management. It prefers positions in which it has more moves than its opponent. */
#define _POSIX_C_SOURCE 200112L /* for clock_gettime */
#include "rookery_ai.h"

#include <string.h>
#include <time.h>

enum { MAX_DEPTH = 64, MAX_LINES = 8 };

/* A worker has at most one instance, so its state can be static. */
static struct {
    int move_value; /* centipawns for each extra legal move */
    uint64_t nodes, max_nodes;
    bool is_stopped;
    /* The result points here until the next call. */
    rookery_move moves[MAX_LINES];
    rookery_pv_line lines[MAX_LINES];
} self;

static const rookery_option options[] = {{
    .name = "move_value",
    .help = "centipawns for each extra legal move",
    .min = 1,
    .max = 100,
    .value = {.kind = ROOKERY_VALUE_INTEGER, .integer = 1},
    .kind = ROOKERY_OPTION_INTEGER,
    .live = true,
}};

static rookery_status manifest(const rookery_host *host, const rookery_setting *settings, size_t count,
                               rookery_manifest *to, rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    to->name = "Counter in C";
    to->version = "1.0";
    to->options = options;
    to->option_count = 1;
    to->option_stride = sizeof *options;
    to->capabilities->max_lines = MAX_LINES;
    to->capabilities->root_moves = true;
    to->capabilities->ponder = true;
    to->capabilities->manages_time = true;
    return ROOKERY_OK;
}

/* Changes a live option without creating a new instance. */
static rookery_status set_option(void *ai, const rookery_setting *setting, const rookery_host *host,
                                 rookery_error *error) {
    (void)ai, (void)host, (void)error;
    if (strcmp(setting->name, "move_value") == 0) self.move_value = (int)setting->value.integer;
    return ROOKERY_OK;
}

static rookery_status create(const rookery_host *host, const rookery_setting *settings, size_t count, void **ai,
                             rookery_error *error) {
    self.move_value = 1;
    for (size_t i = 0; i < count; i++) set_option(&self, &settings[i], host, error);
    *ai = &self;
    return ROOKERY_OK;
}

static void destroy(void *ai) { (void)ai; }

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* elapsed time, not CPU time */
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The maximum depth. Finding a mate within N plies never needs more than depth N. */
static uint32_t max_depth(const rookery_limits *limits) {
    uint32_t depth = MAX_DEPTH;
    if (limits->depth && limits->depth < depth) depth = limits->depth;
    if (limits->mate_plies && limits->mate_plies < depth) depth = limits->mate_plies;
    return depth;
}

/* The moves that the request lets the AI choose from. */
static void allowed_moves(const rookery_search_request *request, const rookery_host *host, rookery_move_list *moves) {
    host->rules->legal_moves(request->position, moves);
    if (request->root_move_count == 0) return;
    moves->count = (uint32_t)request->root_move_count;
    for (uint32_t i = 0; i < moves->count; i++) moves->moves[i] = request->root_moves[i];
}

/* The value of a position for the side to move. Meaningless once the search is stopped. */
static int value(const rookery_position *position, uint32_t depth, int ply, const rookery_host *host) {
    bool asks_the_host = self.nodes % 256 == 0;
    if (self.nodes >= self.max_nodes || (asks_the_host && rookery_should_stop(host))) self.is_stopped = true;
    if (self.is_stopped) return 0;
    self.nodes++;

    rookery_move_list list;
    host->rules->legal_moves(position, &list);
    if (list.count == 0) return position->checkers ? ROOKERY_MATED_IN(ply) : 0;
    if (depth == 0) {
        uint32_t others = host->rules->count_legal_moves(position, !position->turn);
        return self.move_value * ((int)list.count - (int)others);
    }

    int best = -ROOKERY_MATE;
    for (uint32_t i = 0; i < list.count && !self.is_stopped; i++) {
        rookery_position next;
        host->rules->play(position, list.moves[i], &next);
        int found = -value(&next, depth - 1, ply + 1, host);
        if (found > best) best = found;
    }
    return best;
}

/* Finds the best move at or after index `first`, moves it to `first` and returns its value for the side to move. */
static int best_first(const rookery_position *position, rookery_move_list *list, uint32_t first, uint32_t depth,
                      const rookery_host *host) {
    int best = -ROOKERY_MATE;
    uint32_t place = first;
    for (uint32_t i = first; i < list->count && !self.is_stopped; i++) {
        rookery_position next;
        host->rules->play(position, list->moves[i], &next);
        int found = -value(&next, depth - 1, 1, host);
        if (found > best) {
            best = found;
            place = i;
        }
    }
    rookery_move chosen = list->moves[place];
    list->moves[place] = list->moves[first];
    list->moves[first] = chosen;
    return best;
}

/* Searches all lines. Returns false if the search is stopped before it completes them. */
static bool search_lines(const rookery_position *position, rookery_move_list *list, uint32_t count, uint32_t depth,
                         const rookery_host *host, rookery_pv_line *lines) {
    for (uint32_t line = 0; line < count; line++) {
        int best = best_first(position, list, line, depth, host);
        if (self.is_stopped) return false;
        int score = position->turn == ROOKERY_WHITE ? best : -best; /* scores are White's */
        lines[line] = (rookery_pv_line){.move_count = 1, .depth = depth, .score = score};
        rookery_search_info info = {
            .size = sizeof info,
            .nodes = self.nodes,
            .pv = &list->moves[line],
            .pv_length = 1,
            .depth = depth,
            .pv_number = line + 1,
            .score = score,
        };
        host->report(host->context, &info);
    }
    return true;
}

static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    (void)ai, (void)error;
    const rookery_limits *limits = request->limits;
    self.nodes = 0;
    self.is_stopped = false;
    self.max_nodes = limits->nodes ? limits->nodes : UINT64_MAX;

    rookery_move_list list;
    allowed_moves(request, host, &list);
    uint32_t count = request->lines < list.count ? request->lines : list.count;
    uint64_t began = now_ms();
    result->best_move = list.moves[0];
    for (uint32_t depth = 1; depth <= max_depth(limits); depth++) {
        rookery_pv_line lines[MAX_LINES] = {0};
        /* Keep the lines of the last completed depth. */
        if (!search_lines(request->position, &list, count, depth, host, lines)) break;
        bool has_changed = result->best_move != list.moves[0];
        for (uint32_t line = 0; line < count; line++) {
            self.moves[line] = list.moves[line];
            lines[line].moves = &self.moves[line];
        }
        memcpy(self.lines, lines, sizeof lines);
        result->best_move = self.moves[0];
        result->pv = self.moves;
        result->pv_length = 1;
        result->depth = depth;
        result->score = lines[0].score;
        result->multipv = &self.lines[1];
        result->multipv_count = count - 1;
        result->multipv_stride = sizeof *lines;

        /* The clock starts when the opponent has moved. */
        if (rookery_is_pondering(host)) {
            began = now_ms();
            continue;
        }
        /* A new best move is worth more time. The host stops the search at hard_ms. */
        uint64_t time_ms = has_changed ? limits->hard_ms : limits->soft_ms;
        if (limits->soft_ms && now_ms() - began > time_ms / 4) break;
    }
    result->nodes = self.nodes ? self.nodes : 1;
    return ROOKERY_OK;
}

ROOKERY_NOTE("counter-c", "1.0");

/* The header declares it as exported. */
const rookery_ai rookery_ai_entry = {
    .size = sizeof(rookery_ai),
    .abi = ROOKERY_ABI,
    .manifest = manifest,
    .create = create,
    .destroy = destroy,
    .search = search,
    .set_option = set_option,
};
