#include "copy.h"

#include <stdarg.h>
#include <string.h>

#include "numbers.h"
#include "split.h"

#define LONG_RUN 64  // bytes from which on a call of memcpy is faster

// Copies the bytes of a constant number that are left at least so many.
#define WHILE(size)                  \
  for (; run >= size; run -= size) { \
    memcpy(to, from, size);          \
    to += size;                      \
    from += size;                    \
  }

static inline void copy(char* to, const char* from, int64_t run) {
  if (run >= LONG_RUN) {
    memcpy(to, from, (size_t)run);
    return;
  }
  WHILE(16)
  WHILE(4)
  WHILE(1)
}

typedef struct loop {
  int64_t count, to, from;
} loop;

static void nest(char* to, const char* from, int64_t run, const loop* l, int64_t n) {
  if (n == 0) copy(to, from, run);
  for (int64_t i = 0; n > 0 && i < l->count; i++) {
    if (n > 1) {
      nest(to, from, run, l + 1, n - 1);
    } else {
      copy(to, from, run);
    }
    to += l->to;
    from += l->from;
  }
}

void calliope_jit_copy(char* to, const char* from, int64_t run, int64_t n, ...) {
  loop loops[n + 1];  // C has no arrays without elements
  va_list list;
  va_start(list, n);
  for (int64_t i = 0; i < n; i++) {
    loops[i].count = va_arg(list, int64_t);
    loops[i].to = va_arg(list, int64_t);
    loops[i].from = va_arg(list, int64_t);
  }
  va_end(list);
  nest(to, from, run, loops, n);
}

void* const calliope_jit_copy_address = (void*)calliope_jit_copy;

#define BLOCK_ROWS 8
#define BLOCK_COLUMNS 16
#define RANGE_WORK (1 << 12)  // rows of blocks that a thread copies at a time, at least

typedef struct transposition {
  char* to;
  const char* from;
  int64_t size, rows, from_step, columns, to_step, blocks, n;
  const loop* loops;
} transposition;

#define TRANSPOSE(type)                                                                         \
  for (int64_t j = 0; j < columns; j++) {                                                       \
    for (int64_t i = 0; i < rows; i++) {                                                        \
      ((type*)(to + j * t->to_step))[i] = ((const type*)(from + i * t->from_step))[j];          \
    }                                                                                           \
  }                                                                                             \
  break;

static void transpose_block(const transposition* t, char* to, const char* from, int64_t rows, int64_t columns) {
  switch (t->size) {
    case 1:
      TRANSPOSE(uint8_t)
    case 2:
      TRANSPOSE(uint16_t)
    case 4:
      TRANSPOSE(uint32_t)
    case 8:
      TRANSPOSE(uint64_t)
    default:
      TRANSPOSE(pair)
  }
}

static void transpose_blocks(void** arguments) {
  const transposition* t = *(transposition**)arguments[2];
  for (int64_t index = *(int64_t*)arguments[0]; index < *(int64_t*)arguments[1]; index++) {
    const int64_t column = index % t->blocks * BLOCK_COLUMNS;
    char* to = t->to + column * t->to_step;
    const char* from = t->from + column * t->size;
    int64_t outer = index / t->blocks;
    for (int64_t k = t->n - 1; k >= 0; outer /= t->loops[k--].count) {
      to += outer % t->loops[k].count * t->loops[k].to;
      from += outer % t->loops[k].count * t->loops[k].from;
    }
    for (int64_t row = 0; row < t->rows; row += BLOCK_ROWS) {
      transpose_block(t, to + row * t->size, from + row * t->from_step, min(BLOCK_ROWS, t->rows - row),
                      min(BLOCK_COLUMNS, t->columns - column));
    }
  }
}

void calliope_jit_transpose(char* to, const char* from, int64_t size, int64_t rows, int64_t from_step, int64_t columns,
                            int64_t to_step, int64_t n, ...) {
  loop loops[n + 1];
  va_list list;
  va_start(list, n);
  int64_t blocks = divide_up(columns, BLOCK_COLUMNS), all = blocks;
  for (int64_t i = 0; i < n; i++) {
    loops[i].count = va_arg(list, int64_t);
    loops[i].to = va_arg(list, int64_t);
    loops[i].from = va_arg(list, int64_t);
    all *= loops[i].count;
  }
  va_end(list);
  transposition t = {to, from, size, rows, from_step, columns, to_step, blocks, n, loops};
  calliope_jit_split(transpose_blocks, all, divide_up(RANGE_WORK, rows), 0, 1, &t);
}

void* const calliope_jit_transpose_address = (void*)calliope_jit_transpose;
