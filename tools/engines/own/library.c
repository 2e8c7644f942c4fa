/* The engine is in a library next to the program. The program's RUNPATH names the folder with $ORIGIN. */
int engine(int count, char **arguments);

int main(int count, char **arguments) { return engine(count, arguments); }
