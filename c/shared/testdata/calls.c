// Calls of C functions through the handlers, in every form and dispatch, and how they fail.
//
//	calls N    XLA's FFI is of version 0.N

#include "fake.h"

static calliope_options base(int32_t dispatch) {
  calliope_options o;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  o.dispatch = dispatch;
  return o;
}

static calliope_status twice(void* user_data, calliope_call* call) {
  const float* x = call->args[0].data;
  float* y = call->num_results > 0 ? call->results[0].data : NULL;
  for (int64_t i = 0; y != NULL && i < call->args[0].dims[0]; i++) y[i] = 2 * x[i];
  if (user_data != NULL) __atomic_fetch_add((int*)user_data, 1, __ATOMIC_RELAXED);
  return CALLIOPE_OK;
}

// Prints what a call is made with.
static calliope_status describe(void* user_data, calliope_call* call) {
  printf("  %s: user data %p, size ok %d, name %s, run %lld, device %d, %zu operands, %zu results\n", __func__, user_data,
         call->struct_size == sizeof *call, call->name, (long long)call->run_id, call->device, call->num_args,
         call->num_results);
  for (size_t i = 0; i < call->num_args + call->num_results; i++) {
    const calliope_array* a = i < call->num_args ? &call->args[i] : &call->results[i - call->num_args];
    printf("  %s %zu: dtype %d, rank %d, %zu bytes", i < call->num_args ? "operand" : "result",
           i < call->num_args ? i : i - call->num_args, a->dtype, a->rank, a->size);
    for (int j = 0; j < a->rank; j++) printf(", %lld", (long long)a->dims[j]);
    printf("\n");
  }
  return CALLIOPE_OK;
}

static calliope_status failing(void* user_data, calliope_call* call) {
  const char* how = user_data;
  static const char nul[] = "a\0b";
  if (strcmp(how, "message") == 0) calliope_fail(call, "the message", 11);
  if (strcmp(how, "two messages") == 0) calliope_fail(call, "first", 5), calliope_fail(call, "second", 6);
  if (strcmp(how, "part of a message") == 0) calliope_fail(call, "part of a message", 4);
  if (strcmp(how, "size 0") == 0) calliope_fail(call, "x", 0);
  if (strcmp(how, "NULL") == 0) calliope_fail(call, NULL, 5);
  if (strcmp(how, "NUL in the message") == 0) calliope_fail(call, nul, 3);
  if (strcmp(how, "not UTF-8") == 0) calliope_fail(call, "a\xff", 2);
  if (strcmp(how, "status -5") == 0) return -5;
  if (strcmp(how, "status 1234567") == 0) return 1234567;
  if (strcmp(how, "message and OK") == 0) {
    calliope_fail(call, "ignored", 7);
    return CALLIOPE_OK;
  }
  return CALLIOPE_CANCELLED;
}

// A function that ends when it is stopped. It says so in its user data.
static calliope_status endless(void* user_data, calliope_call* call) {
  while (!calliope_stopped(call)) sched_yield();
  __atomic_store_n((int*)user_data, 1, __ATOMIC_RELEASE);
  return CALLIOPE_OK;
}

static calliope_status stops(void* user_data, calliope_call* call) {
  *(int*)user_data = calliope_stopped(call);
  return CALLIOPE_OK;
}

static char inside_text[200];

static calliope_status inside(void* user_data, calliope_call* call) {
  (void)call;
  calliope_status status = calliope_barrier(NULL, 0);
  snprintf(inside_text, sizeof inside_text, "%d: %s", status, calliope_error_message());
  if (user_data != NULL) __atomic_fetch_add((int*)user_data, 1, __ATOMIC_RELAXED);
  int64_t id;
  must(calliope_register_id(twice, NULL, NULL, &id));
  must(calliope_unregister_id(NULL, id));
  return CALLIOPE_OK;
}

static void count(void* user_data) { __atomic_fetch_add((int*)user_data, 1, __ATOMIC_RELAXED); }

static const char* dispatches[] = {"inline", "goroutine", "async", "deferred"};
static const char* forms[] = {CALLIOPE_FORM_PASSTHROUGH, CALLIOPE_FORM_OBSERVE, CALLIOPE_FORM_CALL, CALLIOPE_FORM_PURE};

