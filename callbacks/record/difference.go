package record

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// A DifferenceError reports that a replayed run differs from the recording.
type DifferenceError struct {
	Call     int // number of the recorded call, from 0; -1 if there is none
	Callback string
	Device   int
	Text     string // the first difference
}

func (e *DifferenceError) Error() string {
	if e.Call < 0 {
		return fmt.Sprintf("record: a call of callback %q on device %d differs from the recording: %s", e.Callback,
			e.Device, e.Text)
	}
	return fmt.Sprintf("record: callback %q on device %d differs from call %d of the recording: %s", e.Callback,
		e.Device, e.Call, e.Text)
}

// A RecordedError stands for the error that a function returned when it was recorded.
type RecordedError struct {
	Callback string
	Text     string
}

func (e *RecordedError) Error() string {
	return fmt.Sprintf("record: callback %q failed when it was recorded: %s", e.Callback, e.Text)
}

// compare describes the first difference between a call and a recorded one.
func compare(f *callbacks.Frame, c *Call) string {
	for _, list := range []struct {
		what      string
		got, want []tensor.View
	}{{"argument", f.Args, c.Args}, {"id", f.IDs, c.IDs}} {
		if text := compareShapes(list.what, list.got, list.want); text != "" {
			return text
		}
		for i, got := range list.got {
			if text := compareData(got, list.want[i]); text != "" {
				return fmt.Sprintf("%s %d %s", list.what, i, text)
			}
		}
	}
	return "nothing" // not reached: it was found to differ
}

func compareShapes(what string, got, want []tensor.View) string {
	if len(got) != len(want) {
		return fmt.Sprintf("it has %d %ss, the recorded call has %d", len(got), what, len(want))
	}
	for i := range got {
		if !got[i].Shape.Equal(want[i].Shape) {
			return fmt.Sprintf("%s %d is %s, recorded as %s", what, i, got[i].Shape, want[i].Shape)
		}
	}
	return ""
}

// compareData describes the first element that differs. Both views have the same shape.
func compareData(got, want tensor.View) string {
	if bytes.Equal(got.Data, want.Data) {
		return ""
	}
	at := 0
	for got.Data[at] == want.Data[at] {
		at++
	}
	i := at / got.Shape.DType.Size()
	a, b := fmt.Sprint(got.At(i)), fmt.Sprint(want.At(i))
	if a == b { // NaNs, and both zeros
		size := got.Shape.DType.Size()
		a, b = fmt.Sprintf("%s (%x)", a, got.Data[i*size:(i+1)*size]),
			fmt.Sprintf("%s (%x)", b, want.Data[i*size:(i+1)*size])
	}
	return fmt.Sprintf("is %s at %s, recorded as %s", a, index(i, got.Shape.Dims), b)
}

// index returns the index of element i, such as [1,2].
func index(i int, dims []int) string {
	parts := make([]string, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		parts[d] = strconv.Itoa(i % dims[d])
		i /= dims[d]
	}
	return "[" + strings.Join(parts, ",") + "]"
}
