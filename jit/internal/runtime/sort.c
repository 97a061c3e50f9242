#include "sort.h"

#include <stdarg.h>
#include <string.h>

#include "numbers.h"
#include "split.h"

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

#define FEW 32                // elements that are sorted one by one
#define RANGE_WORK (1 << 14)  // elements that a thread sorts at a time, at least

// A sort by keys.
typedef struct by_keys {
  int64_t n, inner, key_size, operands;
  uint64_t flip;
  const char* keys;
  const operand* list;
} by_keys;

// Defines a function that sorts pairs of a key of so many bits, of which bytes are not zero, and its place, and returns
// them. Each pass is stable, and sorts by one byte, from the lowest one on.
#define DEFINE_RADIX(bits)                                                                                    \
  typedef struct pair##bits {                                                                                 \
    uint##bits##_t key;                                                                                       \
    uint32_t place;                                                                                           \
  } pair##bits;                                                                                               \
                                                                                                              \
  static const pair##bits* radix##bits(pair##bits* from, pair##bits* to, int64_t n, int64_t bytes) {          \
    if (n <= FEW) {                                                                                           \
      for (int64_t i = 1; i < n; i++) {                                                                       \
        const pair##bits one = from[i];                                                                       \
        int64_t at = i;                                                                                       \
        for (; at > 0 && from[at - 1].key > one.key; at--) from[at] = from[at - 1];                           \
        from[at] = one;                                                                                       \
      }                                                                                                       \
      return from;                                                                                            \
    }                                                                                                         \
    uint32_t places[bits / 8][256];                                                                           \
    memset(places, 0, sizeof places);                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                         \
      for (int64_t k = 0; k < bytes; k++) places[k][from[i].key >> 8 * k & 255]++;                            \
    }                                                                                                         \
    for (int64_t k = 0; k < bytes; k++) {                                                                     \
      if (places[k][from[0].key >> 8 * k & 255] == n) continue; /* all have the same byte */                  \
      uint32_t next = 0;                                                                                      \
      for (int64_t digit = 0; digit < 256; digit++) {                                                         \
        const uint32_t count = places[k][digit];                                                              \
        places[k][digit] = next;                                                                              \
        next += count;                                                                                        \
      }                                                                                                       \
      for (int64_t i = 0; i < n; i++) to[places[k][from[i].key >> 8 * k & 255]++] = from[i];                  \
      pair##bits* sorted = to;                                                                                \
      to = from;                                                                                              \
      from = sorted;                                                                                          \
    }                                                                                                         \
    return from;                                                                                              \
  }                                                                                                           \
                                                                                                              \
  /* Returns the places of the elements of a row, in order. They take half of the memory at most. */          \
  static const uint32_t* places##bits(const by_keys* s, int64_t start, char* memory) {                        \
    pair##bits *pairs = (pair##bits*)memory, *others = pairs + s->n;                                          \
    for (int64_t i = 0; i < s->n; i++) {                                                                      \
      pairs[i] = (pair##bits){(uint##bits##_t)key_at(s, start + i * s->inner), (uint32_t)i};                  \
    }                                                                                                         \
    const pair##bits* sorted = radix##bits(pairs, others, s->n, s->key_size);                                 \
    uint32_t* places = (uint32_t*)(sorted == pairs ? others : pairs);                                         \
    for (int64_t i = 0; i < s->n; i++) places[i] = sorted[i].place;                                           \
    return places;                                                                                            \
  }

static inline uint64_t key_at(const by_keys* s, int64_t i) {
  const uint64_t mask = s->key_size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * s->key_size) - 1;
  uint64_t key = 0;
  switch (s->key_size) {
    case 1:
      key = ((const uint8_t*)s->keys)[i];
      break;
    case 2:
      key = ((const uint16_t*)s->keys)[i];
      break;
    case 4:
      key = ((const uint32_t*)s->keys)[i];
      break;
    default:
      key = ((const uint64_t*)s->keys)[i];
  }
  return (key ^ s->flip) & mask;
}

DEFINE_RADIX(32)
DEFINE_RADIX(64)

static void sort_rows_by_keys(void** arguments) {
  const by_keys* s = *(by_keys**)arguments[2];
  char* memory = *(char**)arguments[3];
  for (int64_t row = *(int64_t*)arguments[0]; row < *(int64_t*)arguments[1]; row++) {
    const int64_t start = row / s->inner * s->n * s->inner + row % s->inner;
    const uint32_t* places = s->key_size == 8 ? places64(s, start, memory) : places32(s, start, memory);
    for (int64_t k = 0; k < s->operands; k++) {
      const int64_t size = s->list[k].size;
      copy(s->list[k].to + start * size, s->inner * size, s->list[k].from + start * size, s->inner * size, places, s->n,
           size);
    }
  }
}

void calliope_jit_sort_by_keys(int64_t outer, int64_t n, int64_t inner, int64_t key_size, uint64_t flip,
                               int64_t memory_size, int64_t operands, ...) {
  operand list[operands];
  va_list further;
  va_start(further, operands);
  for (int64_t k = 0; k < operands; k++) list[k].size = va_arg(further, int64_t);
  by_keys s = {n, inner, key_size, operands, flip, va_arg(further, const char*), list};
  for (int64_t k = 0; k < operands; k++) list[k].from = va_arg(further, char*);
  for (int64_t k = 0; k < operands; k++) list[k].to = va_arg(further, char*);
  char* memory = va_arg(further, char*);
  va_end(further);
  calliope_jit_split(sort_rows_by_keys, outer * inner, divide_up(RANGE_WORK, n), memory_size, 2, &s, memory);
}

void* const calliope_jit_sort_by_keys_address = (void*)calliope_jit_sort_by_keys;