static void each_form(void) {
  for (int d = 0; d < 4; d++) {
    int calls = 0, drops = 0;
    calliope_options o = base(d);
    o.drop = count;
    // drop gets the user data of the function, so the counter of calls is a second one.
    must(calliope_register("twice", twice, &calls, NULL));
    must(calliope_unregister(NULL, "twice"));
    must(calliope_register("twice", twice, &drops, &o));
    for (int f = 0; f < 4; f++) {
      fake_site site;
      char what[64];
      snprintf(what, sizeof what, "%s, %s", dispatches[d], forms[f]);
      char* text = fake_bind(&site, forms[f], "twice");
      if (text != NULL) {
        fake_show(what, text);
        continue;
      }
      float x[] = {1, 2, 3, 4}, y[4] = {0};
      float* out = f == 0 ? x : f == 1 ? NULL : y;
      fake_show(what, fake_call(&site, 7, x, out, 4));
      must(calliope_barrier(NULL, 0));
      if (out != NULL) printf("  %g %g %g %g\n", out[0], out[1], out[2], out[3]);
      fake_free(&site);
    }
    must(calliope_unregister(NULL, "twice"));
    printf("  calls and drop: %d\n", drops);
  }
}

// A name that is registered again is served in programs that were compiled before.
static void again(void) {
  int drops = 0;
  calliope_options o = base(CALLIOPE_INLINE);
  o.drop = count;
  must(calliope_register("again", twice, &drops, &o));
  fake_site site;
  float x[] = {1, 2, 3, 4}, y[4] = {0};
  fake_bind(&site, CALLIOPE_FORM_CALL, "again");
  for (int d = 0; d < 4; d++) {
    char what[64];
    snprintf(what, sizeof what, "registered again, %s", dispatches[d]);
    must(calliope_unregister(NULL, "again"));
    fake_show("unregistered", fake_call(&site, 7, x, y, 4));
    o.dispatch = d;
    must(calliope_register("again", twice, &drops, &o));
    memset(y, 0, sizeof y);
    fake_show(what, fake_call(&site, 8, x, y, 4));
    printf("  %g %g %g %g\n", y[0], y[1], y[2], y[3]);
  }
  must(calliope_unregister(NULL, "again"));
  fake_free(&site);
  printf("  calls and drops: %d\n", drops);
}

static void described(void) {
  fake_site site;
  calliope_options o = base(CALLIOPE_INLINE);
  int64_t id;
  must(calliope_register_id(describe, (void*)1, &o, &id));  // user data that is no address
  const fake_attr attrs[] = {
      {CALLIOPE_KEY_ID, NULL, id}, {CALLIOPE_KEY_FORM, CALLIOPE_FORM_CALL, 0}, {CALLIOPE_KEY_VERSION, NULL, 1}};
  fake_show("by id", fake_instantiate(&site, CALLIOPE_TARGET_RUNTIME_CALL, attrs, 3));
  char bytes[64] = {0};
  int64_t dims[] = {2, 0, 3}, four[] = {4};
  ffi_buffer args[] = {
      {.struct_size = sizeof *args, .dtype = CALLIOPE_F64, .data = bytes, .rank = 0, .dims = NULL},
      {.struct_size = sizeof *args, .dtype = CALLIOPE_S32, .data = bytes, .rank = 3, .dims = dims},
      {.struct_size = sizeof *args, .dtype = CALLIOPE_S4, .data = bytes, .rank = 1, .dims = four}};
  ffi_buffer results[] = {{.struct_size = sizeof *args, .dtype = CALLIOPE_PRED, .data = bytes, .rank = 1, .dims = four}};
  fake_show("a call", fake_execute(&site, 11, 3, args, 3, results, 1));
  fake_show("no operands, no results", fake_execute(&site, 0, 0, NULL, 0, NULL, 0));
  must(calliope_unregister_id(NULL, id));
  fake_show("unregistered", fake_execute(&site, 12, 0, args, 3, results, 1));
  fake_free(&site);
}

