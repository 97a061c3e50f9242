// calliope.h declares what programs in C, and in languages that call C, share with
// Calliope: the constants of the callback contract, which stand in a module that calls back
// into its host, and the functions of the library libcalliope. The contract itself is
// described in docs/contract.md, and the use of the library in docs/embedding.md.
//
// It compiles as C11 and as C++17.

#ifndef CALLIOPE_H
#define CALLIOPE_H

#include <stddef.h>
#include <stdint.h>

// The release of Calliope that the header belongs to. CALLIOPE_VERSION is made for
// comparisons in #if: 0.1.0 is 100, 1.2.3 is 10203.
#define CALLIOPE_VERSION_MAJOR 0
#define CALLIOPE_VERSION_MINOR 1
#define CALLIOPE_VERSION_PATCH 0
#define CALLIOPE_VERSION \
  (CALLIOPE_VERSION_MAJOR * 10000 + CALLIOPE_VERSION_MINOR * 100 + CALLIOPE_VERSION_PATCH)

// The version of the contract, which is the value of the key "v".
#define CALLIOPE_CONTRACT_VERSION 4

// The value of api_version of each custom call: XLA's typed FFI.
#define CALLIOPE_API_VERSION 4

// The custom call targets of the contract.
#define CALLIOPE_TARGET_IO_CALLBACK "calliope_io_callback"    // of the forms passthrough and observe
#define CALLIOPE_TARGET_RUNTIME_CALL "calliope_runtime_call"  // of the forms call and pure

// The custom call targets of the further encodings, for hosts whose ids are opaque bytes.
#define CALLIOPE_TARGET_EXLA_IO_CALLBACK "exla_io_callback"            // words, passthrough
#define CALLIOPE_TARGET_EXLA_RUNTIME_CALLBACK "exla_runtime_callback"  // words, call; server, both
#define CALLIOPE_TARGET_EXLA_ELIXIR_CALLBACK "exla_elixir_callback"    // operand

// The forms of a callback: the values of the key "form".
#define CALLIOPE_FORM_PASSTHROUGH "passthrough"  // the results are the operands, in the same memory
#define CALLIOPE_FORM_OBSERVE "observe"          // operands in, a one-byte token out
#define CALLIOPE_FORM_CALL "call"                // results of given types; kept when they are not used
#define CALLIOPE_FORM_PURE "pure"                // as call, but may be dropped, merged and moved

// The device policies: the values of the key "policy". The last two may be followed by ":" and
// the number of the device that calls.
#define CALLIOPE_POLICY_PER_DEVICE "per_device"  // each device calls, with its part of the arrays
#define CALLIOPE_POLICY_ONCE "once"              // one device calls
#define CALLIOPE_POLICY_GATHER "gather"          // one device calls, with whole arrays

// The keys of backend_config. A key that is absent has its zero value: 0, "" or false.
#define CALLIOPE_KEY_VERSION "v"              // i64, required: the version of the contract
#define CALLIOPE_KEY_FORM "form"              // string, required: one of the forms
#define CALLIOPE_KEY_CALLBACK "callback"      // string: the name that the callback is bound by
#define CALLIOPE_KEY_SIGNATURE "signature"    // string, with a name: hash of the signature
#define CALLIOPE_KEY_ID "callback_id"         // i64, without a name: positive, of one process
#define CALLIOPE_KEY_REGISTRY "registry"      // string: name of the registry, "" for the default
#define CALLIOPE_KEY_NUM_IDS "n_ids"          // i64: operands behind the data that are ids
#define CALLIOPE_KEY_NUM_TOKENS "n_tokens"    // i64: operands behind the ids that are tokens
#define CALLIOPE_KEY_EFFECT "effect"          // string: the effect that orders the callback
#define CALLIOPE_KEY_POLICY "policy"          // string: which devices call, see the policies above
#define CALLIOPE_KEY_TRANSFORMS "transforms"  // string, for people: what was done to the operation
#define CALLIOPE_KEY_LOC "loc"                // string, for people: source file and line
#define CALLIOPE_KEY_OPTIONAL "optional"      // bool: without a callback it does nothing
#define CALLIOPE_KEY_EVERY "every"            // i64: only every n-th call is made

