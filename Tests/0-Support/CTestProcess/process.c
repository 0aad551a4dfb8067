#include <stdlib.h>

// The runner would unwind the stack at every error that is thrown, in case that one is never caught, and keep what it finds: a fifth of
// all the time that these tests take, since many of them are about errors. Whoever sets the variable has it back.
__attribute__((constructor)) static void leave_stacks_alone(void) { setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", 0); }
