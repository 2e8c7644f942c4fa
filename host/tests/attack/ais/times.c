/* Misuses processor time, and ends at the wrong time. */
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

static void *burn_while_asked(void *nothing) {
    while (burning_until_stop) work++;
    return nothing;
}

static void *die_soon(void *nothing) {
    (void)nothing;
    pause_ms(30);
    /* As others would, where it can. */
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

static rookery_status search(void *ai, const rookery_search_request *question, const rookery_host *host,
                             rookery_search_result *answer, rookery_error *error) {
    (void)ai, (void)error;
    static int questions;
    questions++;
    answer->best_move = first_legal(question->position, host);
    answer->score = questions;
    pthread_t thread;
    if (is("obeys stop alone")) {
        while (!rookery_should_stop(host)) pause_ms(1);
    } else if (is("burns between questions")) {
        burn_with(2);
    } else if (is("burns with 64 threads")) {
        burning_until_stop = true;
        pthread_t threads[64];
        int count = 0;
        while (count < 64 && pthread_create(&threads[count], NULL, burn_while_asked, NULL) == 0) count++;
        while (!rookery_should_stop(host)) pause_ms(1);
        burning_until_stop = false;
        while (count > 0) pthread_join(threads[--count], NULL);
    } else if (is("dies after each answer")) {
        pthread_create(&thread, NULL, die_soon, NULL);
    } else if (is("dies of some positions")) {
        if (question->position->halfmove_clock >= 50) abort();
    } else if (is("betrays")) {
        /* What it was asked stands in its words when another question costs its life. */
        fprintf(stderr, "betrayed-%zu\n", question->move_count);
        pause_ms(50);
        if (question->position->halfmove_clock >= 60) pause();
        if (question->position->halfmove_clock >= 50) abort();
    }
    return ROOKERY_OK;
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
}

HOSTILE("times", search);