// The keys of a call that stands for one of XLA's old custom calls. See calliope_custom_call.h.
#define CALLIOPE_KEY_LEGACY "legacy"                // i64: the api_version of that call, 1 to 3
#define CALLIOPE_KEY_LEGACY_OPAQUE "legacy_opaque"  // string: its opaque bytes in hexadecimal
#define CALLIOPE_KEY_LEGACY_TUPLES "legacy_tuples"  // string: its tuples, as (.,(.,.))->.

// The keys of a call with a derivative: the name of a callback or, after "@", of a function of the module.
#define CALLIOPE_KEY_JVP "jvp"              // string: along tangents
#define CALLIOPE_KEY_VJP "vjp"              // string: along cotangents
#define CALLIOPE_KEY_TRANSPOSE "transpose"  // string: along cotangents, of a call that is linear
#define CALLIOPE_KEY_BATCH "batch"          // string: how it is called for a batch
#define CALLIOPE_KEY_PARALLEL "parallel"    // string: the call is a batch whose elements are called at once, as "*."

// The keys of the further encodings, beside CALLIOPE_KEY_ID, which is an array<i64> there.
// Bytes stand in 64-bit words, the first byte lowest.
#define CALLIOPE_KEY_ID_SIZE "callback_id_size"              // ui64: bytes of the id
#define CALLIOPE_KEY_SERVER "callback_server_pid"            // array<i64>: the id's server
#define CALLIOPE_KEY_SERVER_SIZE "callback_server_pid_size"  // ui64: bytes of the server
#define CALLIOPE_KEY_ALIASED "num_aliased_data_outputs"      // ui64: results that pass operands through

// The functions of libcalliope.
//
// Each may be called on any thread, by several at once, unless its comment says otherwise. Texts
// are UTF-8 and end with a NUL; the library copies them. A structure that may grow begins with its
// size, which the caller sets: struct_size = sizeof(the structure).
//
// After fork, the child process must not use the library: its functions return
// CALLIOPE_FAILED_PRECONDITION there. They return it, too, in a program that is written in Go:
// such a program imports the packages of the Go module instead.

#if defined(_WIN32) && defined(CALLIOPE_BUILDS)  // only in the library's own build
#define CALLIOPE_API __declspec(dllexport)
#elif defined(__GNUC__)
#define CALLIOPE_API __attribute__((visibility("default")))
#else
#define CALLIOPE_API
#endif

// Begins an enum whose type is int32_t where the language can say so. Its size is 4 bytes everywhere. A function or a
// field of the type may have another number than those that have names.
#if defined(__cplusplus) || defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define CALLIOPE_ENUM(name) typedef enum name : int32_t
#else
#define CALLIOPE_ENUM(name) typedef enum name
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The result of a function: 0, or a code of absl::Status.
CALLIOPE_ENUM(calliope_status) {
  CALLIOPE_OK = 0,
  CALLIOPE_CANCELLED = 1,
  CALLIOPE_INVALID_ARGUMENT = 3,
  CALLIOPE_DEADLINE_EXCEEDED = 4,
  CALLIOPE_NOT_FOUND = 5,
  CALLIOPE_ALREADY_EXISTS = 6,
  CALLIOPE_FAILED_PRECONDITION = 9,
  CALLIOPE_INTERNAL = 13
} calliope_status;

// Returns the message of the last function that failed on this thread, "" if none did. It is
// valid until a function fails on this thread again, or the thread ends.
CALLIOPE_API const char* calliope_error_message(void);

// Returns CALLIOPE_VERSION of the library, which may differ from the header's. A library serves
// programs that were compiled with a header of the same major version, and of the same
// minor version while the major version is 0.
CALLIOPE_API int32_t calliope_version(void);

// Frees memory that a function of the library returned for the caller to free. NULL is
// allowed. Other memory, and memory that was freed already, is refused with
// CALLIOPE_INVALID_ARGUMENT.
CALLIOPE_API calliope_status calliope_free(void* memory);

// Handlers.
//
// A handler is a function of XLA's typed FFI (XLA_FFI_Handler in xla/ffi/api/c_api.h), of version
// 0.2 to 0.5: it reads the version from each call frame. XLA calls it for the custom calls of
// a target.

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;
typedef struct XLA_FFI_Error* (*calliope_handler)(struct XLA_FFI_CallFrame* frame);

