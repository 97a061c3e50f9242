// calliope_custom_call.h declares what functions need that were written for the custom calls that
// XLA had before its typed FFI. Include it in place of XLA's custom_call_target_registry.h and
// custom_call_status.h. The functions then build without other changes into a shared library that
// links nothing of XLA or Calliope, and the Go package callbacks/legacy serves them.
//
// It compiles as C11 and as C++17 and includes only <stddef.h>. It uses attributes of GCC and
// Clang.

#ifndef CALLIOPE_CUSTOM_CALL_H
#define CALLIOPE_CUSTOM_CALL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The handle of a GPU stream, as CUDA declares it. On CPU a function gets NULL.
typedef struct CUstream_st* CUstream;

// An XlaCustomCallStatus is the result of one call. It is in the success state when the function
// is called. The caller owns it, and it is valid until the function returns. Its fields are of
// the caller; use the functions below.
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

struct XlaCustomCallStatus_ {
  size_t size;  // of the structure in the caller
  void (*set_failure)(XlaCustomCallStatus* status, const char* message, size_t message_len);
  void (*set_success)(XlaCustomCallStatus* status);
};

#ifdef CALLIOPE_CUSTOM_CALL_SERVER
// A program that serves such functions, as Calliope does, defines these two itself and registers
// nothing. They are for libraries that were built with XLA's own headers.
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message, size_t message_len);
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
#else
// XlaCustomCallStatusSetFailure makes the run fail with a message of message_len bytes, which it
// copies. The last call of a function counts.
static inline void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                                 size_t message_len) {
  status->set_failure(status, message, message_len);
}

// XlaCustomCallStatusSetSuccess undoes XlaCustomCallStatusSetFailure.
static inline void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->set_success(status);
}
#endif

// The signatures that a function may have. They are the values of CalliopeCustomCall.form.
#define CALLIOPE_CUSTOM_CALL_HOST 1           // void f(void* out, const void** in)
#define CALLIOPE_CUSTOM_CALL_HOST_STATUS 2    // void f(void* out, const void** in, XlaCustomCallStatus*)
#define CALLIOPE_CUSTOM_CALL_HOST_OPAQUE 3    // void f(void* out, const void** in, const char* opaque, size_t, XlaCustomCallStatus*)
#define CALLIOPE_CUSTOM_CALL_STREAM 4         // void f(CUstream, void** buffers, const char* opaque, size_t)
#define CALLIOPE_CUSTOM_CALL_STREAM_STATUS 5  // void f(CUstream, void** buffers, const char* opaque, size_t, XlaCustomCallStatus*)
// void f(void*, void**, const char*, size_t, XlaCustomCallStatus*) has the type of two of them. It
// is CALLIOPE_CUSTOM_CALL_HOST_OPAQUE on the platform "Host", and CALLIOPE_CUSTOM_CALL_STREAM_STATUS
// on others.
#define CALLIOPE_CUSTOM_CALL_BY_PLATFORM 6

// A CalliopeCustomCall is a function that a library registers. All of it stays valid while the
// library is loaded.
typedef struct CalliopeCustomCall {
  size_t size;           // of this structure
  const char* name;      // the target of custom calls
  const char* platform;  // "Host", "CUDA" or "ROCM"
  int form;              // one of the signatures
  void (*function)(void);
  const struct CalliopeCustomCall* next;  // NULL for the function that was registered first
} CalliopeCustomCall;

#ifdef CALLIOPE_CUSTOM_CALL_SERVER
#elif !defined(_WIN32)
// The functions of this library, the last one first. Every file of a library has this definition,
// the linker keeps one, and no other library can take its place.
extern const CalliopeCustomCall* calliope_custom_call_last;
__attribute__((weak, visibility("hidden"))) const CalliopeCustomCall* calliope_custom_call_last = 0;

// calliope_custom_calls returns the functions that the library registers. Calliope looks it up by its
// name after it loaded the library.
const CalliopeCustomCall* calliope_custom_calls(void);
__attribute__((weak, visibility("default"))) const CalliopeCustomCall* calliope_custom_calls(void) {
  return calliope_custom_call_last;
}

static inline void calliope_custom_call_add(CalliopeCustomCall* call) {
  call->next = calliope_custom_call_last;
  calliope_custom_call_last = call;
}
#else
// A library for Windows registers nothing: its functions are served by their exported names.
static inline void calliope_custom_call_add(CalliopeCustomCall* call) { call->next = 0; }
#endif

#ifdef __cplusplus
}  // extern "C"

namespace xla {
using XlaCustomCallStatus = ::XlaCustomCallStatus;
}

