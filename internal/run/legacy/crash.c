#include "crash.h"

static _Thread_local const char* current;

#ifdef _WIN32

const char* calliope_crash_begin(const char* name) { return (void)name, current; }
void calliope_crash_end(const char* outer) { current = outer; }

#else

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { n_crashes = sizeof crashes / sizeof *crashes };

static struct sigaction before[n_crashes];  // the handlers of Go, or of another host

static char* add(char* to, const char* text) {
  while (*text) *to++ = *text++;
  return to;
}

static char* number(char* to, uintptr_t n, unsigned base) {
  char digits[24];
  int k = 0;
  do digits[k++] = "0123456789abcdef"[n % base];
  while (n /= base);
  while (k > 0) *to++ = digits[--k];
  return to;
}

// say writes a text. If that fails, there is nowhere else to write to.
static void say(const char* text, size_t n) {
  ssize_t written = write(STDERR_FILENO, text, n);
  (void)written;
}

static void report(int sig, const siginfo_t* info) {
  char text[128];
  say("calliope: ", 10);
  say(current, strlen(current));
  char* end = number(add(text, " crashed with signal "), (uintptr_t)sig, 10);
  if (sig != SIGABRT) end = number(add(end, " at the address 0x"), (uintptr_t)info->si_addr, 16);
  say(text, (size_t)(end - text));
  static const char advice[] =
      ", so the process ends: check that it stays within its arrays; CALLIOPE_DEBUG=1 finds what writes beyond them\n";
  say(advice, sizeof advice - 1);
}

static void on_crash(int sig, siginfo_t* info, void* context) {
  if (current != NULL) report(sig, info);
  current = NULL;
  int i = 0;
  while (crashes[i] != sig) i++;
  if (before[i].sa_flags & SA_SIGINFO) {
    before[i].sa_sigaction(sig, info, context);
  } else if (before[i].sa_handler == SIG_DFL) {
    signal(sig, SIG_DFL);  // it happens again when this returns
  } else if (before[i].sa_handler != SIG_IGN) {
    before[i].sa_handler(sig);
  }
}

static void install(void) {
  for (int i = 0; i < n_crashes; i++) {
    sigaction(crashes[i], NULL, &before[i]);
    struct sigaction action = before[i];
    action.sa_sigaction = on_crash;
    action.sa_flags = (before[i].sa_flags | SA_SIGINFO | SA_ONSTACK) & ~(int)SA_RESETHAND;
    sigaction(crashes[i], &action, NULL);
  }
}

const char* calliope_crash_begin(const char* name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  const char* outer = current;
  current = name;
  return outer;
}

void calliope_crash_end(const char* outer) { current = outer; }

#endif
