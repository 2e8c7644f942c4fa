/* Not an AI: listens on a server's control socket, and replies with endless control characters. With a second
 * argument, it never replies. */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
    static const char record[] = "{\"type\":\"progress\",\"message\":\"\\u001b]0;owned\\u0007\\u202e\\u009b2J\"}\n";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count < 2) return 2;
    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 8) != 0) return 1;
    if (write(1, "listening\n", 10) < 0) return 1;
    for (int stream; (stream = accept(listener, 0, 0)) >= 0; close(stream)) {
        if (fork() > 0) continue;
        char command[16];
        if (read(stream, command, sizeof command) < 0) return 1;
        while (count > 2 && read(stream, command, sizeof command) > 0) continue;
        while (write(stream, record, sizeof record - 1) > 0) continue;
        return 0;
    }
    return 1;
}
