// calliope.hpp has what a program in C++ would write around calliope.h: callbacks that are closures, whose
// exceptions become errors of the run, views of their arrays, and owners of what has to be freed. All other
// functions are those of calliope.h, with calliope::check around them.
//
// It needs C++17 with exceptions, and nothing but calliope.h and the standard library.

#ifndef CALLIOPE_HPP
#define CALLIOPE_HPP

#include <calliope.h>

#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace calliope {

// An Error is a status other than CALLIOPE_OK, with its message.
class Error : public std::runtime_error {
 public:
  Error(calliope_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  calliope_status status() const noexcept { return status_; }

 private:
  calliope_status status_;
};

// check throws the Error of a function of the library, if it failed.
inline void check(calliope_status status) {
  if (status != CALLIOPE_OK) throw Error(status, calliope_error_message());
}

struct Free {
  void operator()(void* memory) const noexcept { calliope_free(memory); }
};

// Memory owns what a function of the library returned for calliope_free.
using Memory = std::unique_ptr<char, Free>;

// A Span is a view of elements that belong to somebody else.
template <class T>
class Span {
 public:
  Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  T* begin() const noexcept { return data_; }
  T* end() const noexcept { return data_ + size_; }
  T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T* data_;
  std::size_t size_;
};

// dtype_of<T> is the element type whose elements are a T. Arrays of others are read by their bytes.
template <class T>
inline constexpr calliope_dtype dtype_of = calliope_dtype{};
template <> inline constexpr calliope_dtype dtype_of<bool> = CALLIOPE_PRED;
template <> inline constexpr calliope_dtype dtype_of<std::int8_t> = CALLIOPE_S8;
template <> inline constexpr calliope_dtype dtype_of<std::int16_t> = CALLIOPE_S16;
template <> inline constexpr calliope_dtype dtype_of<std::int32_t> = CALLIOPE_S32;
template <> inline constexpr calliope_dtype dtype_of<std::int64_t> = CALLIOPE_S64;
template <> inline constexpr calliope_dtype dtype_of<std::uint8_t> = CALLIOPE_U8;
template <> inline constexpr calliope_dtype dtype_of<std::uint16_t> = CALLIOPE_U16;
template <> inline constexpr calliope_dtype dtype_of<std::uint32_t> = CALLIOPE_U32;
template <> inline constexpr calliope_dtype dtype_of<std::uint64_t> = CALLIOPE_U64;
template <> inline constexpr calliope_dtype dtype_of<float> = CALLIOPE_F32;
template <> inline constexpr calliope_dtype dtype_of<double> = CALLIOPE_F64;
template <> inline constexpr calliope_dtype dtype_of<std::complex<float>> = CALLIOPE_C64;
template <> inline constexpr calliope_dtype dtype_of<std::complex<double>> = CALLIOPE_C128;

// A Call is a call of a callback. It and its arrays are valid until the function returns.
class Call {
 public:
  explicit Call(calliope_call* call) noexcept : call_(call) {}
  const char* name() const noexcept { return call_->name; }
  std::int64_t run_id() const noexcept { return call_->run_id; }
  std::int32_t device() const noexcept { return call_->device; }

  // The operands and the results, with their types and dimensions.
  Span<const calliope_array> args() const noexcept { return {call_->args, call_->num_args}; }
  Span<const calliope_array> results() const noexcept { return {call_->results, call_->num_results}; }

  // The elements of an operand or a result, which must be of the type T.
  template <class T>
  Span<const T> arg(std::size_t i) const {
    return elements<const T>("operand", args(), i);
  }
  template <class T>
  Span<T> result(std::size_t i) const {
    return elements<T>("result", results(), i);
  }

  // Whether nobody waits for the call any more: see calliope_stopped.
  bool stopped() const noexcept { return calliope_stopped(call_) != 0; }

 private:
  template <class T>
  static Span<T> elements(const char* what, Span<const calliope_array> arrays, std::size_t i) {
    constexpr calliope_dtype want = dtype_of<std::remove_const_t<T>>;
    static_assert(want != calliope_dtype{}, "no element type has elements of this type: read args() or results()");
    if (i < arrays.size() && arrays[i].dtype == want) {
      return {static_cast<T*>(arrays[i].data), arrays[i].size / sizeof(T)};
    }
    const std::string name = what + (" " + std::to_string(i));
    throw Error(CALLIOPE_INVALID_ARGUMENT,
                i >= arrays.size() ? "there is no " + name + ": the call has " + std::to_string(arrays.size())
                                   : name + " has the element type " + std::to_string(arrays[i].dtype) +
                                         ", and is read as " + std::to_string(want));
  }

