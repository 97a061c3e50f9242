// count is a callback in C: it adds the number of its elements to an int64_t.

#include <calliope.h>

calliope_status count(void* user_data, calliope_call* call) {
  if (call->num_args != 1) {
    static const char message[] = "count takes one array";
    calliope_fail(call, message, sizeof message - 1);
    return CALLIOPE_INVALID_ARGUMENT;
  }
  int64_t n = 1;
  for (int32_t i = 0; i < call->args[0].rank; i++) n *= call->args[0].dims[i];
  __atomic_fetch_add((int64_t*)user_data, n, __ATOMIC_RELAXED);
  return CALLIOPE_OK;
}
