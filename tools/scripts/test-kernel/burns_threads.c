/* An AI that computes in a configurable number of threads for some seconds. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "rookery_ai.h"

enum { SECONDS = 12, MOST = 16 };

static int burners = 1;

static const rookery_option options[] = {{
    .name = "burners",
    .help = "the number of computing threads",
    .kind = ROOKERY_OPTION_INTEGER,
    .min = 1,
    .max = MOST,
    .value = {.kind = ROOKERY_VALUE_INTEGER, .integer = 1},
}};

static rookery_status manifest(const rookery_host *host, const rookery_setting *settings, size_t count, rookery_manifest *told,
                               rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    told->name = "Computes in threads";
    told->version = "1.0";
    told->options = options;
    told->option_count = 1;
    told->option_stride = sizeof(rookery_option);
    return ROOKERY_OK;
}

static rookery_status create(const rookery_host *host, const rookery_setting *settings, size_t count, void **made,
                             rookery_error *error) {
    (void)host, (void)error;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(settings[i].name, "burners")) burners = (int)settings[i].value.integer;
    *made = &burners;
    return ROOKERY_OK;
}

static void destroy(void *ai) { (void)ai; }

static void *burn(void *unused) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - start.tv_sec < SECONDS);
    return unused;
}

static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host,
                              rookery_error *error) {
    (void)ai, (void)position, (void)host, (void)error;
    pthread_t threads[MOST];
    int started = 0;
    while (started < burners && !pthread_create(&threads[started], NULL, burn, NULL)) started++;
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return 100 * started;
}

ROOKERY_NOTE("burns-threads", "1.0");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {.size = sizeof(rookery_ai),
                                                    .abi = ROOKERY_ABI,
                                                    .manifest = manifest,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .evaluate = evaluate};
