/* The base of every hostile AI: a manifest with the option `attack`, an instance, and a list of results, which its `terms`
 * return. A source includes this and ends with HOSTILE(id, search). */
#ifndef HOSTILE_H
#define HOSTILE_H
#define _GNU_SOURCE
#include "rookery_ai.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_FOUND 64
static char attack[256];
static char names[MAX_FOUND][64];
static rookery_eval_term found[MAX_FOUND];
static size_t found_count;

/* Records a result for `terms`. */
static inline void record(const char *name, long value) {
    if (found_count >= MAX_FOUND) return;
    snprintf(names[found_count], sizeof names[0], "%s", name);
    found[found_count].name = names[found_count];
    found[found_count].score = (rookery_score)(value > 900000 ? 900000 : value < -900000 ? -900000 : value);
    found_count++;
}

static inline bool is(const char *name) { return strcmp(attack, name) == 0; }

static inline rookery_move first_legal(const rookery_position *position, const rookery_host *host) {
    rookery_move_list list;
    host->rules->legal_moves(position, &list);
    return list.moves[0];
}

static inline void pause_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static const rookery_option hostile_options[] = {
    {.name = "attack", .help = "the attack", .kind = ROOKERY_OPTION_TEXT,
     .value = {.kind = ROOKERY_VALUE_TEXT, .text = ""}},
};

static rookery_status hostile_manifest(const rookery_host *host, const rookery_setting *settings, size_t count,
                                       rookery_manifest *manifest, rookery_error *error) {
    (void)host, (void)error;
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, "attack") == 0)
            snprintf(attack, sizeof attack, "%s", settings[i].value.text);
    bool nonsense = strcmp(attack, "invalid names") == 0;
    manifest->name = nonsense ? "\x1b]0;owned\a\xe2\x80\xaeHostile" : "Hostile";
    manifest->version = nonsense ? "1\r\n\x1b[2J" : "1";
    manifest->options = hostile_options;
    manifest->option_count = 1;
    manifest->option_stride = sizeof(rookery_option);
    manifest->capabilities->max_lines = 8;
    manifest->capabilities->max_trace_nodes = 100;
    return ROOKERY_OK;
}

static rookery_status hostile_create(const rookery_host *host, const rookery_setting *settings, size_t count, void **made,
                                     rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    *made = attack;
    return ROOKERY_OK;
}

static void hostile_destroy(void *ai) { (void)ai; }

static rookery_score hostile_evaluate(void *ai, const rookery_position *position, const rookery_host *host,
                                      rookery_error *error) {
    (void)ai, (void)position, (void)host, (void)error;
    return 0;
}

/* Defined by each source: runs the attack and records the results. */
static void try_all(const rookery_position *position, const rookery_host *host);

static rookery_status hostile_terms(void *ai, const rookery_position *position, const rookery_host *host,
                                    rookery_eval_terms *terms, rookery_error *error) {
    (void)ai, (void)error;
    try_all(position, host);
    terms->terms = found;
    terms->count = found_count;
    terms->stride = sizeof found[0];
    return ROOKERY_OK;
}

#define HOSTILE(id, searching)                                                                                       \
    ROOKERY_NOTE(id, "1");                                                                                           \
    ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {                                                             \
        .size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = hostile_manifest, .create = hostile_create,      \
        .destroy = hostile_destroy, .search = searching, .evaluate = hostile_evaluate, .terms = hostile_terms}

#endif
