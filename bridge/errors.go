package bridge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/pjrt"
)

// PluginError is an error of the PJRT plugin.
type PluginError struct {
	Code    int    // absl status code, 1 to 16
	Op      string // what was being done
	Message string
	cause   error // the Go error that the plugin passed on, if it was one
}

func (e *PluginError) Error() string {
	name := strconv.Itoa(e.Code)
	if e.Code > 0 && e.Code < len(codeNames) {
		name = codeNames[e.Code]
	}
	return fmt.Sprintf("bridge: %s: %s (%s)", e.Op, e.Message, name)
}

// Unwrap is the error that Go code gave to the plugin, such as a
// callbacks.UnknownError when a module was compiled, or nil.
func (e *PluginError) Unwrap() error { return e.cause }

// PlatformError is a client of a platform from which Go cannot be called.
type PlatformError struct{ Platform string }

func (e *PlatformError) Error() string {
	return fmt.Sprintf("bridge: the plugin's platform is %q, and compiled code can call Go on cpu only: open a CPU plugin for modules with callbacks, and keep those without for %q", e.Platform, e.Platform)
}

var codeNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
	"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

const (
	codeCancelled       = 1
	codeInvalidArgument = 3
	codeDeadline        = 4
	codeNotFound        = 5
	codeInternal        = 13
)

// pluginError makes a PluginError of an error that the plugin returned. Another error is
// wrapped.
func pluginError(op string, err error) error {
	failed, ok := errors.AsType[*pjrt.Error](err)
	if !ok {
		return fmt.Errorf("bridge: %s: %w", op, err)
	}
	e := &PluginError{Code: failed.Code, Op: op}
	e.Message, e.cause = passing.take(failed.Message)
	return e
}

// passing holds the Go errors that are on their way through XLA, which carries
// text alone: the text has a key to the error. Only compiling needs this; a run
// keeps its error itself.
var passing = passingErrors{errors: map[int64]error{}}

type passingErrors struct {
	mu     sync.Mutex
	last   int64
	errors map[int64]error
}

const (
	passingMark  = " [calliope error "
	passingLimit = 256 // a compile that fails twice takes only one error away
)

func (p *passingErrors) give(err error) (message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	p.errors[p.last] = err
	delete(p.errors, p.last-passingLimit)
	return err.Error() + passingMark + strconv.FormatInt(p.last, 10) + "]"
}

// take is the message without its key, and the error that the key is of.
func (p *passingErrors) take(message string) (string, error) {
	before, rest, found := strings.Cut(message, passingMark)
	digits, after, cut := strings.Cut(rest, "]")
	key, bad := strconv.ParseInt(digits, 10, 64)
	if !found || !cut || bad != nil {
		return message, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.errors[key]
	delete(p.errors, key)
	return before + after, err
}
