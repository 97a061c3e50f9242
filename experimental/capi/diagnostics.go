package capi

/*
#include "buffer.h"
#include "lock.h"

typedef struct diagnostic {
  struct diagnostic* next;
  int severity;
  int depth; // 0 for a diagnostic, 1 for its notes, 2 for theirs
  MlirLocation location;
  text message; // as far as there was memory for it
} diagnostic;

typedef struct {
  const calliope_mlir_api* api;
  lock lock;
  diagnostic* first;
  diagnostic* last;
  MlirDiagnosticHandlerID id;
} sink;

static void sink_add(sink* s, MlirDiagnostic from, int depth) {
  diagnostic* d = calloc(1, sizeof *d);
  if (d == NULL) return;
  d->depth = depth;
  d->severity = (int)s->api->mlirDiagnosticGetSeverity(from);
  d->location = s->api->mlirDiagnosticGetLocation(from);
  s->api->mlirDiagnosticPrint(from, text_append, &d->message);
  if (s->last) s->last->next = d; else s->first = d;
  s->last = d;
  intptr_t notes = s->api->mlirDiagnosticGetNumNotes(from);
  for (intptr_t i = 0; i < notes; i++) sink_add(s, s->api->mlirDiagnosticGetNote(from, i), depth + 1);
}

// sink_handle adds a diagnostic. It returns success, so that MLIR does not print it.
static MlirLogicalResult sink_handle(MlirDiagnostic d, void* user) {
  sink* s = user;
  lock_acquire(&s->lock);
  sink_add(s, d, 0);
  lock_release(&s->lock);
  return (MlirLogicalResult){1};
}

static sink* sink_attach(const void* table, MlirContext ctx) {
  const calliope_mlir_api* api = table;
  sink* s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->api = api;
  lock_init(&s->lock);
  s->id = api->mlirContextAttachDiagnosticHandler(ctx, sink_handle, s, NULL);
  return s;
}

static diagnostic* sink_take(sink* s) {
  lock_acquire(&s->lock);
  diagnostic* first = s->first;
  s->first = s->last = NULL;
  lock_release(&s->lock);
  return first;
}

static diagnostic* diagnostic_free(diagnostic* d) {
  diagnostic* next = d->next;
  free(d->message.data);
  free(d);
  return next;
}

static void sink_detach(sink* s, MlirContext ctx) { s->api->mlirContextDetachDiagnosticHandler(ctx, s->id); }

static void sink_free(sink* s) {
  for (diagnostic* d = sink_take(s); d != NULL;) d = diagnostic_free(d);
  lock_destroy(&s->lock);
  free(s);
}
*/
import "C"

import "unsafe"

// A Diagnostic is a message of the library, or a note on the last one before it that has a
// smaller depth.
type Diagnostic struct {
	Severity MlirDiagnosticSeverity
	Depth    int
	Location MlirLocation
	Message  string
}

// A Sink collects the diagnostics of one context in C. None is printed, and emitting one
// does not call Go.
type Sink struct{ s *C.sink }

// AttachSink makes a context report to a new sink until it is destroyed.
func AttachSink(t *Table, ctx MlirContext) Sink {
	s := C.sink_attach(t.pointer(), *(*C.MlirContext)(unsafe.Pointer(&ctx)))
	if s == nil {
		panic("capi: out of memory while attaching a diagnostic handler")
	}
	return Sink{s}
}

// Take returns what was reported since the last Take.
func (k Sink) Take() []Diagnostic {
	var out []Diagnostic
	for d := C.sink_take(k.s); d != nil; d = C.diagnostic_free(d) {
		out = append(out, Diagnostic{
			Severity: MlirDiagnosticSeverity(d.severity),
			Depth:    int(d.depth),
			Location: *(*MlirLocation)(unsafe.Pointer(&d.location)),
			Message:  C.GoStringN(d.message.data, C.int(d.message.length)),
		})
	}
	return out
}

// Detach makes the context report to its earlier handlers again.
func (k Sink) Detach(ctx MlirContext) {
	C.sink_detach(k.s, *(*C.MlirContext)(unsafe.Pointer(&ctx)))
}

// Free releases the sink. Its context must have been destroyed, or the sink detached.
func (k Sink) Free() { C.sink_free(k.s) }
