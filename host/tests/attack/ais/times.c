/* Misuses processor time, and dies at the wrong time. */
#include "hostile.h"

static volatile unsigned long work;

static void *burn(void *nothing) {
    for (;;) work++;
    return nothing;
}

static int burning;

static void burn_with(int threads) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 15);
    while (burning < threads && pthread_create(&thread, &attributes, burn, NULL) == 0) burning++;
}

static volatile bool burning_until_stop;

static void *burn_until_stop(void *nothing) {
    while (burning_until_stop) work++;
    return nothing;
}

static void *die_soon(void *nothing) {
    (void)nothing;
    pause_ms(30);
    /* First tries signals such as another process could send. */
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGKILL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
    int timer;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0) {
        syscall(SYS_timer_settime, timer, 0, &soon, NULL);
        pause_ms(30);
    }
    abort();
}

static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    (void)ai, (void)error;
    static int requests;
    requests++;
    result->best_move = first_legal(request->position, host);
    result->score = requests;
    pthread_t thread;
    if (is("obeys only stop")) {
        while (!rookery_should_stop(host)) pause_ms(1);
    } else if (is("burns between requests")) {
        burn_with(2);
    } else if (is("burns for ever")) {
        burn(NULL);
    } else if (is("burns with 64 threads")) {
        burning_until_stop = true;
        pthread_t threads[64];
        int count = 0;
        while (count < 64 && pthread_create(&threads[count], NULL, burn_until_stop, NULL) == 0) count++;
        while (!rookery_should_stop(host)) pause_ms(1);
        burning_until_stop = false;
        while (count > 0) pthread_join(threads[--count], NULL);
    } else if (is("dies after each result")) {
        pthread_create(&thread, NULL, die_soon, NULL);
    } else if (is("dies in some positions")) {
        if (request->position->halfmove_clock >= 50) abort();
    } else if (is("leaks games")) {
        /* Writes the game to standard error. A later request crashes the worker. */
        fprintf(stderr, "leaked-%zu\n", request->move_count);
        pause_ms(50);
        if (request->position->halfmove_clock >= 60) pause();
        if (request->position->halfmove_clock >= 50) abort();
    }
    return ROOKERY_OK;
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
}

HOSTILE("times", search);