  calliope_call* call_;
};

// A Function is called as a calliope_function is. An exception fails the call, with its text.
using Function = std::function<void(const Call&)>;

// A Type is the type of an operand or a result in a template.
struct Type {
  calliope_dtype dtype;
  std::vector<std::int64_t> dims;
};

// Options are those of calliope_options. A callback with types has a template.
struct Options {
  std::string registry;
  calliope_dispatch dispatch = CALLIOPE_INLINE;
  bool fail_run = false;
  bool keep_errors = false;
  std::chrono::nanoseconds timeout{0};
  std::int64_t per_second = 0;
  bool measure = false;
  bool has_template = false;
  std::vector<Type> args, results;
};

// A Callback is a function that is registered. Its destructor unregisters it, and waits for its calls that run, so that
// what the function refers to may be destroyed then. The function is destroyed after its last call, on any thread. In a
// call of the function itself the destructor does not wait: that call goes on. Two functions, or a function and a lock
// that it waits for, must not wait for each other.
class Callback {
 public:
  // Registers a function with a name, or with an id if the name is empty.
  Callback(std::string name, Function function, const Options& options = {})
      : registry_(options.registry), name_(std::move(name)) {
    std::vector<calliope_type> args = types(options.args), results = types(options.results);
    calliope_options o{};
    o.struct_size = sizeof o;
    o.registry = registry_.c_str();
    o.dispatch = options.dispatch;
    o.fail_run = options.fail_run;
    o.keep_errors = options.keep_errors;
    o.timeout_ns = options.timeout.count();
    o.per_second = options.per_second;
    o.measure = options.measure;
    o.has_template = options.has_template;
    o.args = args.data(), o.num_args = args.size();
    o.results = results.data(), o.num_results = results.size();
    o.drop = drop;
    auto owned = std::make_unique<State>();
    owned->function = std::move(function);
    ended_ = owned->ended.get_future().share();
    check(name_.empty() ? calliope_register_id(invoke, owned.get(), &o, &id_)
                        : calliope_register(name_.c_str(), invoke, owned.get(), &o));
    state_ = owned.release();  // drop owns it now
  }
  ~Callback() { unregister(); }
  Callback(Callback&& from) noexcept { *this = std::move(from); }
  Callback& operator=(Callback&& from) noexcept {
    if (this == &from) return *this;
    unregister();
    registry_ = std::move(from.registry_), name_ = std::move(from.name_), id_ = from.id_;
    state_ = std::exchange(from.state_, nullptr), ended_ = std::move(from.ended_);
    return *this;
  }

  // The id, which modules call by, or 0 if the callback has a name.
  std::int64_t id() const noexcept { return id_; }

 private:
  struct State {
    Function function;
    std::promise<void> ended;  // there are no more calls
  };

  // Running are the calls on this thread, the last one first.
  struct Running {
    const State* state;
    const Running* outer;
  };
  static const Running*& running() noexcept {
    static thread_local const Running* list = nullptr;
    return list;
  }
  struct Enter : Running {
    explicit Enter(const State* state) noexcept : Running{state, running()} { running() = this; }
    ~Enter() { running() = this->outer; }
    Enter(const Enter&) = delete;
  };

  static void drop(void* data) {
    std::unique_ptr<State> state(static_cast<State*>(data));
    std::promise<void> ended = std::move(state->ended);
    state.reset();
    ended.set_value();
  }

  static calliope_status invoke(void* data, calliope_call* call) noexcept {
    const Enter enter(static_cast<State*>(data));
    const auto fail = [call](calliope_status status, const char* why) {
      calliope_fail(call, why, std::char_traits<char>::length(why));
      return status;
    };
    try {
      static_cast<State*>(data)->function(Call(call));
      return CALLIOPE_OK;
    } catch (const Error& e) {
      return fail(e.status(), e.what());
    } catch (const std::exception& e) {
      return fail(CALLIOPE_INTERNAL, e.what());
    } catch (...) {
      return fail(CALLIOPE_INTERNAL, "an exception that is no std::exception");
    }
  }

  static std::vector<calliope_type> types(const std::vector<Type>& from) {
    std::vector<calliope_type> list;
    for (const Type& t : from) list.push_back({t.dims.data(), static_cast<std::int32_t>(t.dims.size()), t.dtype});
    return list;
  }

  // An error is that the callback, or its registry, is gone already, or that the process was forked, where no call runs.
  void unregister() noexcept {
    const State* state = std::exchange(state_, nullptr);
    if (state == nullptr) return;
    const calliope_status status = name_.empty() ? calliope_unregister_id(registry_.c_str(), id_)
                                                 : calliope_unregister(registry_.c_str(), name_.c_str());
    for (const Running* r = running(); r != nullptr; r = r->outer) {
      if (r->state == state) return;  // it would wait for itself
    }
    if (status == CALLIOPE_OK || status == CALLIOPE_NOT_FOUND) ended_.wait();
  }

  std::string registry_, name_;
  std::int64_t id_ = 0;
  const State* state_ = nullptr;  // only compared: drop may have ended it
  std::shared_future<void> ended_;
};

// A Registry is a registry of callbacks with a name. Its destructor closes it.
class Registry {
 public:
  explicit Registry(std::string name, calliope_registry_options options = {}) : name_(std::move(name)) {
    options.struct_size = sizeof options;
    check(calliope_registry_open(name_.c_str(), &options));
  }
  ~Registry() {
    if (!name_.empty()) calliope_registry_close(name_.c_str());
  }
  Registry(Registry&& from) noexcept : name_(std::exchange(from.name_, {})) {}
  Registry& operator=(Registry&& from) noexcept {
    std::swap(name_, from.name_);
    return *this;
  }
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

}  // namespace calliope

#endif