namespace calliope {

// form returns the signature of a function. Another signature does not compile: use one of those
// above.
constexpr int form(void (*)(void*, const void**)) { return CALLIOPE_CUSTOM_CALL_HOST; }
constexpr int form(void (*)(void*, void**)) { return CALLIOPE_CUSTOM_CALL_HOST; }
constexpr int form(void (*)(void*, const void**, XlaCustomCallStatus*)) { return CALLIOPE_CUSTOM_CALL_HOST_STATUS; }
constexpr int form(void (*)(void*, void**, XlaCustomCallStatus*)) { return CALLIOPE_CUSTOM_CALL_HOST_STATUS; }
constexpr int form(void (*)(void*, const void**, const char*, size_t, XlaCustomCallStatus*)) {
  return CALLIOPE_CUSTOM_CALL_HOST_OPAQUE;
}
template <class Stream>
constexpr int form(void (*)(Stream*, void**, const char*, size_t)) {
  return CALLIOPE_CUSTOM_CALL_STREAM;
}
template <class Stream>
constexpr int form(void (*)(Stream*, void**, const char*, size_t, XlaCustomCallStatus*)) {
  return CALLIOPE_CUSTOM_CALL_STREAM_STATUS;
}
constexpr int form(void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*)) {
  return CALLIOPE_CUSTOM_CALL_BY_PLATFORM;
}

// A Registration registers a function when the library is loaded.
struct Registration {
  Registration(const char* name, const char* platform, int form, void (*function)())
      : call{sizeof(CalliopeCustomCall), name, platform, form, function, 0} {
    calliope_custom_call_add(&call);
  }
  CalliopeCustomCall call;
};

}  // namespace calliope

#define CALLIOPE_CUSTOM_CALL_REGISTER_AT(symbol, function, platform, number) \
  static ::calliope::Registration calliope_custom_call_##number( \
      symbol, platform, ::calliope::form(function), reinterpret_cast<void (*)()>(function))

#else  // C

struct ihipStream_t;  // of ROCm

// CALLIOPE_CUSTOM_CALL_FORM is the signature of a function. Another signature does not compile: use
// one of those above.
#define CALLIOPE_CUSTOM_CALL_FORM(function)                                                                        \
  _Generic((function),                                                                                             \
      void (*)(void*, const void**): CALLIOPE_CUSTOM_CALL_HOST,                                                    \
      void (*)(void*, void**): CALLIOPE_CUSTOM_CALL_HOST,                                                          \
      void (*)(void*, const void**, XlaCustomCallStatus*): CALLIOPE_CUSTOM_CALL_HOST_STATUS,                       \
      void (*)(void*, void**, XlaCustomCallStatus*): CALLIOPE_CUSTOM_CALL_HOST_STATUS,                             \
      void (*)(void*, const void**, const char*, size_t, XlaCustomCallStatus*): CALLIOPE_CUSTOM_CALL_HOST_OPAQUE,  \
      void (*)(CUstream, void**, const char*, size_t): CALLIOPE_CUSTOM_CALL_STREAM,                                \
      void (*)(struct ihipStream_t*, void**, const char*, size_t): CALLIOPE_CUSTOM_CALL_STREAM,                    \
      void (*)(void*, void**, const char*, size_t): CALLIOPE_CUSTOM_CALL_STREAM,                                   \
      void (*)(CUstream, void**, const char*, size_t, XlaCustomCallStatus*): CALLIOPE_CUSTOM_CALL_STREAM_STATUS,   \
      void (*)(struct ihipStream_t*, void**, const char*, size_t, XlaCustomCallStatus*): CALLIOPE_CUSTOM_CALL_STREAM_STATUS, \
      void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*): CALLIOPE_CUSTOM_CALL_BY_PLATFORM)

#define CALLIOPE_CUSTOM_CALL_REGISTER_AT(symbol, function, platform, number)                       \
  static CalliopeCustomCall calliope_custom_call_##number = {                                      \
      sizeof(CalliopeCustomCall), symbol, platform, CALLIOPE_CUSTOM_CALL_FORM(function),           \
      (void (*)(void))(function), 0};                                                              \
  __attribute__((constructor)) static void calliope_custom_call_add_##number(void) {               \
    calliope_custom_call_add(&calliope_custom_call_##number);                                      \
  }                                                                                                \
  struct calliope_custom_call_end_##number

#endif

#define CALLIOPE_CUSTOM_CALL_REGISTER_NUMBER(symbol, function, platform, number) \
  CALLIOPE_CUSTOM_CALL_REGISTER_AT(symbol, function, platform, number)

// XLA_REGISTER_CUSTOM_CALL_TARGET registers a function for the custom calls of its name, at the level
// of a file. The platform is "Host" for the signatures with out and in, and "CUDA" or "ROCM" for
// those with buffers. XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM gives another name. A line registers one
// function.
#define XLA_REGISTER_CUSTOM_CALL_TARGET(function, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, platform)
#define XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function, platform) \
  CALLIOPE_CUSTOM_CALL_REGISTER_NUMBER(symbol, function, platform, __LINE__)

// The same for the platform "Host".
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function) XLA_REGISTER_CUSTOM_CALL_TARGET(function, "Host")
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function, "Host")

#endif