// The stages of a handler, with their numbers in XLA_FFI_ExecutionStage.
CALLIOPE_ENUM(calliope_stage) { CALLIOPE_STAGE_INSTANTIATE = 0, CALLIOPE_STAGE_EXECUTE = 3 } calliope_stage;

// Sets *handler to the handler of a target for a stage. The target is one of CALLIOPE_TARGET_…, or
// another name for calls of the contract. A host registers the handlers for both stages with
// its XLA, under the target's name and for the platform Host or CUDA. They live as long as
// the process.
CALLIOPE_API calliope_status calliope_get_handler(const char* target, calliope_stage stage,
                                                  calliope_handler* handler);

// Registers the handlers of all targets of the contract with a PJRT plugin that the host has
// loaded: api is the result of its GetPjrtApi.
struct PJRT_Api;
CALLIOPE_API calliope_status calliope_register_pjrt(const struct PJRT_Api* api);

// Callbacks.

// The element types of arrays, with their numbers in XLA's PrimitiveType. An element of fewer
// than 8 bits has a byte of its own.
CALLIOPE_ENUM(calliope_dtype) {
  CALLIOPE_PRED = 1,  // a byte, 0 or 1
  CALLIOPE_S8 = 2,
  CALLIOPE_S16 = 3,
  CALLIOPE_S32 = 4,
  CALLIOPE_S64 = 5,
  CALLIOPE_U8 = 6,
  CALLIOPE_U16 = 7,
  CALLIOPE_U32 = 8,
  CALLIOPE_U64 = 9,
  CALLIOPE_F16 = 10,
  CALLIOPE_F32 = 11,
  CALLIOPE_F64 = 12,
  CALLIOPE_C64 = 15,  // two F32: real, imaginary
  CALLIOPE_BF16 = 16,
  CALLIOPE_C128 = 18,  // two F64
  CALLIOPE_F8E5M2 = 19,
  CALLIOPE_F8E4M3FN = 20,
  CALLIOPE_S4 = 21,
  CALLIOPE_U4 = 22,
  CALLIOPE_F8E4M3B11FNUZ = 23,
  CALLIOPE_F8E5M2FNUZ = 24,
  CALLIOPE_F8E4M3FNUZ = 25,
  CALLIOPE_S2 = 26,
  CALLIOPE_U2 = 27,
  CALLIOPE_F8E4M3 = 28,
  CALLIOPE_F8E3M4 = 29,
  CALLIOPE_F4E2M1FN = 32,
  CALLIOPE_F8E8M0FNU = 33
} calliope_dtype;

// An array: its elements in row-major order, in host memory. It has rank dims.
typedef struct calliope_array {
  void* data;
  size_t size;  // in bytes
  const int64_t* dims;
  int32_t rank;
  calliope_dtype dtype;
} calliope_array;

// A call of a callback. It belongs to the library, and is valid until the function returns.
//
// In the form passthrough a result is the memory of the operand with its number. In the form
// observe there are no results. In the other forms the function fills the results, and must not
// write to the operands.
typedef struct calliope_call {
  size_t struct_size;
  const char* name;  // of the callback, or "id N"
  int64_t run_id;    // of XLA's run, 0 if XLA does not say
  int32_t device;    // the ordinal of the device that calls
  int32_t reserved;
  size_t num_args;
  const calliope_array* args;
  size_t num_results;
  const calliope_array* results;
} calliope_call;

// A function that compiled programs call. It may be called on any thread, by several at once.
// It returns CALLIOPE_OK, or another number, which fails the run; calliope_fail
// gives the message. XLA reports such a run as INTERNAL, whatever the number. It must not throw a
// C++ exception, nor leave by longjmp.
typedef calliope_status (*calliope_function)(void* user_data, calliope_call* call);

// Sets the message of a call that is about to fail: size bytes, which are copied. It must be called
// in the call's function. The last message counts, and none if the function returns CALLIOPE_OK. Bytes
// that are not UTF-8, and NULs, are replaced. If message is NULL, nothing is done.
CALLIOPE_API void calliope_fail(calliope_call* call, const char* message, size_t size);

