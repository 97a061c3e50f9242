// A handler of XLA's typed FFI, which the client registers by PJRT's extension. It multiplies by what the client gives
// the run.

#include "ffi_abi.h"

// The extension, by xla/pjrt/c/pjrt_c_api_ffi_extension.h.
typedef struct {
  PJRT_Extension_Base base;
  PJRT_Error *(*type_register)(void *args);
  PJRT_Error *(*user_data_add)(void *args);
  PJRT_Error *(*register_handler)(void *args);
} ffi_extension_of_pjrt;

static int64_t factor_type;
static float factor = 10;

static ffi_error *multiply(ffi_frame *f) {
  if (f->extensions != NULL && f->extensions->type == FFI_EXTENSION_METADATA) {
    ffi_metadata *m = ((ffi_metadata_extension *)f->extensions)->metadata;
    m->version.major = 0, m->version.minor = 3, m->traits = 0;
    return NULL;
  }
  struct {
    size_t struct_size;
    ffi_extension *extensions;
    ffi_context *context;
    int64_t *type;
    void *data;
  } get = {.struct_size = sizeof get, .context = f->context, .type = &factor_type};
  ffi_error *error = ((ffi_error * (*)(void *)) f->api->execution_context_get)(&get);
  if (error != NULL) return error;
  ffi_buffer *x = f->args.items[0], *y = f->results.items[0];
  for (int64_t i = 0; i < x->dims[0]; i++) ((float *)y->data)[i] = ((float *)x->data)[i] * *(float *)get.data;
  return NULL;
}

// register_multiply registers the handler of the target "multiply", and returns a context with what it needs.
static PJRT_ExecuteContext *register_multiply(const PJRT_Api *api, void (*must)(PJRT_Error *)) {
  PJRT_Extension_Base *e = api->extension_start;
  while (e->type != PJRT_Extension_Type_FFI) e = e->next;
  ffi_extension_of_pjrt *ffi = (ffi_extension_of_pjrt *)e;

  struct {
    size_t struct_size;
    const char *target;
    size_t target_size;
    void *handler;
    const char *platform;
    size_t platform_size;
    uint32_t traits;
  } handler = {sizeof handler, "multiply", 8, (void *)multiply, "Host", 4, 0};
  must(ffi->register_handler(&handler));

  struct {
    size_t struct_size;
    PJRT_Extension_Base *extensions;
    const char *name;
    size_t name_size;
    int64_t type;
  } type = {sizeof type, NULL, "factor", 6, 0};
  must(ffi->type_register(&type));
  factor_type = type.type;

  PJRT_ExecuteContext_Create_Args create = {.struct_size = sizeof create};
  must(api->PJRT_ExecuteContext_Create(&create));
  struct {
    size_t struct_size;
    PJRT_Extension_Base *extensions;
    PJRT_ExecuteContext *context;
    int64_t type;
    void *data;
  } add = {sizeof add, NULL, create.context, factor_type, &factor};
  must(ffi->user_data_add(&add));
  return create.context;
}
