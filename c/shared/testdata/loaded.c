// Loads the library by dlopen, as hosts in other languages do, and looks at the signals and at dlclose.
//
//	loaded close LIBRARY
//	loaded before LIBRARY    handlers are installed before the library is loaded
//	loaded after LIBRARY     handlers are installed after the library is loaded

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

// The functions that fake.h calls are found when the library is loaded.
#include <calliope.h>
static calliope_status (*get_handler)(const char*, int32_t, calliope_handler*);
static const char* (*error_message)(void);
#define calliope_get_handler get_handler
#define calliope_error_message error_message
#include "fake.h"

static void* library;
static calliope_status (*do_register)(const char*, calliope_function, void*, const calliope_options*);
static calliope_status (*do_unregister)(const char*, const char*);

static void* symbol(const char* name) {
  void* p = dlsym(library, name);
  if (p == NULL) exit(3);
  return p;
}

static void load(const char* path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  get_handler = (calliope_status(*)(const char*, int32_t, calliope_handler*))symbol("calliope_get_handler");
  error_message = (const char* (*)(void))symbol("calliope_error_message");
  do_register =
      (calliope_status(*)(const char*, calliope_function, void*, const calliope_options*))symbol("calliope_register");
  do_unregister = (calliope_status(*)(const char*, const char*))symbol("calliope_unregister");
}

static volatile sig_atomic_t counts[65];
static __thread sigjmp_buf escape;
static __thread volatile sig_atomic_t escaping;

static void handle(int signal, siginfo_t* info, void* context) {
  (void)info, (void)context;
  counts[signal]++;
  if (escaping) siglongjmp(escape, 1);
  if (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE) _exit(4);
}

// Not SIGURG, with which Go interrupts its threads.
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPROF, SIGCHLD, SIGPIPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void install(void) {
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    if (sigaction(signals[i], &action, NULL) != 0) exit(5);
  }
}

// Reads from an address, and returns whether the handler was called.
static int fault(volatile int* at) {
  int before = counts[SIGSEGV];
  if (sigsetjmp(escape, 1) == 0) {
    escaping = 1;
    (void)*at;
  }
  escaping = 0;
  return counts[SIGSEGV] - before;
}

static int in_call;

static calliope_status faulting(void* user_data, calliope_call* call) {
  (void)call;
  // Twice, at NULL as in a check for null of a language's runtime, and elsewhere.
  in_call = fault(user_data) + fault((volatile int*)0xdead0000);
  return CALLIOPE_OK;
}

// A callback that takes long: it waits for 3 ticks of the profiler and 3 of SIGUSR1.
static calliope_status busy(void* user_data, calliope_call* call) {
  (void)user_data, (void)call;
  int ticks = counts[SIGPROF], users = counts[SIGUSR1];
  while (counts[SIGPROF] < ticks + 3 || counts[SIGUSR1] < users + 3) {
    if (counts[SIGUSR1] < users + 3) kill(getpid(), SIGUSR1);
  }
  return CALLIOPE_OK;
}

static calliope_status nothing(void* user_data, calliope_call* call) {
  (void)user_data, (void)call;
  return CALLIOPE_OK;
}

static void call(const char* name, calliope_function function, int32_t dispatch) {
  calliope_options o = {.struct_size = sizeof o, .dispatch = dispatch};
  must(do_register(name, function, NULL, &o));
  fake_site site;
  char* text = fake_bind(&site, CALLIOPE_FORM_CALL, name);
  if (text != NULL) fake_show(name, text);
  float x = 1, y = 1;
  fake_show(name, fake_call(&site, 1, &x, &y, 1));
  fake_free(&site);
  must(do_unregister(NULL, name));
}

static void* on_thread(void* unused) {
  printf("faults on another thread: %d\n", fault(unused));
  call("faulting", faulting, CALLIOPE_INLINE);
  printf("faults in a call on it: %d\n", in_call);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  fake_open(5);
  if (strcmp(argv[1], "close") == 0) {
    for (int i = 0; i < 2; i++) {
      load(argv[2]);
      call("before dlclose", nothing, CALLIOPE_GOROUTINE);
      printf("dlclose: %d\n", dlclose(library));
      call("after dlclose", nothing, CALLIOPE_GOROUTINE);
    }
    return 0;
  }
  int before = strcmp(argv[1], "before") == 0;
  if (before) install();
  load(argv[2]);
  if (!before) install();

  printf("faults: %d\n", fault(NULL));
  call("faulting", faulting, CALLIOPE_INLINE);
  printf("faults in a call: %d\n", in_call);
  call("faulting", faulting, CALLIOPE_GOROUTINE);
  printf("faults in a call on a thread of the library: %d\n", in_call);
  pthread_t thread;
  pthread_create(&thread, NULL, on_thread, NULL);
  pthread_join(thread, NULL);

  struct itimerval each = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &each, NULL);
  call("busy", busy, CALLIOPE_INLINE);
  call("busy on a thread of the library", busy, CALLIOPE_GOROUTINE);
  setitimer(ITIMER_PROF, &never, NULL);

  for (int i = 3; i < SIGNALS; i++) {
    int had = counts[signals[i]];
    kill(getpid(), signals[i]);
    while (counts[signals[i]] == had) sched_yield();
  }
  printf("each signal reaches its handler\n");
  // A write to a closed pipe.
  int ends[2], had = counts[SIGPIPE];
  if (pipe(ends) != 0) return 6;
  close(ends[0]);
  errno = 0;
  int failed = write(ends[1], "x", 1) == -1 && errno == EPIPE;
  printf("a closed pipe: %d %d\n", failed, counts[SIGPIPE] > had);

  // Without a handler a signal has its default: the process ends.
  signal(SIGTERM, SIG_DFL);
  kill(getpid(), SIGTERM);
  pause();
  return 7;
}
