/* The engine is in a library beside the program, which the program's RUNPATH names by $ORIGIN. */
int engine(int count, char **arguments);

int main(int count, char **arguments) { return engine(count, arguments); }
