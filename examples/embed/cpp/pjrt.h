// Compiles and runs a module of one array through a PJRT plugin: what host.cc needs, and no more.

#ifndef HOST_PJRT_H
#define HOST_PJRT_H

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "../../../internal/run/pjrt/pjrt_abi.h"
}

class Pjrt {
 public:
  explicit Pjrt(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) die(dlerror());
    api_ = reinterpret_cast<const pjrt_api* (*)()>(dlsym(library, "GetPjrtApi"))();
    pjrt_client_create_args create{};
    create.struct_size = sizeof create;
    must(call(PJRT_FN_CLIENT_CREATE, &create));
    client_ = create.client;
    pjrt_devices_args devices{};
    devices.struct_size = sizeof devices;
    devices.client = client_;
    must(call(PJRT_FN_ADDRESSABLE_DEVICES, &devices));
    device_ = devices.devices[0];
  }

  ~Pjrt() {
    destroy(PJRT_FN_LOADED_EXECUTABLE_DESTROY, executable_);
    destroy(PJRT_FN_CLIENT_DESTROY, client_);
  }
  Pjrt(const Pjrt&) = delete;
  Pjrt& operator=(const Pjrt&) = delete;

  const struct PJRT_Api* api() const { return reinterpret_cast<const struct PJRT_Api*>(api_); }

  void compile(const std::string& text) {
    static const char format[] = "mlir";
    static const char one_device[] = "\x1a\x04\x20\x01\x28\x01";  // num_replicas and num_partitions are 1
    pjrt_program program{};
    program.struct_size = sizeof program;
    program.code = const_cast<char*>(text.data());
    program.code_size = text.size();
    program.format = format;
    program.format_size = sizeof format - 1;
    pjrt_compile_args args{};
    args.struct_size = sizeof args;
    args.client = client_;
    args.program = &program;
    args.options = one_device;
    args.options_size = sizeof one_device - 1;
    must(call(PJRT_FN_COMPILE, &args));
    destroy(PJRT_FN_LOADED_EXECUTABLE_DESTROY, executable_);
    executable_ = args.executable;
  }

  std::vector<float> run(std::vector<float> input) {
    std::string error;
    std::vector<float> result = execute(input, &error);
    if (!error.empty()) die(error.c_str());
    return result;
  }

  std::string error_of_run(std::vector<float> input) {
    std::string error;
    execute(input, &error);
    return error;
  }

 private:
  std::vector<float> execute(const std::vector<float>& input, std::string* error) {
    int64_t dims[] = {static_cast<int64_t>(input.size())};
    pjrt_from_host_args from{};
    from.struct_size = sizeof from;
    from.client = client_;
    from.data = input.data();
    from.type = 11;  // PJRT_Buffer_Type_F32
    from.dims = dims;
    from.num_dims = 1;
    from.device = device_;
    must(call(PJRT_FN_BUFFER_FROM_HOST, &from));
    wait(from.done, nullptr);

    pjrt_execute_options options{};
    options.struct_size = sizeof options;
    pjrt_buffer* arguments[] = {from.buffer};
    pjrt_buffer** argument_list[] = {arguments};
    pjrt_buffer* results[] = {nullptr};
    pjrt_buffer** result_list[] = {results};
    pjrt_event* events[] = {nullptr};
    pjrt_execute_args args{};
    args.struct_size = sizeof args;
    args.executable = executable_;
    args.options = &options;
    args.argument_lists = argument_list;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = result_list;
    args.complete_events = events;
    *error = text(call(PJRT_FN_EXECUTE, &args));
    if (error->empty()) wait(events[0], error);
    std::vector<float> output;
    if (error->empty()) output = to_host(results[0], input.size(), error);
    destroy(PJRT_FN_BUFFER_DESTROY, results[0]);
    destroy(PJRT_FN_BUFFER_DESTROY, from.buffer);
    return output;
  }

  std::vector<float> to_host(pjrt_buffer* buffer, std::size_t size, std::string* error) {
    std::vector<float> output(size);
    pjrt_to_host_args to{};
    to.struct_size = sizeof to;
    to.buffer = buffer;
    to.dst = output.data();
    to.dst_size = output.size() * sizeof(float);
    must(call(PJRT_FN_BUFFER_TO_HOST, &to));
    wait(to.event, error);
    return output;
  }

  // Destroys a buffer, an executable or a client, each by its own function, or nothing.
  void destroy(int function, void* object) const {
    if (object == nullptr) return;
    struct {
      std::size_t struct_size;
      pjrt_extension* extensions;
      void* object;
    } args{sizeof args, nullptr, object};
    must(call(function, &args));
  }

  pjrt_error* call(int function, void* args) const { return CALL(api_, function, args); }

  // Waits for an event. Its error ends the program if error is NULL.
  void wait(pjrt_event* event, std::string* error) {
    pjrt_event_args args{};
    args.struct_size = sizeof args;
    args.event = event;
    pjrt_error* failed = call(PJRT_FN_EVENT_AWAIT, &args);
    if (error == nullptr) {
      must(failed);
    } else {
      *error = text(failed);
    }
    must(call(PJRT_FN_EVENT_DESTROY, &args));
  }

  std::string text(pjrt_error* error) const {
    if (error == nullptr) return "";
    pjrt_error_message_args message{};
    message.struct_size = sizeof message;
    message.error = error;
    reinterpret_cast<void (*)(void*)>(api_->functions[PJRT_FN_ERROR_MESSAGE])(&message);
    std::string text(message.message, message.message_size);
    pjrt_error_destroy_args destroy{};
    destroy.struct_size = sizeof destroy;
    destroy.error = error;
    reinterpret_cast<void (*)(void*)>(api_->functions[PJRT_FN_ERROR_DESTROY])(&destroy);
    return text;
  }

  void must(pjrt_error* error) const {
    if (error != nullptr) die(text(error).c_str());
  }

  [[noreturn]] static void die(const char* why) {
    std::fprintf(stderr, "PJRT: %s\n", why);
    std::exit(1);
  }

  const pjrt_api* api_;
  void* client_;
  void* device_;
  void* executable_ = nullptr;
};

#endif
