#include "plugin.h"

#ifndef _WIN32

#include <pthread.h>
#include <signal.h>

// A host may have a Go runtime of its own, which interrupts its goroutines by SIGURG, as that of the plugin does. The
// one that starts last takes the signal's handler. Here both get the signal: a runtime ignores one that is not for it.

static struct sigaction hosts, ours;

// Before Go's runtime starts, whose constructor has no number.
__attribute__((constructor(101))) static void note_handler(void) { sigaction(SIGURG, NULL, &hosts); }

static void on_signal(int number, siginfo_t *info, void *context) {
  ours.sa_sigaction(number, info, context);
  if (hosts.sa_flags & SA_SIGINFO) {
    hosts.sa_sigaction(number, info, context);
  } else {
    hosts.sa_handler(number);
  }
}

static void share(void) {
  if (!(hosts.sa_flags & SA_SIGINFO) && (hosts.sa_handler == SIG_DFL || hosts.sa_handler == SIG_IGN)) return;
  sigaction(SIGURG, NULL, &ours);
  if (ours.sa_sigaction == hosts.sa_sigaction) return;
  struct sigaction both = ours;
  both.sa_sigaction = on_signal;
  sigaction(SIGURG, &both, NULL);
}

void calliope_share_signal(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, share);
}

#else

void calliope_share_signal(void) {}

#endif