// Returns 1 if nobody waits for the call any more, because its time is over or its run was
// cancelled, and 0 otherwise. A function that takes long asks from time to time. The answer is
// always 0 for a call with CALLIOPE_INLINE, which cannot be stopped.
CALLIOPE_API int32_t calliope_stopped(const calliope_call* call);

// How a function is called: see package callbacks of the Go module, type Dispatch.
CALLIOPE_ENUM(calliope_dispatch) {
  CALLIOPE_INLINE = 0,     // on XLA's thread, on XLA's memory
  CALLIOPE_GOROUTINE = 1,  // on a thread of the library, on copies; XLA's thread waits
  CALLIOPE_ASYNC = 2,      // on a thread of the library, on copies; nobody waits; observe and passthrough only
  CALLIOPE_DEFERRED = 3    // as GOROUTINE, but XLA's thread does not wait
} calliope_dispatch;

// The type of an operand or a result in a template. It has rank dims.
typedef struct calliope_type {
  const int64_t* dims;
  int32_t rank;
  calliope_dtype dtype;
} calliope_type;

// The options of a callback. All fields but struct_size may be 0.
typedef struct calliope_options {
  size_t struct_size;
  const char* registry;  // name of its registry; NULL or "" is the default one
  calliope_dispatch dispatch;
  int32_t fail_run;      // an error in the form observe fails the run; otherwise the next barrier returns it
  // An error in any form, also of a call that took too long, is left to the next barrier: the run goes on with results of
  // zeros. A program for several devices with collective operations needs this. It excludes fail_run.
  int32_t keep_errors;
  int64_t timeout_ns;    // limits one call; it turns CALLIOPE_INLINE into CALLIOPE_GOROUTINE
  int64_t per_second;    // limits the calls in a second; the last that came too soon is made later
  int32_t measure;       // the statistics say how long the calls took
  // The template: whether modules must call with these types. In the form passthrough the
  // results are the operands, in the form observe there are none. A module with another signature
  // (CALLIOPE_KEY_SIGNATURE) is refused when it is compiled. Without a signature, a call with
  // other types fails, and the function does not get it.
  int32_t has_template;
  const calliope_type* args;
  size_t num_args;
  const calliope_type* results;
  size_t num_results;
  // Called once, on any thread, when the callback is unregistered and no call of it runs any more.
  // NULL is allowed.
  void (*drop)(void* user_data);
} calliope_options;

// Registers a function as a callback with a name, which modules call by
// CALLIOPE_KEY_CALLBACK. A name that is taken is refused with CALLIOPE_ALREADY_EXISTS. options may be
// NULL. user_data need not be an address. If registering fails, drop is not called.
CALLIOPE_API calliope_status calliope_register(const char* name, calliope_function function, void* user_data,
                                               const calliope_options* options);

// Registers a function as a callback with an id, which modules call by CALLIOPE_KEY_ID, and sets
// *id. Ids are positive, and no registry returns one again.
CALLIOPE_API calliope_status calliope_register_id(calliope_function function, void* user_data,
                                                  const calliope_options* options, int64_t* id);

// Removes a callback from a registry (NULL or "": the default one). Calls that run go on; later
// ones fail until the name is registered again: programs that were compiled before then call the new
// function, with its options. An id is not registered again. It does not wait for calls that run: the option drop
// tells when the last one has ended, and what the function uses may be freed.
CALLIOPE_API calliope_status calliope_unregister(const char* registry, const char* name);
CALLIOPE_API calliope_status calliope_unregister_id(const char* registry, int64_t id);

// The options of a registry. All fields but struct_size may be 0.
typedef struct calliope_registry_options {
  size_t struct_size;
  int32_t workers;      // functions that run at once on threads of the library; 0 is the number of processors
  int32_t lost_limit;   // functions that may go on after their call was stopped; 0 is 256
  int64_t timeout_ns;   // of callbacks whose options have none
  int64_t queue_bytes;  // of the copies that CALLIOPE_ASYNC holds; 0 is 64 MiB
} calliope_registry_options;

