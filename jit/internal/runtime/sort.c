#include "sort.h"

#include <stdarg.h>

// An array of rows, or the row of it that is sorted.
typedef struct operand {
  int64_t size;  // of an element
  char *from, *to, *row;
} operand;

// The order of the elements of a row.
typedef struct order {
  void (*less)(void**);
  void **arguments, **elements;  // of less: the addresses of those of elements, of which two are those of an operand
  const operand* list;
  int64_t operands;
  uint8_t result;  // of less
} order;

static inline uint8_t less(order* o, uint32_t first, uint32_t second) {
  for (int64_t k = 0; k < o->operands; k++) {
    o->elements[2 * k] = o->list[k].row + first * o->list[k].size;
    o->elements[2 * k + 1] = o->list[k].row + second * o->list[k].size;
  }
  o->less(o->arguments);
  return o->result;
}

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

// Two sorted runs of places, one after the other, which are being merged.
typedef struct merge {
  const uint32_t *first, *middle, *second, *end;
  uint32_t* to;
} merge;

static merge merge_at(const uint32_t* from, uint32_t* to, int64_t low, int64_t run, int64_t n) {
  const int64_t middle = min(low + run, n), high = min(middle + run, n);
  return (merge){from + low, from + middle, from + middle, from + high, to + low};
}

// Returns how many places can be taken before one of the runs may be at its end.
static inline int64_t safe(const merge* m) { return min(m->middle - m->first, m->end - m->second); }

static inline void step(merge* m, order* o) {
  const uint32_t first = *m->first, second = *m->second;
  const uint32_t take = less(o, second, first);
  *m->to++ = first ^ ((first ^ second) & -take);  // no branch, which nothing could predict
  m->first += 1 - take;
  m->second += take;
}

static void finish(merge* m, order* o) {
  while (safe(m) > 0) step(m, o);
  while (m->first < m->middle) *m->to++ = *m->first++;
  while (m->second < m->end) *m->to++ = *m->second++;
}

// Sorts the places of a row, from the bottom up, and returns them. Merges are made in pairs: while a processor waits
// for the comparison of one, it makes the other.
static const uint32_t* sort(order* o, int64_t n, uint32_t* places) {
  uint32_t *from = places, *to = places + n;
  for (int64_t run = 1; run < n; run *= 2) {
    for (int64_t low = 0; low < n; low += 4 * run) {
      merge a = merge_at(from, to, low, run, n);
      merge b = merge_at(from, to, min(low + 2 * run, n), run, n);
      for (int64_t k; (k = min(safe(&a), safe(&b))) > 0;) {
        for (; k > 0; k--) {
          step(&a, o);
          step(&b, o);
        }
      }
      finish(&a, o);
      finish(&b, o);
    }
    uint32_t* sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

typedef struct pair {
  uint64_t words[2];
} pair;

#define COPY(type)                                                           \
  for (int64_t i = 0; i < n; i++) {                                          \
    *(type*)(to + i * apart) = *(const type*)(from + places[i] * distance); \
  }                                                                          \
  break;

// Copies the elements at places that are a distance from one another to places that are apart.
static void copy(char* to, int64_t apart, const char* from, int64_t distance, const uint32_t* places, int64_t n,
                 int64_t size) {
  switch (size) {
    case 1:
      COPY(uint8_t)
    case 2:
      COPY(uint16_t)
    case 4:
      COPY(uint32_t)
    case 8:
      COPY(uint64_t)
    default:
      COPY(pair)
  }
}

static int64_t aligned(int64_t n) { return (n + 15) & ~(int64_t)15; }

// Sorts the rows that begin at an element of each operand.
static void sort_row(order* o, operand* list, int64_t start, int64_t n, int64_t inner, char* memory) {
  uint32_t* places = (uint32_t*)memory;
  memory += aligned(8 * n);
  for (int64_t i = 0; i < n; i++) places[i] = (uint32_t)i;
  for (int64_t k = 0; k < o->operands; k++) {
    const int64_t size = list[k].size;
    list[k].row = list[k].from + start * size;
    if (inner > 1) {
      copy(memory, size, list[k].row, inner * size, places, n, size);
      list[k].row = memory;
      memory += aligned(n * size);
    }
  }
  const uint32_t* sorted = sort(o, n, places);
  for (int64_t k = 0; k < o->operands; k++) {
    const int64_t size = list[k].size;
    copy(list[k].to + start * size, inner * size, list[k].row, size, sorted, n, size);
  }
}

void calliope_jit_sort(void (*less)(void**), int64_t outer, int64_t n, int64_t inner, int64_t operands,
                       int64_t captured, ...) {
  operand list[operands];
  void *elements[2 * operands + captured], *arguments[2 * operands + captured + 1];
  order o = {less, arguments, elements, list, operands, 0};
  va_list further;
  va_start(further, captured);
  for (int64_t k = 0; k < operands; k++) list[k].size = va_arg(further, int64_t);
  for (int64_t k = 0; k < operands; k++) list[k].from = va_arg(further, char*);
  for (int64_t k = 0; k < operands; k++) list[k].to = va_arg(further, char*);
  char* memory = va_arg(further, char*);
  for (int64_t k = 0; k < captured; k++) elements[2 * operands + k] = va_arg(further, void*);
  va_end(further);
  for (int64_t k = 0; k < 2 * operands + captured; k++) arguments[k] = &elements[k];
  arguments[2 * operands + captured] = &o.result;
  for (int64_t i = 0; i < outer; i++) {
    for (int64_t j = 0; j < inner; j++) sort_row(&o, list, i * n * inner + j, n, inner, memory);
  }
}

void* const calliope_jit_sort_address = (void*)calliope_jit_sort;
