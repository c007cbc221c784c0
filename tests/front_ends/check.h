/* Shared by the front-end programs: a failed check names its line and ends the PE with 1. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) {                                              \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                       \
    }                                                                \
  } while (0)
