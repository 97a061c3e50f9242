// Handlers of XLA's typed FFI, as users of jax.ffi write them, by the headers of jaxlib.

#include <complex>
#include <cstdint>
#include <memory>
#include <string_view>

#include "xla/ffi/api/c_api.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// scale multiplies by an attribute.
static ffi::Error ScaleImpl(float factor, std::string_view note, ffi::Span<const int64_t> list,
                            ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  if (note != "a note" || list.size() != 2 || list[1] != 7) return ffi::Error::InvalidArgument("the attributes are wrong");
  if (factor < 0) return ffi::Error(ffi::ErrorCode::kOutOfRange, "the factor is negative");
  for (size_t i = 0; i < x.element_count(); i++) y->typed_data()[i] = factor * x.typed_data()[i];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(Scale, ScaleImpl,
                              ffi::Ffi::Bind()
                                  .Attr<float>("factor")
                                  .Attr<std::string_view>("note")
                                  .Attr<ffi::Span<const int64_t>>("list")
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

// count has a state: how often a call site was called.
struct Counter {
  static ffi::TypeId id;
  int64_t start, calls = 0;
};
ffi::TypeId Counter::id = {};

static ffi::ErrorOr<std::unique_ptr<Counter>> NewCounter(int64_t start) {
  return std::make_unique<Counter>(Counter{start});
}

static ffi::Error CountImpl(Counter* counter, ffi::ResultBuffer<ffi::S32> y) {
  y->typed_data()[0] = counter->start + counter->calls++;
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(CountInstantiate, NewCounter, ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Count, CountImpl,
                              ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S32>>());

static ffi::TypeInfo counter_info = ffi::MakeTypeInfo<Counter>();
extern "C" void* CounterTypeId() { return &Counter::id; }
extern "C" void* CounterTypeInfo() { return &counter_info; }
