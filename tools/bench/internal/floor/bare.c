#include "bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../internal/run/pjrt/pjrt_error.h"
#include "gate.h"

// Functions that only this file calls; see pjrt_abi.h.
enum {
  FN_CLIENT_DESTROY = 11,
  FN_CLIENT_COMPILE = 20,
  FN_EXECUTABLE_DESTROY = 50,
};

enum { PJRT_F32 = 11 };

// Of functions that destroy a client, an executable or a buffer.
typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* thing;
} destroy_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* client;
  const pjrt_program* program;
  const char* options;
  size_t options_size;
  void* executable;
} compile_args;

struct calliope_bare {
  const pjrt_api* api;
  void* client;
  void* device;
  void* executable;
  pjrt_buffer* input;
  int64_t length;
  float* host;
  // The kept thread, by whether it looks before it sleeps.
  struct helper {
    gate ask, answer;
    calliope_bare* bare;
    int started, leave;
    pthread_t thread;
    pjrt_buffer* output;
    pjrt_error* error;
  } helpers[2];
};

// Turns an error, or NULL, into a malloc'ed text, or NULL, and destroys it.
static char* error_text(const pjrt_api* api, const char* doing, pjrt_error* error) {
  if (error == NULL) return NULL;
  pjrt_error_message_args message = calliope_error_message(api, error);
  size_t size = strlen(doing) + message.message_size + sizeof ": ";
  char* text = malloc(size);
  if (text == NULL) abort();
  snprintf(text, size, "%s: %.*s", doing, (int)message.message_size, message.message);
  calliope_error_destroy(api, error);
  return text;
}

static pjrt_error* destroy(const pjrt_api* api, int function, void* thing) {
  if (thing == NULL) return NULL;
  destroy_args args = {.struct_size = sizeof args, .thing = thing};
  return CALL(api, function, &args);
}

// Waits for an event and destroys it.
static pjrt_error* await(const pjrt_api* api, pjrt_event* event) {
  pjrt_event_args args = {.struct_size = sizeof args, .event = event};
  pjrt_error* error = CALL(api, PJRT_FN_EVENT_AWAIT, &args);
  pjrt_error* other = CALL(api, PJRT_FN_EVENT_DESTROY, &args);
  return error != NULL ? error : other;
}

static pjrt_error* put(calliope_bare* b, pjrt_buffer** out) {
  pjrt_from_host_args args = {.struct_size = sizeof args,
                              .client = b->client,
                              .data = b->host,
                              .type = PJRT_F32,
                              .dims = &b->length,
                              .num_dims = 1,
                              .device = b->device};
  pjrt_error* error = CALL(b->api, PJRT_FN_BUFFER_FROM_HOST, &args);
  if (error != NULL) return error;
  *out = args.buffer;
  return await(b->api, args.done);
}

static pjrt_error* execute(calliope_bare* b, pjrt_buffer* input, pjrt_buffer** output) {
  static const int64_t not_donated[1] = {0};
  pjrt_execute_options options = {.struct_size = sizeof options,
                                  .non_donatable_input_indices = not_donated,
                                  .num_non_donatable_input_indices = 1};
  pjrt_buffer* inputs[1] = {input};
  pjrt_buffer** input_lists[1] = {inputs};
  pjrt_buffer** output_lists[1] = {output};
  pjrt_event* done[1] = {NULL};
  pjrt_execute_args args = {.struct_size = sizeof args,
                            .executable = b->executable,
                            .options = &options,
                            .argument_lists = input_lists,
                            .num_devices = 1,
                            .num_args = 1,
                            .output_lists = output_lists,
                            .complete_events = done};
  pjrt_error* error = CALL(b->api, PJRT_FN_EXECUTE, &args);
  return error != NULL ? error : await(b->api, done[0]);
}

static pjrt_error* get(calliope_bare* b, pjrt_buffer* buffer, float* out) {
  pjrt_buffer_pointer_args args = {.struct_size = sizeof args, .buffer = buffer};
  pjrt_error* error = CALL(b->api, PJRT_FN_BUFFER_UNSAFE_POINTER, &args);
  if (error == NULL) memcpy(out, (const void*)args.pointer, (size_t)b->length * sizeof *out);
  return error;
}

static void* help(void* arg) {
  struct helper* h = arg;
  for (;;) {
    gate_pass(&h->ask);
    if (h->leave) return NULL;
    h->error = execute(h->bare, h->bare->input, &h->output);
    gate_open(&h->answer);
  }
}

static char* start_helper(calliope_bare* b, int spin) {
  struct helper* h = &b->helpers[spin];
  if (h->started) return NULL;
  h->bare = b;
  gate_init(&h->ask, 0, spin);
  gate_init(&h->answer, 0, spin);
  if (pthread_create(&h->thread, NULL, help, h) != 0) return strdup("no thread can be started");
  h->started = 1;
  return NULL;
}

