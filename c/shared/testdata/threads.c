// 16 threads use the library at once.

#include <unistd.h>

#include "fake.h"

enum { THREADS = 16, ROUNDS = 100 };

static void need(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "%s (last error: %s)\n", what, calliope_error_message());
  abort();
}

// A registration of a function.
typedef struct {
  int running, calls, dropped;
} registration;

static calliope_status use(void* user_data, calliope_call* call) {
  registration* r = user_data;
  __atomic_fetch_add(&r->running, 1, __ATOMIC_SEQ_CST);
  need(!__atomic_load_n(&r->dropped, __ATOMIC_SEQ_CST), "a call after drop");
  __atomic_fetch_add(&r->calls, 1, __ATOMIC_SEQ_CST);
  if (call->num_results > 0) *(float*)call->results[0].data = 2 * *(float*)call->args[0].data;
  __atomic_fetch_sub(&r->running, 1, __ATOMIC_SEQ_CST);
  return CALLIOPE_OK;
}

static void drop(void* user_data) {
  registration* r = user_data;
  need(__atomic_load_n(&r->running, __ATOMIC_SEQ_CST) == 0, "drop while a call runs");
  need(__atomic_fetch_add(&r->dropped, 1, __ATOMIC_SEQ_CST) == 0, "drop twice");
}

static int shared_calls, going;

// Registers a function that the other threads call, and unregisters it under their calls.
static void* replace(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    registration* r = calloc(1, sizeof *r);
    calliope_options o = {.struct_size = sizeof o, .dispatch = i % 2 ? CALLIOPE_GOROUTINE : CALLIOPE_INLINE, .drop = drop};
    must(calliope_register("shared", use, r, &o));
    while (!__atomic_load_n(&r->calls, __ATOMIC_SEQ_CST)) sched_yield();
    must(calliope_unregister(NULL, "shared"));
    while (!__atomic_load_n(&r->dropped, __ATOMIC_SEQ_CST)) sched_yield();  // a call may still run
    free(r);
  }
  __atomic_store_n(&going, 0, __ATOMIC_SEQ_CST);
  return NULL;
}

// Calls what replace registers, as long as it does.
static void* call_shared(void* unused) {
  (void)unused;
  while (__atomic_load_n(&going, __ATOMIC_SEQ_CST)) {
    fake_site site;
    char* text = fake_bind(&site, CALLIOPE_FORM_CALL, "shared");
    if (text != NULL) {
      need(strncmp(text, "5: ", 3) == 0, text);
      free(text);
      continue;
    }
    for (int i = 0; i < 10; i++) {
      float x = i, y = 0;
      text = fake_call(&site, i, &x, &y, 1);
      if (text == NULL) {
        need(y == 2 * x, "a wrong result");
        __atomic_fetch_add(&shared_calls, 1, __ATOMIC_RELAXED);
      }
      free(text);
    }
    fake_free(&site);
  }
  return NULL;
}

static void* work(void* number) {
  char name[32], registry[32], wrong[32];
  snprintf(name, sizeof name, "own %ld", (long)number);
  snprintf(registry, sizeof registry, "registry %ld", (long)number);
  snprintf(wrong, sizeof wrong, "nobody %ld", (long)number);
  for (int i = 0; i < ROUNDS; i++) {
    registration r = {0, 0, 0};
    calliope_options o = {.struct_size = sizeof o, .registry = i % 3 ? NULL : registry, .dispatch = i % 4, .drop = drop};
    must(calliope_registry_open(registry, NULL));
    need(calliope_registry_open(registry, NULL) == CALLIOPE_ALREADY_EXISTS, "a registry that is opened twice");
    must(calliope_register(name, use, &r, &o));
    int64_t id;
    must(calliope_register_id(use, &r, NULL, &id));
    fake_site site;
    const fake_attr attrs[] = {{CALLIOPE_KEY_CALLBACK, name, 0},
                               {CALLIOPE_KEY_FORM, CALLIOPE_FORM_OBSERVE, 0},
                               {CALLIOPE_KEY_REGISTRY, i % 3 ? "" : registry, 0},
                               {CALLIOPE_KEY_VERSION, NULL, 1}};
    char* text = fake_instantiate(&site, CALLIOPE_TARGET_IO_CALLBACK, attrs, 4);
    need(text == NULL, text);
    float x = 1;
    need(fake_call(&site, (long)number, &x, NULL, 1) == NULL, "a call fails");
    need(calliope_unregister(NULL, wrong) == CALLIOPE_NOT_FOUND, "an unknown name");
    const char* message = calliope_error_message();
    must(calliope_barrier(name, 0));
    char* json;
    must(calliope_stats(&json));
    need(strstr(json, name) != NULL, "the statistics");
    must(calliope_free(json));
    if (i % 50 == 0) {
      char* report;
      must(calliope_lint("", 0, NULL, NULL, NULL, &report, NULL));
      must(calliope_free(report));
    }
    must(calliope_unregister_id(NULL, id));
    if (i % 3) must(calliope_unregister(NULL, name));
    must(calliope_registry_close(registry));
    fake_free(&site);
    // A deferred call may be about to return from its function.
    while (!__atomic_load_n(&r.dropped, __ATOMIC_SEQ_CST)) sched_yield();
    need(r.calls == 1, "one call");
    // Nothing failed on this thread since, whatever the others did.
    need(message == calliope_error_message() && strstr(message, wrong) != NULL, "the message of the thread");
  }
  return NULL;  // with a message
}

int main(void) {
  fake_open(5);
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) need(pthread_create(&threads[i], NULL, work, (void*)i) == 0, "a thread");
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  need(strcmp(calliope_error_message(), "") == 0, "another thread's message");
  printf("%d threads are done\n", THREADS);

  going = 1;
  for (long i = 0; i < THREADS; i++) {
    need(pthread_create(&threads[i], NULL, i == 0 ? replace : call_shared, NULL) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  need(shared_calls >= ROUNDS, "calls of a function that is replaced");
  printf("a function was replaced under %d threads\n", THREADS - 1);
  printf("errors and sites that are left: %d %d\n", fake_errors, fake_sites);
  return 0;
}
