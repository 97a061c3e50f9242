package stages_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stages"
)

// A method that is called on a zero value or a nil pointer says so.
func TestZeroValues(t *testing.T) {
	check.Receivers(t, "stages: ",
		&stages.Callback{}, &stages.CutError{}, &stages.Device{}, &stages.Error{}, &stages.Options{}, &stages.Plan{},
		&stages.Executable{}, &stages.SavedError{}, &stages.Stage{})
	check.Panics(t, "stages: Executable.Call called on a zero value: get one from Compile or Plan.Compile",
		func() { _, _ = new(stages.Executable).Call(t.Context()) })
}
