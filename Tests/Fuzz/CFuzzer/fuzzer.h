#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's own entry, which its headers leave to the caller to declare.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
