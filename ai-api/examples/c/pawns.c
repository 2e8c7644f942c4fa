/* The smallest evaluator. It counts pawns, and the host searches. */
#include "rookery_ai.h"

static char instance;

static rookery_status manifest(const rookery_host *host, const rookery_setting *settings, size_t count,
                               rookery_manifest *manifest, rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    manifest->name = "Pawn counter in C";
    manifest->version = "1.0";
    return ROOKERY_OK;
}

static rookery_status create(const rookery_host *host, const rookery_setting *settings, size_t count, void **ai,
                             rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    *ai = &instance;
    return ROOKERY_OK;
}

static void destroy(void *ai) { (void)ai; }

static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error) {
    (void)ai, (void)host, (void)error;
    rookery_bitboard pawns = position->roles[ROOKERY_PAWN];
    int white = rookery_count(pawns & position->colors[ROOKERY_WHITE]);
    int black = rookery_count(pawns & position->colors[ROOKERY_BLACK]);
    return 100 * (white - black);
}

ROOKERY_NOTE("c-pawns", "1.0");
/* The header declares it as exported. */
const rookery_ai rookery_ai_entry = {.size = sizeof(rookery_ai),
                                     .abi = ROOKERY_ABI,
                                     .manifest = manifest,
                                     .create = create,
                                     .destroy = destroy,
                                     .evaluate = evaluate};
