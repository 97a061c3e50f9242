package ffi

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/run/pjrt/pjrttest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// openFake opens the FFI of a variant of the fake plugin.
func openFake(t *testing.T, variant int) (*Registry, error) {
	t.Helper()
	plugin, err := pjrt.Load(pjrttest.Open(t, variant))
	check.NoError(t, err)
	return Open(plugin.RegisterHandler, plugin.Platform())
}

var fakes = map[int]*Registry{}

// rightFake opens a variant that is right, once in a process like any plugin.
func rightFake(t *testing.T, variant int) *Registry {
	t.Helper()
	if fakes[variant] == nil {
		r, err := openFake(t, variant)
		check.NoError(t, err)
		fakes[variant] = r
	}
	return fakes[variant]
}

// An FFI that this package does not know is refused, and never called with the wrong
// layout.
func TestOpenRefuses(t *testing.T) {
	check.NoRaces(t)
	for variant, want := range map[int]string{
		pjrttest.OtherRegister: "takes 60 bytes to register",
		pjrttest.HiddenFFI:     "did not show its FFI table",
		pjrttest.FFI1:          "FFI 0.1",
		pjrttest.FFI6:          "FFI 0.6; only 0.2 to 0.5 are known",
		pjrttest.TinyFFI:       "FFI table has 32 bytes, too few for a version",
		pjrttest.ShortFFI:      "FFI table has 184 bytes where FFI 0.2 has 192",
		pjrttest.ShortFFI4:     "FFI table has 192 bytes where FFI 0.4 has 200",
		pjrttest.ShortFFI5:     "FFI table has 200 bytes where FFI 0.5 has 208",
		pjrttest.OtherMessage:  "Error_GetMessage returns another error",
		pjrttest.OtherDetails:  "Error_GetDetails returns another error",
		pjrttest.OtherType:     "Type_Register takes 48 bytes where 40 are known",
		pjrttest.OtherState:    "State_Set takes 48 bytes where 40 are known",
		pjrttest.AnyState:      "State_Set accepted a structure of 8 bytes",
		pjrttest.OtherFuture:   "Future_Create takes 32 bytes where 16 are known",
		pjrttest.OtherStream:   "Stream_Get takes 40 bytes where 32 are known",
	} {
		t.Run(want, func(t *testing.T) {
			_, err := openFake(t, variant)
			check.Error(t, err, want)
		})
	}
}

type fakeSite struct {
	t       *testing.T
	device  bool // whether its calls have a stream
	calls   *int
	deleted *int
}

func (s fakeSite) Execute(call *Call) (int32, string) {
	*s.calls++
	if d := cmp.Diff([]int64{77}, Inside()); d != "" {
		s.t.Error(d)
	}
	here := func() (list []string) {
		for _, u := range InFlight() {
			list = append(list, fmt.Sprint(u.Name, u.RunID))
		}
		return list
	}
	if d := cmp.Diff([]string{"fake77"}, here()); d != "" {
		s.t.Error(d)
	}
	b := call.Args().At(0)
	dims, ok := b.Dims()
	got := []any{call.RunID(), call.Device(), call.Args().Len(), call.Results().Len(), b.DType(), len(dims), ok,
		*(*float32)(b.Data())}
	want := []any{int64(77), 3, 1, 0, int32(11), 0, true, float32(1.5)}
	if d := cmp.Diff(want, got); d != "" {
		s.t.Error(d)
	}
	stream, onDevice := call.Stream()
	if onDevice != s.device || onDevice != (stream != nil) {
		s.t.Errorf("stream %v, on a device %v, want %v", stream, onDevice, s.device)
	}
	if *s.calls > 1 {
		future, ok := call.Defer()
		if !ok {
			s.t.Error("XLA cannot wait")
			return 0, ""
		}
		entered := Enter(-5)
		if d := cmp.Diff([]int64{-5, 77}, Inside()); d != "" {
			s.t.Error(d)
		}
		Leave(entered)
		if *s.calls == 2 {
			future.Finish(3, "late")
		} else {
			future.Finish(0, "")
		}
	}
	return 0, ""
}

// Name implements Named.
func (s fakeSite) Name() string { return "fake" }

func (s fakeSite) Delete() { *s.deleted++ }

