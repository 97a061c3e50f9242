#include "product.h"

#include "numbers.h"
#include "split.h"

#define LEAST_WORK (1 << 22)  // multiplications of products that are split: some 60 µs
#define RANGE_WORK (1 << 20)  // of a range, at least
#define MOST_RANGES 64
#define BLOCK_LENGTH 128  // of a block, at least
#define TILE_LENGTH 64    // of which the lengths of blocks are multiples

// The products of a batch. The result of each one is computed in blocks of height × width elements, of which there are
// several along one of its sides if it is large.
typedef struct products {
  calliope_jit_kernel* kernel;
  int64_t operand_size, result_size, rows, columns, inner, turned_left, turned_right;
  const char *left, *right;
  char* out;
  int64_t height, width, blocks;
} products;

static void compute(void** arguments) {
  const products* p = *(products**)arguments[2];
  char* memory = *(char**)arguments[3];
  const int64_t left_stride = p->turned_left ? p->rows : p->inner;
  const int64_t right_stride = p->turned_right ? p->inner : p->columns;
  for (int64_t i = *(int64_t*)arguments[0]; i < *(int64_t*)arguments[1]; i++) {
    const int64_t matrix = i / p->blocks, block = i % p->blocks;
    const int64_t row = p->height < p->rows ? block * p->height : 0;
    const int64_t column = p->width < p->columns ? block * p->width : 0;
    const int64_t left = matrix * p->rows * p->inner + row * (p->turned_left ? 1 : p->inner);
    const int64_t right = matrix * p->columns * p->inner + column * (p->turned_right ? p->inner : 1);
    const int64_t out = (matrix * p->rows + row) * p->columns + column;
    p->kernel(min(p->height, p->rows - row), min(p->width, p->columns - column), p->inner, p->turned_left,
              p->turned_right, left_stride, right_stride, p->columns, p->left + left * p->operand_size,
              p->right + right * p->operand_size, p->out + out * p->result_size, memory);
  }
}

void calliope_jit_product(calliope_jit_kernel* kernel, int64_t operand_size, int64_t result_size, int64_t memory_size,
                          int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                          int64_t turned_right, const char* left, const char* right, char* out, char* memory) {
  products p = {kernel, operand_size, result_size, rows, columns, inner, turned_left,
                turned_right, left, right, out, rows, columns, 1};
  // The blocks depend on the sizes alone. The kernel copies the right matrix, which blocks of columns share.
  const int64_t work = rows * columns * inner;
  const int64_t ranges = batch * work < LEAST_WORK ? 1 : min(MOST_RANGES, batch * work / RANGE_WORK);
  const int64_t length = rows > 4 * columns ? rows : columns, blocks = min(ranges / batch, length / BLOCK_LENGTH);
  if (blocks > 1) {
    int64_t* side = rows > 4 * columns ? &p.height : &p.width;
    *side = divide_up(divide_up(length, blocks), TILE_LENGTH) * TILE_LENGTH;
    p.blocks = divide_up(length, *side);
  }
  calliope_jit_split(compute, batch * p.blocks, divide_up(batch * p.blocks, ranges), memory_size, 2, &p, memory);
}
