// The functions that XLA's document on custom calls describes.
#include <calliope_custom_call.h>

#include <stdint.h>
#include <string.h>

// A[i] = B[i % 128] + C[i]
void do_custom_call(void* out, const void** in) {
  const float* b = in[0];
  const float* c = in[1];
  float* a = out;
  for (int i = 0; i < 2048; i++) a[i] = b[i % 128] + c[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");

// The same, with the sizes of B and C as further operands.
void with_sizes(void* out, const void** in) {
  const float* b = in[0];
  const float* c = in[1];
  const int32_t n_b = *(const int32_t*)in[2], n_c = *(const int32_t*)in[3];
  for (int32_t i = 0; i < n_c; i++) ((float*)out)[i] = b[i % n_b] + c[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(with_sizes, "Host");

// The same in the convention of GPUs.
void on_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)opaque;
  const float* b = buffers[0];
  const float* c = buffers[1];
  float* a = buffers[2];
  for (int i = 0; i < 2048; i++) a[i] = stream == NULL && opaque_len == 0 ? b[i % 128] + c[i] : -1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("do_custom_call", on_gpu, "CUDA");

// The same, with the sizes in the opaque string: two numbers of four bytes.
void with_opaque(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)stream;
  int32_t sizes[2];
  if (opaque_len != sizeof sizes) return;
  memcpy(sizes, opaque, sizeof sizes);
  for (int32_t i = 0; i < sizes[1]; i++) {
    ((float*)buffers[2])[i] = ((const float*)buffers[0])[i % sizes[0]] + ((const float*)buffers[1])[i];
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(with_opaque, "CUDA");

// Writes 1, and fails if the operand is negative. It reports success if the operand is 1, and nothing otherwise.
void with_status(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t x = *(const int32_t*)in[0];
  *(int32_t*)out = 1;
  if (x < 0) {
    const char* message = "An error occurred";
    XlaCustomCallStatusSetFailure(status, message, strlen(message));
  } else if (x == 1) {
    XlaCustomCallStatusSetSuccess(status);
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(with_status, "Host");

void gpu_with_status(CUstream stream, void** buffers, const char* opaque, size_t opaque_len, XlaCustomCallStatus* status) {
  (void)stream;
  *(int32_t*)buffers[1] = 1;
  if (*(const int32_t*)buffers[0] < 0) XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("with_status", gpu_with_status, "CUDA");

// An operand (f32[32], (f32[64], f32[128]), f32[256]) and a result (f32[512], f32[1024]). The first result has the
// elements of the leaves one after the other, and then zeros. The second one is memory in which they are
// collected.
static void collect(float* first, float* memory, const float* leaves[4]) {
  static const int sizes[] = {32, 64, 128, 256};
  float* at = memory;
  memset(memory, 0, 1024 * sizeof *memory);
  for (int i = 0; i < 4; i++) {
    memcpy(at, leaves[i], sizes[i] * sizeof *at);
    at += sizes[i];
  }
  memcpy(first, memory, 512 * sizeof *memory);
}

void with_tuples(void* out, const void** in) {
  const void* const* p0 = in[0];
  const void* const* inner = p0[1];
  const float* leaves[] = {p0[0], inner[0], inner[1], p0[2]};
  collect(((void**)out)[0], ((void**)out)[1], leaves);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(with_tuples, "Host");

void gpu_with_tuples(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  (void)stream;
  (void)opaque;
  (void)opaque_len;
  const float* leaves[] = {buffers[0], buffers[1], buffers[2], buffers[3]};
  collect(buffers[4], buffers[5], leaves);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("with_tuples", gpu_with_tuples, "CUDA");

// The same with operands that are unpacked.
void unpacked(void* out, const void** in) {
  const float* leaves[] = {in[0], in[1], in[2], in[3]};
  collect(((void**)out)[0], ((void**)out)[1], leaves);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(unpacked, "Host");
