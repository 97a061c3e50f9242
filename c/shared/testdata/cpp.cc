// Callbacks by calliope.hpp: closures, what they throw, and who owns what.

#include <calliope.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <thread>

extern "C" char* fake_once(const char* form, const char* registry, const char* callback, int64_t id, float* x, float* y,
                           int64_t n);

namespace {

// Calls a callback, and shows what comes of it.
void call(const char* what, const char* callback, int64_t id = 0, const char* registry = "") {
  float x[] = {1, 2, 3, 4}, y[4] = {};
  char* error = fake_once(CALLIOPE_FORM_CALL, registry, callback, id, x, y, 4);
  std::printf("%s: %s", what, error == nullptr ? "" : error);
  if (error == nullptr) std::printf("%g %g %g %g", y[0], y[1], y[2], y[3]);
  std::printf("\n");
  std::free(error);
}

template <class F>
void refused(const char* what, F f) {
  try {
    f();
    std::printf("%s: not refused\n", what);
  } catch (const calliope::Error& e) {
    std::printf("%s: %d: %s\n", what, e.status(), e.what());
  }
}

static_assert(!std::is_copy_constructible_v<calliope::Callback> && std::is_nothrow_move_constructible_v<calliope::Callback>);
static_assert(!std::is_copy_constructible_v<calliope::Registry> && std::is_nothrow_move_assignable_v<calliope::Registry>);

}  // namespace

int main() {
  auto alive = std::make_shared<float>(10.0f);
  const auto scale = [alive](const calliope::Call& c) {
    calliope::Span<float> y = c.result<float>(0);
    std::size_t i = 0;
    for (float x : c.arg<float>(0)) y[i++] = *alive * x;
  };
  std::optional<calliope::Callback> named(std::in_place, "scale", scale);
  call("a closure", "scale");
  std::printf("closures: %ld\n", alive.use_count() - 2);  // but for alive and scale
  refused("a name that is taken", [&] { calliope::Callback again("scale", scale); });
  std::printf("closures: %ld\n", alive.use_count() - 2);
  calliope::Callback moved = std::move(*named);
  named.reset();
  call("moved", "scale");
  moved = calliope::Callback("other", scale);
  call("assigned: the old one", "scale");
  call("assigned: the new one", "other");
  {
    calliope::Callback by_id("", scale);
    call("by id", nullptr, by_id.id());
  }
  std::printf("closures: %ld\n", alive.use_count() - 2);

  {
    calliope::Callback f("f", [](const calliope::Call&) { throw std::runtime_error("no such thing"); });
    call("std::exception", "f");
  }
  {
    calliope::Callback f("f", [](const calliope::Call&) { throw 7; });
    call("another exception", "f");
  }
  {
    calliope::Callback f("f", [](const calliope::Call& c) { c.arg<double>(0); });
    call("another type", "f");
  }
  {
    calliope::Callback f("f", [](const calliope::Call& c) { c.result<float>(1); });
    call("no such result", "f");
  }
  {
    calliope::Callback f("f", [](const calliope::Call&) { calliope::check(calliope_barrier(nullptr, 0)); });
    call("an error of the library", "f");
  }

  calliope::Options options;
  options.has_template = true;
  options.args = options.results = {{calliope::dtype_of<float>, {5}}};
  {
    calliope::Callback f("f", scale, options);
    call("a template", "f");
  }
  options = {};
  options.timeout = std::chrono::milliseconds(20);
  {
    calliope::Callback f("f", [](const calliope::Call& c) { while (!c.stopped()) std::this_thread::yield(); }, options);
    call("too slow", "f");
  }
  options = {};
  options.dispatch = static_cast<calliope_dispatch>(9);
  refused("no such dispatch", [&] { calliope::Callback f("f", scale, options); });

  options = {};
  options.registry = "r";
  refused("no registry", [&] { calliope::Callback f("f", scale, options); });
  {
    calliope::Registry registry("r");
    calliope::Callback f("f", scale, options);
    call("in a registry", "f", 0, "r");
    refused("the registry is there", [] { calliope::Registry again("r"); });
  }
  refused("the registry is closed", [&] { calliope::Callback f("f", scale, options); });

  {
    // The owner of a function is destroyed while a call of it runs, which its own memory must outlive.
    struct Owner {
      explicit Owner(std::promise<void>& started)
          : f("f", [this, &started](const calliope::Call& c) {
              started.set_value();
              std::this_thread::sleep_for(std::chrono::milliseconds(50));
              for (float& y : c.result<float>(0)) y = *number;
            }) {}
      std::unique_ptr<float> number = std::make_unique<float>(42.0f);
      calliope::Callback f;
    };
    std::promise<void> started;
    auto owner = std::make_unique<Owner>(started);
    std::thread caller([] { call("during the destructor", "f"); });
    started.get_future().wait();
    owner.reset();
    caller.join();
    call("after it", "f");
  }
  {
    std::optional<calliope::Callback> f;
    f.emplace("f", [&f](const calliope::Call& c) {
      f.reset();
      for (float& y : c.result<float>(0)) y = 7;
    });
    call("destroyed by itself", "f");
    call("after that", "f");
  }

  char* json = nullptr;
  calliope::check(calliope_stats(&json));
  calliope::Memory owned(json);
  std::printf("statistics: %c\n", *owned);
}
