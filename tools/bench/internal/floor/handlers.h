#ifndef CALLIOPE_FLOOR_HANDLERS_H
#define CALLIOPE_FLOOR_HANDLERS_H

// Handlers written in C that do what each way of dispatch does at least. They take calls
// of one f32 array, which the results alias in the passthrough form.
enum {
  // Passthrough: on XLA's thread; any arrays.
  CALLIOPE_FLOOR_PASSTHROUGH,
  // Passthrough: a second, kept thread sees the call while XLA's waits.
  CALLIOPE_FLOOR_THREAD_FUTEX,
  CALLIOPE_FLOOR_THREAD_FUTEX_SPIN,
  CALLIOPE_FLOOR_THREAD_COND,
  CALLIOPE_FLOOR_THREAD_COND_SPIN,
  // Passthrough: XLA's thread goes on, and another, kept one finishes the future.
  CALLIOPE_FLOOR_DEFERRED,
  CALLIOPE_FLOOR_DEFERRED_SPIN,
  // Observe: a copy of up to 4 KiB goes into a queue, which another thread empties.
  CALLIOPE_FLOOR_QUEUE,
  CALLIOPE_FLOOR_QUEUE_SPIN,
  // Observe: the operand is copied into kept memory.
  CALLIOPE_FLOOR_COPY,
  // Passthrough: the operand is copied into kept memory and back.
  CALLIOPE_FLOOR_COPIES,
  CALLIOPE_FLOORS,
};

// Takes a plugin's FFI table (XLA_FFI_Api), once in a process. Returns NULL or a malloc'ed
// text.
char* calliope_floor_init(const void* ffi);

// Registers a floor under a target name. Returns NULL or a malloc'ed text.
char* calliope_floor_register(const char* target, int floor);

#endif
