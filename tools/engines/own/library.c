/* The engine is in a library next to the program, which the program's RUNPATH names with $ORIGIN. */
int engine(int count, char **arguments);

int main(int count, char **arguments) { return engine(count, arguments); }
