/* The smallest AI that judges: it counts pawns, and the host does the searching. */
#include "rookery_ai.h"

static char instance;

static bool manifest(const rookery_setting *settings, size_t count, rookery_manifest *told, rookery_error *error) {
    (void)settings, (void)count, (void)error;
    told->name = "Pawn counter in C";
    told->version = "1.0";
    return true;
}

static void *create(const rookery_setting *settings, size_t count, rookery_error *error) {
    (void)settings, (void)count, (void)error;
    return &instance;
}

static void destroy(void *ai) { (void)ai; }

static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host) {
    (void)ai, (void)host;
    rookery_bitboard pawns = position->roles[ROOKERY_PAWN];
    int white = rookery_count(pawns & position->colors[ROOKERY_WHITE]);
    int black = rookery_count(pawns & position->colors[ROOKERY_BLACK]);
    return 100 * (white - black);
}

ROOKERY_NOTE("c-pawns", "1.0");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {.size = sizeof(rookery_ai),
                                                    .abi = ROOKERY_ABI,
                                                    .manifest = manifest,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .evaluate = evaluate};
