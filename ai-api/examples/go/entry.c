// The functions of the contract. The search is in gopher.go.
#include "rookery_ai.h"
#include "_cgo_export.h"

static char self; // The state is in Go.

static rookery_status manifest(const rookery_host *host, const rookery_setting *settings, size_t count,
                               rookery_manifest *to, rookery_error *error) {
    to->name = "Gopher";
    to->version = "1.0";
    to->capabilities->threads = 32;
    to->capabilities->memory_mb = 2048;
    return ROOKERY_OK;
}

static rookery_status create(const rookery_host *host, const rookery_setting *settings, size_t count, void **ai,
                             rookery_error *error) {
    *ai = &self;
    return ROOKERY_OK;
}

static void destroy(void *ai) {}

static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    rookery_status status = goSearch((void *)request, (void *)host, result);
    // A result points to C memory, never to Go memory.
    static rookery_move pv;
    pv = result->best_move;
    result->pv = &pv;
    result->pv_length = 1;
    return status;
}

ROOKERY_NOTE("gopher", "1.0");
// The header declares it as exported.
const rookery_ai rookery_ai_entry = {
    .size = sizeof(rookery_ai),
    .abi = ROOKERY_ABI,
    .manifest = manifest,
    .create = create,
    .destroy = destroy,
    .search = search,
};
