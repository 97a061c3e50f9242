// The functions that the programs call. Each has a form for hosts and one for GPUs, which is called with
// memory of the host here. Only the header is not XLA's.
#include <calliope_custom_call.h>

#include <stdint.h>
#include <string.h>

// A[i] = B[i % n_b] + C[i], for i < n_a.
static void add(float* a, const float* b, const float* c, int32_t n_b, int32_t n_a) {
  for (int32_t i = 0; i < n_a; i++) a[i] = b[i % n_b] + c[i];
}

// The sizes are those of the program.
static void periodic(void* out, const void** in) { add(out, in[0], in[1], 128, 2048); }
XLA_REGISTER_CUSTOM_CALL_TARGET(periodic, "Host");

static void periodic_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)stream, (void)opaque, (void)opaque_len;
  add(buffers[2], buffers[0], buffers[1], 128, 2048);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("periodic", periodic_gpu, "CUDA");

// The sizes are operands on a host. A GPU has its operands in its own memory, so the sizes are in the opaque
// string.
static void sized(void* out, const void** in) {
  add(out, in[0], in[1], *(const int32_t*)in[2], *(const int32_t*)in[3]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(sized, "Host");

static void sized_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                      XlaCustomCallStatus* status) {
  (void)stream;
  int32_t sizes[2];
  if (opaque_len != sizeof sizes) {
    static const char message[] = "the opaque string needs two sizes";
    XlaCustomCallStatusSetFailure(status, message, strlen(message));
    return;
  }
  memcpy(sizes, opaque, sizeof sizes);
  add(buffers[2], buffers[0], buffers[1], sizes[0], sizes[1]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("sized", sized_gpu, "CUDA");

// The number of each byte in the opaque string.
static void count(int32_t* counts, const char* opaque, size_t opaque_len) {
  memset(counts, 0, 256 * sizeof *counts);
  for (size_t i = 0; i < opaque_len; i++) counts[(unsigned char)opaque[i]]++;
}

static void counts(void* out, const void** in, const char* opaque, size_t opaque_len, XlaCustomCallStatus* status) {
  (void)in, (void)status;
  count(out, opaque, opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(counts, "Host");

static void counts_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                       XlaCustomCallStatus* status) {
  (void)stream, (void)status;
  count(buffers[0], opaque, opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("counts", counts_gpu, "CUDA");

// The sums of the arrays in (f32[32], (f32[64], f32[128]), f32[256]). The result is (f32[4], f32[256]): its second
// array is memory for the additions.
static void sum(float* sums, float* memory, const float* arrays[4]) {
  for (int k = 0; k < 4; k++) {
    int n = 32 << k;
    memcpy(memory, arrays[k], n * sizeof *memory);
    for (; n > 1; n /= 2) {
      for (int i = 0; i < n / 2; i++) memory[i] += memory[n / 2 + i];
    }
    sums[k] = memory[0];
  }
}

static void tuples(void* out, const void** in) {
  const void* const* outer = in[0];
  const void* const* inner = outer[1];
  const float* arrays[] = {outer[0], inner[0], inner[1], outer[2]};
  sum(((void**)out)[0], ((void**)out)[1], arrays);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(tuples, "Host");

static void tuples_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)stream, (void)opaque, (void)opaque_len;
  const float* arrays[] = {buffers[0], buffers[1], buffers[2], buffers[3]};
  sum(buffers[4], buffers[5], arrays);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("tuples", tuples_gpu, "CUDA");

// A copy of an array, unless it has a negative element.
static void copy(float* to, const float* from, XlaCustomCallStatus* status) {
  for (int i = 0; i < 4; i++) {
    to[i] = from[i];
    if (from[i] < 0) {
      static const char message[] = "there is a negative element";
      XlaCustomCallStatusSetFailure(status, message, strlen(message));
      return;
    }
  }
}

static void checked(void* out, const void** in, XlaCustomCallStatus* status) { copy(out, in[0], status); }
XLA_REGISTER_CUSTOM_CALL_TARGET(checked, "Host");

static void checked_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                        XlaCustomCallStatus* status) {
  (void)stream, (void)opaque, (void)opaque_len;
  copy(buffers[1], buffers[0], status);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("checked", checked_gpu, "CUDA");
