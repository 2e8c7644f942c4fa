/* `calls.rs` in C. */
#include "rookery_ai.h"

static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error) {
    (void)ai, (void)host, (void)error;
    return position->turn == ROOKERY_WHITE ? 10 : -10;
}

static rookery_status terms(void *ai, const rookery_position *position, const rookery_host *host,
                            rookery_eval_terms *result, rookery_error *error) {
    (void)ai, (void)error;
    /* Read only once: Rust's types say that it never changes, but C's do not. */
    bool (*const is_insufficient)(const rookery_position *) = host->rules->is_insufficient_material;
    result->count = 0;
    for (int i = 0; i < 100; i++) result->count += is_insufficient(position);
    return ROOKERY_OK;
}

ROOKERY_NOTE("calls", "1");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {
    .size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .evaluate = evaluate, .terms = terms};
