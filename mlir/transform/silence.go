package transform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A SilenceableError is the error of an [Op] that a script may go on after: transform.alternatives applies its
// next region to what it began with, and transform.sequence with failures(suppress) ends without an error. The
// operation must have left the module valid, and should not have changed it. Without a script that goes on,
// Apply returns the error.
type SilenceableError struct{ Err error }

func (e *SilenceableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SilenceableError) Unwrap() error { return e.Err }

// isSilenceable reports whether a script may go on after an error. It may not after a panic.
func isSilenceable(err error) bool {
	var s *SilenceableError
	var p *mlir.PanicError
	return errors.As(err, &s) && !errors.As(err, &p)
}

// silenceable is a failure that a script may have gone on after.
type silenceable struct {
	operation string
	at        mlir.Position
	err       error
}

// modelFailed is the diagnostic of the library for such a failure after which the script did not go on.
const modelFailed = "TransformOpInterfaceFallbackModel: silenceable failure"

// failure returns the error of a run that the library ended.
func (r *run) failure(failure *mlir.DiagnosticError) error {
	diagnostics := failure.Diagnostics
	if len(r.silenceable) > 0 { // the library reports each once more, without a message
		diagnostics = slices.DeleteFunc(diagnostics, func(d mlir.Diagnostic) bool { return d.Message == "" })
	}
	if n := len(diagnostics); n > 0 {
		last := &diagnostics[n-1]
		for _, s := range slices.Backward(r.silenceable) {
			if last.Message == modelFailed && s.at == last.Position {
				return fmt.Errorf("transform: %s: %w", s.operation, s.err)
			}
		}
		for _, s := range r.silenceable {
			message := fmt.Sprintf("the script went on after %s: %v", s.operation, s.err)
			last.Notes = append(last.Notes,
				mlir.Diagnostic{Severity: mlir.SeverityNote, Position: s.at, Message: message})
		}
	}
	failure.Diagnostics = diagnostics
	return failure
}