// All layouts of the FFI, all the way from registering to deleting.
func TestFFILayouts(t *testing.T) {
	check.NoRaces(t)
	defer instantiate.Store(instantiate.Load())
	tests := []struct {
		name    string
		variant int
		ffi     string
		device  bool
		hosted  bool
	}{
		{"0.2", pjrttest.Right2, "0.2", false, false},
		{"0.3", pjrttest.Right3, "0.3", false, false},
		{"0.4", pjrttest.Right4, "0.4", false, false},
		{"0.5", pjrttest.Right5, "0.5", false, false},
		{"CUDA", pjrttest.RightCUDA, "0.5", true, false},
		{"a host", pjrttest.Hosted, "0.5", false, true},
		{"a host on CUDA", pjrttest.HostedCUDA, "0.5", true, true},
	}
	for _, test := range tests {
		variant, ffi := test.variant, test.ffi
		t.Run(test.name, func(t *testing.T) {
			var calls, deleted int
			var attrs []contract.Attr
			SetInstantiate(func(list []contract.Attr, hosted bool) (Site, int32, error) {
				if attrs = list; hosted != test.hosted {
					t.Errorf("of a host: %v", hosted)
				}
				return fakeSite{t, test.device, &calls, &deleted}, 0, nil
			})
			p := rightFake(t, variant)
			major, minor := p.Version()
			if got := fmt.Sprintf("%d.%d", major, minor); got != ffi {
				t.Errorf("FFI %s", got)
			}
			check.NoError(t, p.Register("target", true))
			if d := cmp.Diff([]int{3, 1}, []int{calls, deleted}); d != "" {
				t.Errorf("calls and deletions: %s", d)
			}
			want := []contract.Attr{{Key: "a", Value: int64(7)}, {Key: "b", Value: []int64{8, 9}},
				{Key: "c", Value: "text"}, {Key: "d", Value: []contract.Attr{{Key: "in", Value: int64(7)}}}}
			if d := cmp.Diff(want, attrs); d != "" {
				t.Error(d)
			}

			// What goes wrong when a site is bound is the plugin's error, a panic too.
			for what, f := range map[string]Instantiate{
				"nobody of that name": func([]contract.Attr, bool) (Site, int32, error) {
					return nil, 5, fmt.Errorf("nobody of that\x00 name")
				},
				"panic: oh": func([]contract.Attr, bool) (Site, int32, error) { panic("oh") },
			} {
				SetInstantiate(f)
				err := p.Register("target", true)
				if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\uFFFD", ""), what) {
					t.Errorf("got %v, want an error with %q", err, what)
				}
			}
			if u := InFlight(); len(u) != 0 {
				t.Errorf("under way after the call: %v", u)
			}
			if len(Inside()) != 0 {
				t.Error("inside a call after the call")
			}
		})
	}
}

// A call on a GPU without a stream is not made: its operands could not be read.
func TestNoStream(t *testing.T) {
	defer instantiate.Store(instantiate.Load())
	p := rightFake(t, pjrttest.NoStream)
	var calls, deleted int
	SetInstantiate(func([]contract.Attr, bool) (Site, int32, error) {
		return fakeSite{t, true, &calls, &deleted}, 0, nil
	})
	if err := p.Register("target", true); err == nil || !strings.Contains(err.Error(), "no stream here") || calls > 0 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

func TestRegisterRefused(t *testing.T) {
	p := rightFake(t, pjrttest.Right2)
	for _, attributed := range []bool{false, true} {
		if err := p.Register(pjrttest.Refused, attributed); err == nil ||
			!strings.Contains(err.Error(), "no more handlers today") {
			t.Errorf("got %v", err)
		}
	}
}

func TestScalarsAndArrays(t *testing.T) {
	bytes := [16]byte{1, 0, 0, 0, 0, 0, 0xf0, 0x3f, 2}
	p := unsafe.Pointer(&bytes)
	for dtype, want := range map[int32]any{
		xlaPred: true, xlaS8: int8(1), xlaS16: int16(1), xlaS32: int32(1), xlaS64: int64(0x3ff0000000000001),
		xlaU8: uint8(1), xlaU16: uint16(1), xlaU32: uint32(1), xlaU64: uint64(0x3ff0000000000001),
		xlaF32: float32(1.401298464324817e-45), xlaF64: 1.0000000000000002, 99: nil,
	} {
		if d := cmp.Diff(want, scalar(dtype, p)); d != "" {
			t.Errorf("scalar %d: %s", dtype, d)
		}
		one := array(dtype, p, 1)
		if dtype == 99 {
			if one != nil {
				t.Errorf("an array of type 99: %v", one)
			}
			continue
		}
		if d := cmp.Diff(fmt.Sprintf("[%v]", want), fmt.Sprint(one)); d != "" {
			t.Errorf("array %d: %s", dtype, d)
		}
		if d := cmp.Diff(fmt.Sprintf("[]%T", want), fmt.Sprintf("%T", one)); d != "" {
			t.Errorf("array %d: %s", dtype, d)
		}
	}
}

func TestSiteNumbersAreReused(t *testing.T) {
	var table siteTable
	var calls, deleted int
	site := fakeSite{t, false, &calls, &deleted}
	numbers := map[uintptr]bool{}
	for range 100 {
		a, b := table.add(site), table.add(site)
		if a == 0 || a == b || table.get(a) != site {
			t.Fatalf("numbers %d and %d", a, b)
		}
		numbers[a], numbers[b] = true, true
		table.remove(a)
		table.remove(b)
	}
	if len(numbers) != 2 {
		t.Errorf("%d numbers for two sites at a time", len(numbers))
	}
}
