#ifndef CALLIOPE_LEGACY_CRASH_H
#define CALLIOPE_LEGACY_CRASH_H

// Between these two, a crash on this thread is reported on stderr with the name of what crashed, before the
// process ends as it otherwise does. calliope_crash_begin returns what calliope_crash_end gets: the name of a call
// around this one, or NULL.
const char* calliope_crash_begin(const char* name);
void calliope_crash_end(const char* outer);

#endif
