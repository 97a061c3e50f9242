package bridge

import (
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// Inputs returns the shapes of the module's parameters on one device, in the order in which
// [Executable.Run] takes the inputs, without runtime tokens. In a sharded module, the shape is
// that of one device's part. A parameter that is not an array of known dimensions has the zero
// Shape. The result is nil if the plugin does not report the parameters; then Run does not
// check its inputs. The caller may change the result.
func (e *Executable) Inputs() []tensor.Shape {
	e.given("Inputs")
	if !e.known {
		return nil
	}
	shapes := make([]tensor.Shape, len(e.params))
	for i, s := range e.params {
		shapes[i] = s.Clone()
	}
	return shapes
}

// Outputs returns the shapes of the module's results on one device, in the order in which
// [Executable.Run] returns the outputs, without runtime tokens. In a sharded module, the shape
// is that of one device's part. The result is nil if the plugin does not report them, or if one
// of them is not an array of known dimensions. The caller may change the result.
func (e *Executable) Outputs() []tensor.Shape {
	e.given("Outputs")
	if e.results == nil {
		return nil
	}
	shapes := make([]tensor.Shape, len(e.results))
	for i, r := range e.results {
		shapes[i] = r.Shape.Clone()
	}
	return shapes
}

// An InputError reports an input of a run whose element type or dimensions are not those of
// the module's parameter.
type InputError struct {
	Index int          // of the input, among those of all devices
	Want  tensor.Shape // of the parameter, on one device
	Got   tensor.Shape // of the input

	devices int // of the run
}

func (e *InputError) Error() string {
	return fmt.Sprintf("bridge: run: input %d: the module's parameter is %s%s, but the input is %s", e.Index, e.Want, forEach(e.devices), e.Got)
}

// An InputCountError reports a run with another number of inputs than the module has
// parameters.
type InputCountError struct {
	Want    int // number of parameters, on one device; -1 if it is unknown
	Got     int // number of inputs, for all devices
	Devices int // number of devices of the run
}

func (e *InputCountError) Error() string {
	devices := max(1, e.Devices)
	if e.Got%devices != 0 {
		return fmt.Sprintf("bridge: run: %d inputs cannot be divided among %d devices; give all parameters for each device", e.Got, devices)
	}
	return fmt.Sprintf("bridge: run: the module has %d parameters, but %d inputs are given%s", e.Want, e.Got/devices, forEach(devices))
}

func forEach(devices int) string {
	if devices <= 1 {
		return ""
	}
	return " on each device"
}
