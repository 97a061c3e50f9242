// Functions of each form, which the library registers and exports.
#include <calliope_custom_call.h>

#include <stdint.h>
#include <string.h>

// out[i] = in0[i % 4] + in1[i], for 8 elements.
void add_periodic(void* out, const void** in) {
  const float* b = in[0];
  const float* c = in[1];
  for (int i = 0; i < 8; i++) ((float*)out)[i] = b[i % 4] + c[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_periodic, "Host");

// The square root of a positive number that is a square, or a failure.
void root(void* out, const void** in, XlaCustomCallStatus* status) {
  int32_t n = *(const int32_t*)in[0], r = 0;
  while (r * r < n) r++;
  *(int32_t*)out = r;
  if (r * r != n) {
    char message[] = "no square, and more";
    XlaCustomCallStatusSetFailure(status, message, 9);
    memset(message, 'x', sizeof message);
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(root);

// The bytes of the opaque string, and the zero byte after it.
void bytes(void* out, const void** in, const char* opaque, size_t n, XlaCustomCallStatus* status) {
  (void)in;
  (void)status;
  memcpy(out, opaque, n + 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("opaque", bytes, "Host");

// As root, with every way to set a status. The operand selects it.
void statuses(void* out, const void** in, XlaCustomCallStatus* status) {
  static char large[2 << 20];
  memset(large, 'm', sizeof large);
  *(int32_t*)out = 1;
  switch (*(const int32_t*)in[0]) {
    case 1: XlaCustomCallStatusSetFailure(status, "first", 5); XlaCustomCallStatusSetFailure(status, "second", 6); break;
    case 2: XlaCustomCallStatusSetFailure(status, "first", 5); XlaCustomCallStatusSetSuccess(status); break;
    case 3: XlaCustomCallStatusSetFailure(status, "", 0); break;
    case 4: XlaCustomCallStatusSetFailure(status, NULL, 0); break;
    case 5: XlaCustomCallStatusSetFailure(status, NULL, 7); break;
    case 6: XlaCustomCallStatusSetFailure(status, large, sizeof large); break;
    case 7: XlaCustomCallStatusSetFailure(status, large, SIZE_MAX); break;
    case 8: XlaCustomCallStatusSetFailure(status, "a\0b\xff", 4); break;
    case 9: XlaCustomCallStatusSetFailure(status, large, 1 << 20); break;
    case 10: XlaCustomCallStatusSetSuccess(status); break;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(statuses, "Host");

// As add_periodic for a GPU. buffers are memory of the host here, and n is of the opaque string.
void add_periodic_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  const float* b = buffers[0];
  const float* c = buffers[1];
  float* out = buffers[2];
  int32_t n = 0;
  memcpy(&n, opaque, opaque_len);
  for (int i = 0; i < n; i++) out[i] = b[i % 4] + c[i] + (stream != NULL ? 1 : 0);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("add_periodic", add_periodic_gpu, "CUDA");

void fail_gpu(CUstream stream, void** buffers, const char* opaque, size_t opaque_len, XlaCustomCallStatus* status) {
  (void)stream;
  (void)buffers;
  XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(fail_gpu, "CUDA");

// By the platform it is one of the host: its last parameters are those of a GPU, too.
void either(void* out, void** in, const char* opaque, size_t opaque_len, XlaCustomCallStatus* status) {
  (void)opaque;
  (void)opaque_len;
  (void)status;
  *(int32_t*)out = *(const int32_t*)in[0] + 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(either, "Host");

// An operand (a, (b, c), d) and a result (e, f), each an s32: e = a + 10 b + 100 c + 1000 d.
// f is memory for the sum of a and b.
void tuples(void* out, const void** in) {
  const void* const* p = in[0];
  const void* const* inner = p[1];
  void** to = out;
  int32_t* memory = to[1];
  *memory = *(const int32_t*)p[0] + 10 * *(const int32_t*)inner[0];
  *(int32_t*)to[0] = *memory + 100 * *(const int32_t*)inner[1] + 1000 * *(const int32_t*)p[2];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(tuples, "Host");

// A tuple of 100 results in tuples of one: more than fit on the stack of the caller.
void many(void* out, const void** in) {
  for (int i = 0; i < 100; i++) *(int32_t*)((void***)out)[i][0] = *(const int32_t*)in[0] + i;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(many, "Host");