// Makes a registry with a name, which modules name by CALLIOPE_KEY_REGISTRY, or sets the options of
// the default one (NULL or ""), for modules that are compiled from now on. A name that is taken is
// refused with CALLIOPE_ALREADY_EXISTS. options may be NULL.
CALLIOPE_API calliope_status calliope_registry_open(const char* name, const calliope_registry_options* options);

// Closes a registry and removes its callbacks. The default one cannot be closed. Programs that were
// compiled with its callbacks have to be compiled again.
CALLIOPE_API calliope_status calliope_registry_close(const char* name);

// Waits until all calls that CALLIOPE_ASYNC has queued are done, in all registries, for timeout_ns
// nanoseconds at most; 0 is no limit. name appears in messages; NULL is "". It fails with the errors of
// callbacks that failed no run. The library does not know the host's runs: wait for these first. It does
// not wait for functions whose calls were stopped. In a callback it is refused with
// CALLIOPE_FAILED_PRECONDITION.
CALLIOPE_API calliope_status calliope_barrier(const char* name, int64_t timeout_ns);

// Sets *json to the counters of all callbacks, an array of objects with the fields of the Go type
// callbacks.Stat, to be freed by calliope_free. A registry that is closed is not in it.
CALLIOPE_API calliope_status calliope_stats(char** json);

// IR.
//
// These functions work on the host's own MLIR: on objects that the MLIR C API made, which the host
// passes as the pointers in their structs (MlirBlock.ptr and so on). Nothing changes its owner.
// MLIR allows one thread at a time in a context with multithreading disabled, and in a module
// always.

// Sets *library to a number for an MLIR library: the file at path, which the host has loaded or
// loads, or, if path is NULL, what the process itself is linked to. It must export the C API of
// MLIR and of StableHLO, and is never unloaded. Opening a library again sets the same number.
CALLIOPE_API calliope_status calliope_mlir_open(const char* path, int64_t* library);

// The description of a callback operation. All fields but struct_size, form, and callback or
// callback_id may be 0.
typedef struct calliope_operation {
  size_t struct_size;
  const char* form;         // CALLIOPE_FORM_PASSTHROUGH and so on
  const char* callback;     // the name that the callback is bound by, or
  int64_t callback_id;      // its id
  const char* registry;     // NULL or "" is the default one
  const char* effect;       // calliope_order_effects orders the callbacks of one effect; NULL or "" is none
  const char* policy;       // CALLIOPE_POLICY_ONCE and so on, which calliope_prepare applies; NULL or "" is none
  const char* loc;          // source file and line, for messages
  int64_t every;            // only every n-th call is made
  int32_t optional;         // without a callback it does nothing
  int32_t check_signature;  // a module that is compiled elsewhere is bound to the types of this call
} calliope_operation;

// Appends a callback operation to a block of a module (MlirModule.ptr), before the block's
// terminator if it has one. operands are values of the module (MlirValue.ptr), and results are
// types (MlirType.ptr) in the forms call and pure. In the form passthrough the results are the
// operands' types, and there are none in the form observe. location (MlirLocation.ptr) may be NULL.
// *operation, if operation is not NULL, becomes the operation (MlirOperation.ptr).
CALLIOPE_API calliope_status calliope_append(int64_t library, void* context, void* module, void* block, void* location,
                                             const calliope_operation* description, size_t num_operands,
                                             void* const* operands, size_t num_results, void* const* results,
                                             void** operation);

// Orders the callbacks of a module (MlirModule.ptr) that have an effect and no token: a token
// passes through those of each effect, in the order of the text. Operations with such callbacks in
// them are made again, so the host's handles to these are no longer valid.
CALLIOPE_API calliope_status calliope_order_effects(int64_t library, void* context, void* module);

// Changes a module (MlirModule.ptr) so that XLA's CPU compiler computes what it says, and makes all calls, on the
// devices that their policies state. XLA may overwrite a value that is given to a callback in the form passthrough in a
// branch, or leave out a call in a condition of a loop. Call it last, before the module is compiled; a second time it changes nothing. Operations may
// be made again, as by calliope_order_effects. It fails for a module that XLA cannot compile, with the place.
CALLIOPE_API calliope_status calliope_prepare(int64_t library, void* context, void* module);

// Checks the aliases of all custom calls of a module, and that the callbacks of each effect are
// ordered.
CALLIOPE_API calliope_status calliope_check(int64_t library, void* context, void* module);