static void failures(void) {
  static char* how[] = {"message", "two messages",       "part of a message", "size 0",    "NULL",          "nothing",
                        "NUL in the message", "not UTF-8", "status -5", "status 1234567", "message and OK"};
  for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
    must(calliope_register("failing", failing, how[i], NULL));
    fake_site site;
    fake_show("bind", fake_bind(&site, CALLIOPE_FORM_CALL, "failing"));
    float x[] = {1}, y[] = {0};
    fake_show(how[i], fake_call(&site, 1, x, y, 1));
    fake_show("  again", fake_call(&site, 2, x, y, 1));
    fake_free(&site);
    must(calliope_unregister(NULL, "failing"));
  }
  // An error in the form observe fails no run; the barrier has it.
  for (int fail_run = 0; fail_run < 2; fail_run++) {
    calliope_options o = base(CALLIOPE_INLINE);
    o.fail_run = fail_run;
    must(calliope_register("failing", failing, "message", &o));
    fake_site site;
    fake_show("bind", fake_bind(&site, CALLIOPE_FORM_OBSERVE, "failing"));
    float x[] = {1};
    fake_show(fail_run ? "a tap that fails its run" : "a tap", fake_call(&site, 3, x, NULL, 1));
    calliope_status status = calliope_barrier("the end", 0);
    printf("  barrier: %d: %s\n", status, status == CALLIOPE_OK ? "" : calliope_error_message());
    printf("  barrier again: %d\n", calliope_barrier(NULL, 0));
    fake_free(&site);
    must(calliope_unregister(NULL, "failing"));
  }
  // With keep_errors, one in another form fails no run, either. The results are zeros.
  calliope_options o = base(CALLIOPE_INLINE);
  o.keep_errors = 1;
  must(calliope_register("failing", failing, "message", &o));
  fake_site site;
  fake_show("bind", fake_bind(&site, CALLIOPE_FORM_CALL, "failing"));
  float x[] = {1}, y[] = {5};
  fake_show("keep_errors", fake_call(&site, 4, x, y, 1));
  calliope_status status = calliope_barrier("the end", 0);
  printf("  %g, barrier: %d: %s\n", y[0], status, status == CALLIOPE_OK ? "" : calliope_error_message());
  fake_free(&site);
  must(calliope_unregister(NULL, "failing"));
}

static void time_limits(void) {
  calliope_options o = base(CALLIOPE_INLINE);
  o.timeout_ns = 20000000;
  int stopped = 0;
  must(calliope_register("endless", endless, &stopped, &o));
  fake_site site;
  fake_show("bind", fake_bind(&site, CALLIOPE_FORM_CALL, "endless"));
  float x[] = {1}, y[] = {0};
  fake_show("endless", fake_call(&site, 1, x, y, 1));
  while (!__atomic_load_n(&stopped, __ATOMIC_ACQUIRE)) sched_yield();
  printf("stopped\n");
  fake_free(&site);
  must(calliope_unregister(NULL, "endless"));

  // A call after one that was stopped is not stopped.
  o.timeout_ns = 60000000000;
  stopped = -1;
  must(calliope_register("stops", stops, &stopped, &o));
  fake_show("bind", fake_bind(&site, CALLIOPE_FORM_CALL, "stops"));
  fake_show("in time", fake_call(&site, 1, x, y, 1));
  printf("stopped: %d\n", stopped);
  fake_free(&site);
  must(calliope_unregister(NULL, "stops"));

  // The timeout of a registry.
  calliope_registry_options r;
  memset(&r, 0, sizeof r);
  r.struct_size = sizeof r;
  r.timeout_ns = 20000000;
  r.lost_limit = 1;
  must(calliope_registry_open("limited", &r));
  o = base(CALLIOPE_INLINE);
  o.registry = "limited";
  stopped = 0;
  must(calliope_register("endless", endless, &stopped, &o));
  const fake_attr attrs[] = {{CALLIOPE_KEY_CALLBACK, "endless", 0},
                             {CALLIOPE_KEY_FORM, CALLIOPE_FORM_CALL, 0},
                             {CALLIOPE_KEY_REGISTRY, "limited", 0},
                             {CALLIOPE_KEY_VERSION, NULL, 1}};
  fake_show("bind", fake_instantiate(&site, CALLIOPE_TARGET_RUNTIME_CALL, attrs, 4));
  fake_show("endless in a registry with a timeout", fake_call(&site, 1, x, y, 1));
  while (!__atomic_load_n(&stopped, __ATOMIC_ACQUIRE)) sched_yield();
  printf("stopped\n");
  must(calliope_registry_close("limited"));
  fake_show("the registry is closed", fake_call(&site, 2, x, y, 1));
  fake_free(&site);
}

// A function that runs until the program lets it go.
static calliope_status held(void* user_data, calliope_call* call) {
  (void)call;
  while (!__atomic_load_n((int*)user_data, __ATOMIC_ACQUIRE)) sched_yield();
  return CALLIOPE_OK;
}