static pjrt_error* run_helped(calliope_bare* b, int spin) {
  struct helper* h = &b->helpers[spin];
  gate_open(&h->ask);
  gate_pass(&h->answer);
  if (h->error != NULL) return h->error;
  return destroy(b->api, PJRT_FN_BUFFER_DESTROY, h->output);
}

static pjrt_error* run(calliope_bare* b) {
  pjrt_buffer* output = NULL;
  pjrt_error* error = execute(b, b->input, &output);
  return error != NULL ? error : destroy(b->api, PJRT_FN_BUFFER_DESTROY, output);
}

static pjrt_error* round_trip(calliope_bare* b, float* out) {
  pjrt_buffer *input = NULL, *output = NULL;
  pjrt_error* error = put(b, &input);
  if (error == NULL) error = execute(b, input, &output);
  if (error == NULL) error = get(b, output, out);
  pjrt_error* other = destroy(b->api, PJRT_FN_BUFFER_DESTROY, input);
  if (error == NULL) error = other;
  other = destroy(b->api, PJRT_FN_BUFFER_DESTROY, output);
  return error != NULL ? error : other;
}

char* calliope_bare_run(calliope_bare* b, int way, int64_t n, double* seconds) {
  float* out = malloc((size_t)b->length * sizeof *out);
  if (out == NULL) return strdup("out of memory");
  char* text = NULL;
  int helped = way == CALLIOPE_BARE_HELPER || way == CALLIOPE_BARE_HELPER_SPIN;
  int spin = way == CALLIOPE_BARE_HELPER_SPIN;
  if (helped) text = start_helper(b, spin);
  int64_t start = gate_now();
  for (int64_t i = 0; i < n && text == NULL; i++) {
    pjrt_error* error = helped                        ? run_helped(b, spin)
                        : way == CALLIOPE_BARE_ROUND ? round_trip(b, out)
                                                      : run(b);
    text = error_text(b->api, "executing", error);
  }
  *seconds = (double)(gate_now() - start) / 1e9;
  free(out);
  return text;
}

char* calliope_bare_result(calliope_bare* b, float* out) {
  return error_text(b->api, "executing", round_trip(b, out));
}

static char* open_client(calliope_bare* b) {
  pjrt_client_create_args create = {.struct_size = sizeof create};
  char* text = error_text(b->api, "making a client", CALL(b->api, PJRT_FN_CLIENT_CREATE, &create));
  if (text != NULL) return text;
  b->client = create.client;
  pjrt_devices_args devices = {.struct_size = sizeof devices, .client = b->client};
  text = error_text(b->api, "listing devices", CALL(b->api, PJRT_FN_ADDRESSABLE_DEVICES, &devices));
  if (text == NULL && devices.num_devices == 0) text = strdup("the client has no devices");
  if (text == NULL) b->device = devices.devices[0];
  return text;
}

static char* compile(calliope_bare* b, const char* module, size_t size) {
  // A CompileOptionsProto: executable_build_options (3) with one replica (4) and one
  // partition (5).
  static const char options[] = {0x1a, 4, 0x20, 1, 0x28, 1};
  static const char format[] = "mlir";
  pjrt_program program = {.struct_size = sizeof program,
                          .code = (char*)module,
                          .code_size = size,
                          .format = format,
                          .format_size = sizeof format - 1};
  compile_args args = {.struct_size = sizeof args,
                       .client = b->client,
                       .program = &program,
                       .options = options,
                       .options_size = sizeof options};
  char* text = error_text(b->api, "compiling", CALL(b->api, FN_CLIENT_COMPILE, &args));
  if (text == NULL) b->executable = args.executable;
  return text;
}

char* calliope_bare_open(const void* pjrt, const char* module, size_t size, int64_t length, calliope_bare** out) {
  calliope_bare* b = calloc(1, sizeof *b);
  float* host = calloc((size_t)length, sizeof *host);
  if (b == NULL || host == NULL) {
    free(b);
    free(host);
    return strdup("out of memory");
  }
  for (int64_t i = 0; i < length; i++) host[i] = (float)i;
  b->api = pjrt;
  b->length = length;
  b->host = host;
  char* text = open_client(b);
  if (text == NULL) text = compile(b, module, size);
  if (text == NULL) text = error_text(b->api, "a transfer", put(b, &b->input));
  if (text != NULL) {
    calliope_bare_close(b);
    return text;
  }
  *out = b;
  return NULL;
}

void calliope_bare_close(calliope_bare* b) {
  for (int i = 0; i < 2; i++) {
    struct helper* h = &b->helpers[i];
    if (!h->started) continue;
    h->leave = 1;
    gate_open(&h->ask);
    pthread_join(h->thread, NULL);
  }
  free(error_text(b->api, "closing", destroy(b->api, PJRT_FN_BUFFER_DESTROY, b->input)));
  free(error_text(b->api, "closing", destroy(b->api, FN_EXECUTABLE_DESTROY, b->executable)));
  free(error_text(b->api, "closing", destroy(b->api, FN_CLIENT_DESTROY, b->client)));
  free(b->host);
  free(b);
}
