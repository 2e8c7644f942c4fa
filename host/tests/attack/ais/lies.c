/* Answers what is not true, too much, twice, late, from other threads and at the wrong places. */
#include "hostile.h"

static rookery_move line[200000];
static rookery_pv_line lines[2000];
static rookery_trace_node nodes[20000];
static const rookery_host *kept_host;
static volatile bool reporting;

static void *report_from_a_thread(void *host) {
    const rookery_host *told = host;
    rookery_search_info report = {.size = sizeof(rookery_search_info), .depth = 1, .nodes = 1, .pv = line, .pv_length = 1, .pv_number = 1};
    for (int i = 0; i < 100000 && reporting; i++) {
        report.depth = (uint32_t)i;
        told->report(told->context, &report);
    }
    return NULL;
}

static void *report_later(void *host) {
    pause_ms(20);
    return report_from_a_thread(host);
}

static void shuffle(const rookery_search_request *question, const rookery_host *host) {
    /* Knights that go out and back for ever. */
    rookery_position position = *question->position;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        rookery_move_list list;
        host->rules->legal_moves(&position, &list);
        if (list.count == 0) return;
        line[i] = list.moves[0];
        if (i < 400) {
            rookery_position next;
            host->rules->play(&position, line[i], &next);
            position = next;
        }
    }
}

static rookery_status search(void *ai, const rookery_search_request *question, const rookery_host *host,
                             rookery_search_result *answer, rookery_error *error) {
    (void)ai;
    kept_host = host;
    answer->best_move = first_legal(question->position, host);
    pthread_t thread;
    if (is("no move")) answer->best_move = 0;
    if (is("illegal move")) answer->best_move = ROOKERY_MOVE(0, 63);
    if (is("move of nonsense")) answer->best_move = 0xffff;
    if (is("score of the least")) answer->score = INT32_MIN;
    if (is("score of the most")) answer->score = INT32_MAX;
    if (is("score beyond mate")) answer->score = ROOKERY_MATE + 5;
    if (is("score beyond being mated")) answer->score = -ROOKERY_MATE - 5;
    if (is("nodes of the most")) answer->nodes = UINT64_MAX, answer->depth = UINT32_MAX;
    if (is("endless line")) {
        shuffle(question, host);
        answer->pv = line;
        answer->pv_length = sizeof line / sizeof *line;
        answer->best_move = line[0];
    }
    if (is("line of nonsense")) {
        memset(line, 0xa5, sizeof line);
        answer->pv = line;
        answer->pv_length = 500;
    }
    if (is("lines without end")) {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            lines[i] = (rookery_pv_line){.score = (rookery_score)i, .moves = &answer->best_move, .move_count = 1};
        answer->multipv = lines;
        answer->multipv_count = sizeof lines / sizeof *lines;
        answer->multipv_stride = sizeof *lines;
    }
    if (is("trace that is no tree")) {
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
            nodes[i] = (rookery_trace_node){.parent = (uint32_t)(i * 7), .bound = 77, .kind = 99, .chosen = 0xffff,
                                            .alpha = INT32_MAX, .beta = INT32_MIN, .score = INT32_MIN};
        nodes[0].parent = UINT32_MAX;
        answer->trace = nodes;
        answer->trace_length = sizeof nodes / sizeof *nodes;
        answer->trace_stride = sizeof *nodes;
    }
    if (is("array of all memory")) {
        answer->pv = line;
        answer->pv_length = SIZE_MAX / 2;
    }
    if (is("dangling array")) {
        answer->pv = (const rookery_move *)8;
        answer->pv_length = 100;
    }
    if (is("reports from a thread")) {
        reporting = true;
        for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, report_from_a_thread, (void *)host);
        pause_ms(100);
        reporting = false;
        pause_ms(20);
    }
    if (is("reports after its answer")) {
        reporting = true;
        pthread_create(&thread, NULL, report_later, (void *)host);
    }
    if (is("reports without end")) {
        rookery_search_info report = {.size = sizeof(rookery_search_info), .depth = 1, .nodes = 1, .pv = &answer->best_move, .pv_length = 1,
                                      .pv_number = 1};
        while (!rookery_should_stop(host)) host->report(host->context, &report);
    }
    if (is("words without end")) {
        static char words[1 << 12];
        memset(words, '\n', sizeof words);
        while (!rookery_should_stop(host) && write(1, words, sizeof words) > 0) continue;
    }
    if (is("reports of nonsense")) {
        memset(line, 0x5a, sizeof line);
        rookery_search_info report = {.size = sizeof(rookery_search_info), .depth = UINT32_MAX, .score = INT32_MIN, .nodes = UINT64_MAX, .pv = line,
                                 .pv_length = 100000, .pv_number = UINT32_MAX, .selective_depth = UINT32_MAX};
        for (int i = 0; i < 2000; i++) host->report(host->context, &report);
    }
    if (is("error without end")) {
        memset(error->message, 'x', sizeof error->message);
        memcpy(error->message, "\x1b]0;x\a\xff\xfe\r\n", 10);
        return ROOKERY_FAILED;
    }
    if (is("writes to the host's tables")) {
        *(bool *)(uintptr_t)host->stop = true;
        memset((void *)(uintptr_t)host->rules, 0, sizeof *host->rules);
    }
    if (is("writes to the question")) {
        memset((void *)(uintptr_t)question->position, 0xff, sizeof *question->position);
        memset((void *)(uintptr_t)question, 0xff, sizeof *question);
    }
    if (is("smashes the stack")) {
        volatile char *here = (volatile char *)&thread;
        for (int i = 0; i < 1 << 20; i++) here[i] = (char)0xcc;
    }
    if (is("smashes the heap")) {
        for (int i = 0; i < 1000; i++) {
            volatile char *block = malloc(64);
            for (int at = -32; at < 128; at++) block[at] = (char)0xcc;
        }
    }
    if (is("frees what is not its own")) free((void *)(uintptr_t)question->position);
    if (is("exits the thread")) pthread_exit(NULL);
    if (is("jumps away")) ((void (*)(void))(uintptr_t)12345)();
    if (is("closes all descriptors")) close_range(0, ~0u, 0);
    if (is("swaps the socket")) {
        int ends[2];
        if (pipe(ends) == 0) dup2(ends[0], 3);
    }
    if (is("does not block any more")) {
        fcntl(3, F_SETFL, O_NONBLOCK | O_ASYNC | O_APPEND);
        fcntl(1, F_SETFL, O_NONBLOCK | O_DIRECT);
    }
    if (is("alarms")) {
        signal(SIGALRM, SIG_IGN);
        ualarm(100, 100);
        alarm(1);
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    if (is("stops itself")) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
    if (is("floods")) {
        static char much[1 << 16];
        memset(much, 'y', sizeof much);
        for (int i = 0; i < 400; i++)
            if (write(i % 2 + 1, much, sizeof much) < 0) break;
    }
    if (is("recurses")) {
        volatile char frame[1 << 16];
        frame[0] = 1;
        return search(ai, question, host, answer, error) && frame[0];
    }
    return ROOKERY_OK;
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
    if (is("names of nonsense")) {
        found_count = MAX_FOUND;
        for (size_t i = 0; i < MAX_FOUND; i++)
            found[i] = (rookery_eval_term){.name = "\x1b[2J\xff\xfe \xe2\x80\xae<script>", .score = i % 2 ? INT32_MIN : INT32_MAX};
    }
    if (is("too many terms")) found_count = SIZE_MAX;
    if (is("dangling name")) found[0].name = (const char *)8, found_count = 1;
}

HOSTILE("lies", search);