static void barriers(void) {
  int go = 0;
  calliope_options o = base(CALLIOPE_ASYNC);
  must(calliope_register("held", held, &go, &o));
  fake_site site;
  fake_show("bind", fake_bind(&site, CALLIOPE_FORM_OBSERVE, "held"));
  float x[] = {1};
  fake_show("async", fake_call(&site, 1, x, NULL, 1));
  calliope_status status = calliope_barrier("short", 1000000);
  printf("barrier: %d: %s\n", status, calliope_error_message());
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  printf("barrier: %d\n", calliope_barrier("long", 0));
  fake_free(&site);
  must(calliope_unregister(NULL, "held"));

  for (int d = 0; d < 4; d++) {
    o = base(d);
    must(calliope_register("inside", inside, NULL, &o));
    fake_show("bind", fake_bind(&site, CALLIOPE_FORM_OBSERVE, "inside"));
    fake_show("inside of a call", fake_call(&site, 1, x, NULL, 1));
    must(calliope_barrier(NULL, 0));
    printf("  %s: barrier: %s\n", dispatches[d], inside_text);
    fake_free(&site);
    must(calliope_unregister(NULL, "inside"));
  }
}

// The number of a field in the statistics of a callback.
static int number(const char* entry, const char* field) {
  char key[32];
  snprintf(key, sizeof key, "\"%s\":", field);
  const char* at = entry == NULL ? NULL : strstr(entry, key);
  return at == NULL ? -1 : atoi(at + strlen(key));
}

static void options(void) {
  int calls = 0;
  calliope_options o = base(CALLIOPE_INLINE);
  o.per_second = 3;
  o.measure = 1;
  must(calliope_register("some", twice, &calls, &o));
  fake_site site;
  fake_show("bind", fake_bind(&site, CALLIOPE_FORM_OBSERVE, "some"));
  float x[] = {1, 2};
  for (int i = 0; i < 100; i++) free(fake_call(&site, i, x, NULL, 2));
  must(calliope_barrier("some", 0)); // makes the last of the calls that came too soon
  printf("of 100 calls most are dropped: %d\n", calls >= 2 && calls < 50);
  char* json;
  must(calliope_stats(&json));
  const char* entry = strstr(json, "{\"Callback\":\"some\"");
  int fired = number(entry, "Fired"), made = number(entry, "Delivered"), dropped = number(entry, "Dropped");
  int counted = fired == 100 && made == calls && made + dropped == 100, timed = number(entry, "Count") == calls;
  printf("the statistics count the calls: %d, and their time: %d\n", counted, timed);
  if (!counted || !timed) printf("%s\n", json);
  must(calliope_free(json));
  fake_free(&site);
  must(calliope_unregister(NULL, "some"));

  // A template is compared when the module is compiled. XLA does not say the types of a call then, so
  // the hash of the signature in the module decides.
  const int64_t dims[] = {4};
  const calliope_type type = {.dims = dims, .rank = 1, .dtype = CALLIOPE_F32};
  o = base(CALLIOPE_INLINE);
  o.has_template = 1, o.args = &type, o.num_args = 1, o.results = &type, o.num_results = 1;
  must(calliope_register("typed", twice, NULL, &o));
  const fake_attr attrs[] = {{CALLIOPE_KEY_CALLBACK, "typed", 0},
                             {CALLIOPE_KEY_FORM, CALLIOPE_FORM_CALL, 0},
                             {CALLIOPE_KEY_SIGNATURE, "another", 0},
                             {CALLIOPE_KEY_VERSION, NULL, 1}};
  fake_show("another signature", fake_instantiate(&site, CALLIOPE_TARGET_RUNTIME_CALL, attrs, 4));
  fake_show("no signature", fake_bind(&site, CALLIOPE_FORM_CALL, "typed"));
  float z[4] = {0};
  fake_show("  called with other types", fake_call(&site, 1, x, z, 2));
  fake_free(&site);
  must(calliope_unregister(NULL, "typed"));

  fake_show("an unknown callback", fake_bind(&site, CALLIOPE_FORM_CALL, "nobody"));
  fake_show("an unknown form", fake_bind(&site, "both", "nobody"));
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  fake_open(atoi(argv[1]));
  each_form();
  again();
  described();
  failures();
  time_limits();
  barriers();
  options();
  printf("errors and sites that are left: %d %d\n", fake_errors, fake_sites);
  return 0;
}
