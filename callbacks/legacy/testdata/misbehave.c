#include <calliope_custom_call.h>

#include <stdint.h>
#include <stdlib.h>

// Misbehaves in the way that its operand states. The result is an s32[9].
void misbehave(void* out, const void** in) {
  volatile char* bytes = out;
  volatile int zero = 0;
  switch (*(const int32_t*)in[0]) {
    case 0: *(volatile int*)8 = 1; break;
    case 1: abort();
    case 2: zero = 7 / zero; break;
    case 3: for (int i = 0; i < 28; i++) bytes[36 + i] = 1; break;
    case 4: for (int i = 0; i < 1 << 20; i++) bytes[i] = 1; break;
    case 5: bytes[-1] = 1; break;
    case 6: ((volatile char*)in[0])[0] = 1; break;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(misbehave, "Host");