// What calliope_preflight does not see in the library. All fields but struct_size may be 0.
typedef struct calliope_preflight_options {
  size_t struct_size;
  const char* const* targets;  // custom call targets that have handlers of the host, of XLA's typed FFI
  size_t num_targets;
  int64_t partitions;  // how many devices will share the module; 0 is 1
} calliope_preflight_options;

// Compares the custom calls of a module that is about to be compiled with what is registered now, and finds what XLA
// would refuse later, without its place in the module, or end the process for. If calls cannot be served, it fails with
// CALLIOPE_FAILED_PRECONDITION, and the message lists all of them. options may be NULL. The module stays as it is.
CALLIOPE_API calliope_status calliope_preflight(int64_t library, void* context, void* module,
                                                const calliope_preflight_options* options);

// Custom calls of the conventions that XLA had before its typed FFI.

// The signatures of their functions. calliope_custom_call.h has the types.
CALLIOPE_ENUM(calliope_legacy_form) {
  CALLIOPE_LEGACY_HOST = 1,         // void f(void* out, const void** in)
  CALLIOPE_LEGACY_HOST_STATUS = 2,  // void f(void* out, const void** in, XlaCustomCallStatus*)
  CALLIOPE_LEGACY_HOST_OPAQUE = 3,  // void f(void* out, const void** in, const char* opaque, size_t, XlaCustomCallStatus*)
  CALLIOPE_LEGACY_GPU = 4,          // void f(CUstream, void** buffers, const char* opaque, size_t)
  CALLIOPE_LEGACY_GPU_STATUS = 5    // void f(CUstream, void** buffers, const char* opaque, size_t, XlaCustomCallStatus*)
} calliope_legacy_form;

// Registers a function for the calls of a target that calliope_replace_legacy replaces. The form must be that of its
// signature, which cannot be checked. A function with a status must be compiled with calliope_custom_call.h: XLA's own
// header has another type of this name. It is called on XLA's thread, on XLA's memory.
// calliope_unregister(CALLIOPE_REGISTRY_LEGACY, target) removes it.
#define CALLIOPE_REGISTRY_LEGACY "legacy"
CALLIOPE_API calliope_status calliope_register_legacy(const char* target, void (*function)(void),
                                                      calliope_legacy_form form);

// Replaces the custom calls of a module with an api_version of 0 to 3 by calls of the contract, which functions of
// calliope_register_legacy serve. Operations may be made again, as by calliope_order_effects. If a call cannot be
// replaced, it fails with CALLIOPE_FAILED_PRECONDITION, the message lists such calls, and the module stays as it is.
CALLIOPE_API calliope_status calliope_replace_legacy(int64_t library, void* context, void* module);

// Linting.
//
// These functions run the program mlir-lint, in a process of its own, because modules can crash the
// parser of MLIR. It is the file that the environment variable CALLIOPE_MLIR_LINT names, or
// mlir-lint beside the library, in ../bin from there, or in a folder of PATH. PATH, and the
// environment of mlir-lint, are those of the time when the library was loaded. A program that ignores
// SIGCHLD, or waits for children that it has not started, cannot use them.

// Checks a module: size bytes of text, bytecode or a portable artifact. format is one of
// mlir-lint's formats, such as "json" or "sarif"; NULL is "text". name is the file's name in the
// report, a relative path; NULL is "module". options are further flags of mlir-lint, divided by
// newlines; NULL is none. *report is the report, to be freed by calliope_free, and *findings, if it
// is not NULL, is 1 if the report has errors, and 0 otherwise. A module that cannot be read is such
// a finding.
CALLIOPE_API calliope_status calliope_lint(const void* module, size_t size, const char* name, const char* format,
                                           const char* options, char** report, int32_t* findings);

// Repairs a module as mlir-lint -fix does. *fixed are *fixed_size bytes in the form of the module,
// to be freed by calliope_free. If something is left to do by hand, nothing is returned, and the
// message has the findings.
CALLIOPE_API calliope_status calliope_fix(const void* module, size_t size, const char* options, void** fixed,
                                          size_t* fixed_size);

#ifdef __cplusplus
}
#endif

#endif
