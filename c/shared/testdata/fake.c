// The runtime of fake.h for programs in C++.

#include "fake.h"

// Binds a callback in a form, calls it once, and returns NULL or the text of the error, which the caller frees. registry
// and callback are those of the module; the callback is bound by id if it is NULL.
char* fake_once(const char* form, const char* registry, const char* callback, int64_t id, float* x, float* y, int64_t n) {
  fake_open(5);
  const fake_attr attrs[] = {{CALLIOPE_KEY_FORM, form, 0},
                             {CALLIOPE_KEY_VERSION, NULL, 1},
                             {CALLIOPE_KEY_REGISTRY, registry, 0},
                             {callback != NULL ? CALLIOPE_KEY_CALLBACK : CALLIOPE_KEY_ID, callback, id}};
  fake_site site;
  char* error = fake_instantiate(&site, CALLIOPE_TARGET_RUNTIME_CALL, attrs, 4);
  if (error != NULL) return error;
  error = fake_call(&site, 1, x, y, n);
  fake_free(&site);
  return error;
}
