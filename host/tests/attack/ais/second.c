/* Not an AI: a library beside one, with unchecked bytes. */
#include <unistd.h>

__attribute__((constructor)) static void constructor(void) {
    static const char text[] = "the second library runs\n";
    if (write(2, text, sizeof text - 1) < 0) return;
}

int second(void) { return 2; }
