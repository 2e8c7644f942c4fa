/* An AI whose processes each use less memory than the worker's limit, but together far more. */
#include <stdlib.h>
#include <unistd.h>

#include "rookery_ai.h"

enum { PROCESSES = 6, BYTES = 64 << 20 };

static char instance;

static rookery_status manifest(const rookery_host *host, const rookery_setting *settings, size_t count, rookery_manifest *told,
                               rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    told->name = "Takes memory in processes";
    told->version = "1.0";
    return ROOKERY_OK;
}

static rookery_status create(const rookery_host *host, const rookery_setting *settings, size_t count, void **made,
                             rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    *made = &instance;
    return ROOKERY_OK;
}

static void destroy(void *ai) { (void)ai; }

static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error) {
    (void)ai, (void)position, (void)host, (void)error;
    int taken = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int ready[2];
        if (pipe(ready)) return -1;
        if (fork() == 0) {
            volatile char *memory = malloc(BYTES);
            for (size_t at = 0; memory && at < BYTES; at += 4096) memory[at] = 1;
            if (write(ready[1], memory ? "1" : "0", 1) != 1) _exit(1);
            for (;;) pause();
        }
        char said = '0';
        if (read(ready[0], &said, 1) == 1 && said == '1') taken++;
    }
    return 100 * taken;
}

ROOKERY_NOTE("forks-memory", "1.0");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {.size = sizeof(rookery_ai),
                                                    .abi = ROOKERY_ABI,
                                                    .manifest = manifest,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .evaluate = evaluate};
