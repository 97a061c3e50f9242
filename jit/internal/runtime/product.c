#include "product.h"

#include <stddef.h>

#include "split.h"

#define LEAST_WORK (1 << 22)  // multiplications of products that are split: some 60 µs
#define RANGE_WORK (1 << 20)  // of a range, at least
#define MOST_RANGES 64
#define BLOCK_LENGTH 128  // of a block, at least: the operand that all blocks read is copied for each one

// The products of a batch. The result of each one is computed in blocks of height × width elements, of which there are
// several along its longer side if it is large.
typedef struct products {
  int64_t rows, columns, inner, turned_left, turned_right;
  int64_t height, width, blocks;
  const void *left, *right;
  void* out;
} products;

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

// Calls compute for ranges of blocks. They depend on the sizes alone, and so does the order of additions.
static void split(void (*compute)(void**), int64_t batch, products p) {
  int64_t work = p.rows * p.columns * p.inner, *side = p.rows > p.columns ? &p.height : &p.width;
  int64_t ranges = batch * work < LEAST_WORK ? 1 : min(MOST_RANGES, batch * work / RANGE_WORK);
  p.height = p.rows;
  p.width = p.columns;
  const int64_t length = *side, blocks = min(ranges / batch, length / BLOCK_LENGTH);
  if (blocks > 1) *side = divide_up(divide_up(length, blocks), 16) * 16;
  p.blocks = divide_up(length, *side);
  calliope_jit_split(compute, batch * p.blocks, divide_up(batch * p.blocks, ranges), 0, 1, &p);
}

// Subroutines of Fortran: all arguments are addresses, and the lengths of the strings follow.
#define DEFINE(type, name)                                                                                            \
  typedef void (*name##_subroutine)(const char*, const char*, const int32_t*, const int32_t*, const int32_t*,         \
                                    const type*, const type*, const int32_t*, const type*, const int32_t*,            \
                                    const type*, type*, const int32_t*, size_t, size_t);                              \
  static name##_subroutine name;                                                                                      \
  static void blocks_##name(void** arguments) {                                                                       \
    const products* p = *(products**)arguments[2];                                                                    \
    /* Matrices of Fortran are column-major, so this is the product of the transposed ones, in the other order. */    \
    const int32_t k = (int32_t)p->inner, ldc = (int32_t)p->columns;                                                   \
    const int32_t lda = p->turned_right ? k : ldc, ldb = p->turned_left ? (int32_t)p->rows : k;                       \
    const type one = 1, zero = 0;                                                                                     \
    for (int64_t i = *(int64_t*)arguments[0]; i < *(int64_t*)arguments[1]; i++) {                                     \
      const int64_t matrix = i / p->blocks, block = i % p->blocks;                                                    \
      const int64_t row = p->height < p->rows ? block * p->height : 0;                                                \
      const int64_t column = p->width < p->columns ? block * p->width : 0;                                            \
      const int32_t m = (int32_t)min(p->width, p->columns - column), n = (int32_t)min(p->height, p->rows - row);      \
      const type* left = (const type*)p->left + matrix * p->rows * p->inner;                                          \
      const type* right = (const type*)p->right + matrix * p->columns * p->inner;                                     \
      name(p->turned_right ? "T" : "N", p->turned_left ? "T" : "N", &m, &n, &k, &one,                                 \
           right + column * (p->turned_right ? p->inner : 1), &lda, left + row * (p->turned_left ? 1 : p->inner),     \
           &ldb, &zero, (type*)p->out + (matrix * p->rows + row) * p->columns + column, &ldc, 1, 1);                  \
    }                                                                                                                 \
  }

DEFINE(float, sgemm)
DEFINE(double, dgemm)

void calliope_jit_set_products(void* single, void* twice) {
  sgemm = (sgemm_subroutine)single;
  dgemm = (dgemm_subroutine)twice;
}

void calliope_jit_product_f32(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                              int64_t turned_right, const float* left, const float* right, float* out) {
  split(blocks_sgemm, batch, (products){rows, columns, inner, turned_left, turned_right, 0, 0, 0, left, right, out});
}

void calliope_jit_product_f64(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                              int64_t turned_right, const double* left, const double* right, double* out) {
  split(blocks_dgemm, batch, (products){rows, columns, inner, turned_left, turned_right, 0, 0, 0, left, right, out});
}
