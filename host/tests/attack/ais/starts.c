/* Starts its granted program; its option is "ATTACK PROGRAM". Crashes at a half-move clock of 50. */
#include "hostile.h"

#include <sys/wait.h>

static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    (void)ai, (void)error;
    result->best_move = first_legal(request->position, host);
    char *program = strchr(attack, ' ');
    if (!program) return ROOKERY_FAILED;
    if (request->position->halfmove_clock >= 50) abort();
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        *program++ = 0;
        char *arguments[] = {program, attack, program, NULL};
        execv(program, arguments);
        _exit(1);
    }
    pause_ms(100);
    return ROOKERY_OK;
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
}

HOSTILE("starts", search);
