package legacy_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

var (
	b = tensor.Vector[float32](1, 2, 3, 4)
	c = tensor.Vector[float32](10, 20, 30, 40, 50, 60, 70, 80)
	// b[i%4] + c[i]
	sums = tensor.Vector[float32](11, 22, 33, 44, 51, 62, 73, 84)

	periodic = site{version: 1, operands: shapes("f32[4]", "f32[8]"), results: shapes("f32[8]")}
	numeric  = site{version: 2, operands: shapes("s32[]"), results: shapes("s32[]")}
)

// A function of each form gets its operands, its opaque string and its result.
func TestForms(t *testing.T) {
	l := library(t)
	eight := string(binary.LittleEndian.AppendUint32(nil, 8))
	for _, test := range []struct {
		target string
		form   legacy.Form
		site   site
		args   []tensor.View
		want   tensor.View
	}{
		{"add_periodic", legacy.Host, periodic, []tensor.View{b, c}, sums},
		{"root", legacy.HostStatus, numeric, []tensor.View{tensor.Scalar[int32](49)}, tensor.Scalar[int32](7)},
		{"opaque", legacy.HostOpaque, site{version: 3, opaque: "a\x00\xffb", results: shapes("u8[5]")}, nil,
			tensor.Vector[uint8]('a', 0, 0xff, 'b', 0)},
		{"opaque", legacy.HostOpaque, site{version: 3, results: shapes("u8[1]")}, nil, tensor.Vector[uint8](0)},
		{"either", legacy.HostOpaque, site{version: 3, operands: shapes("s32[]"), results: shapes("s32[]")},
			[]tensor.View{tensor.Scalar[int32](5)}, tensor.Scalar[int32](6)},
		{"gpu_status", legacy.GPUStatus, numeric, []tensor.View{tensor.Scalar[int32](5)}, tensor.Scalar[int32](10)},
		{"gpu_status", legacy.GPUStatus, site{version: 3, operands: numeric.operands, results: numeric.results},
			[]tensor.View{tensor.Scalar[int32](5)}, tensor.Scalar[int32](10)},
		{"add_periodic", legacy.GPU, site{version: 1, opaque: eight, operands: periodic.operands,
			results: periodic.results}, []tensor.View{b, c}, sums},
	} {
		t.Run(test.target+"/"+test.form.String(), func(t *testing.T) {
			for _, f := range l.Functions() {
				if f.Name() != test.target || f.Form() != test.form {
					continue
				}
				got, err := test.site.run(t, serve(t, f, "f", callbacks.Options{}).Name(), test.args...)
				check.NoError(t, err)
				check.Diff(t, "results", []tensor.View{test.want}, got)
				return
			}
			t.Error("the library does not register the function")
		})
	}
}

// On a goroutine the same functions get copies, which are memory of Go.
func TestTimeoutOfC(t *testing.T) {
	f := check.Must(library(t).Function("tuples"))
	s := site{version: 1, tuples: "(.,(.,.),.)->(.,.)", operands: shapes("s32[]", "s32[]", "s32[]", "s32[]"),
		results: shapes("s32[]", "s32[]")}
	r := serve(t, f, "f", callbacks.Options{Timeout: time.Minute, Measure: true})
	got, err := s.run(t, r.Name(), tensor.Scalar[int32](1), tensor.Scalar[int32](2), tensor.Scalar[int32](3),
		tensor.Scalar[int32](4))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](4321), tensor.Scalar[int32](21)}, got)
	check.Diff(t, "calls of both engines", int64(2), r.Stats()[0].Delivered)
}

// On CPU the elements of a tuple are found through the pointers that stand for it, and a result that
// is not used is memory for the function.
func TestTuplesOfC(t *testing.T) {
	l := library(t)
	one := tensor.Scalar[int32](1)
	s := site{version: 1, tuples: "(.,(.,.),.)->(.,.)", operands: shapes("s32[]", "s32[]", "s32[]", "s32[]"),
		results: shapes("s32[]", "s32[]")}
	got, err := s.run(t, serve(t, check.Must(l.Function("tuples")), "f", callbacks.Options{}).Name(), one,
		tensor.Scalar[int32](2), tensor.Scalar[int32](3), tensor.Scalar[int32](4))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](4321), tensor.Scalar[int32](21)}, got)

	t.Run("many", func(t *testing.T) {
		many := site{version: 1, tuples: ".->(" + strings.Repeat("(.),", 99) + "(.))", operands: shapes("s32[]")}
		var want []tensor.View
		for i := range 100 {
			many.results = append(many.results, one.Shape)
			want = append(want, tensor.Scalar(int32(i+1)))
		}
		got, err := many.run(t, serve(t, check.Must(l.Function("many")), "f", callbacks.Options{}).Name(), one)
		check.NoError(t, err)
		check.Diff(t, "results", want, got)
	})
}

// A failure ends the run, with the message as the function gave it.
func TestStatus(t *testing.T) {
	l := library(t)
	r := serve(t, check.Must(l.Function("statuses")), "f", callbacks.Options{})
	e := check.Must(numeric.compile(t, r.Name()))
	for _, test := range []struct {
		arg     int32
		message string // of the failure; "-" for success
	}{
		{0, "-"}, {1, "second"}, {2, "-"}, {3, ""}, {4, ""}, {5, "its message is a null pointer of the length 7"},
		{6, "its message has the length 2097152; a message has 1048576 bytes at most"},
		{7, "its message has the length 18446744073709551615; a message has 1048576 bytes at most"},
		{8, "a\x00b\xff"}, {9, strings.Repeat("m", 1<<20)}, {10, "-"},
	} {
		got, err := run(t, e, tensor.Scalar(test.arg))
		if test.message == "-" {
			check.NoError(t, err)
			check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](1)}, got)
			continue
		}
		failure := check.As[*legacy.StatusError](t, err)
		check.Diff(t, "error", legacy.StatusError{Target: "f", Message: test.message}, *failure)
		check.Diff(t, "results", 0, len(got))
	}
	check.Text(t, &legacy.StatusError{Target: "f"}, `the custom call "f" failed, without a message`)
	check.Text(t, &legacy.StatusError{Target: "f", Message: "a\x00\n\xff"},
		"the custom call \"f\" failed: a\\u0000 \uFFFD")
}

// The message of a failure is copied before the function returns.
func TestStatusCopiesMessage(t *testing.T) {
	_, err := numeric.run(t, serve(t, check.Must(library(t).Function("root")), "f", callbacks.Options{}).Name(),
		tensor.Scalar[int32](5))
	check.Text(t, check.As[*legacy.StatusError](t, err), `the custom call "f" failed: no square`)
}

// A GPU function reports a failure in the versions 2 and 3.
func TestStatusOfGPU(t *testing.T) {
	f := check.Must(library(t).Function("fail_gpu"))
	r := serve(t, f, "f", callbacks.Options{})
	for _, version := range []int{2, 3} {
		_, err := site{version: version, opaque: "bad\x00input", results: shapes("f32[]")}.run(t, r.Name())
		check.Diff(t, "message", "bad\x00input", check.As[*legacy.StatusError](t, err).Message)
	}
}

// A call of another version does not compile. The error names both.
func TestVersionRefused(t *testing.T) {
	for _, test := range []struct {
		function *legacy.Function
		versions map[int]bool // those that are served
		text     string
	}{
		{legacy.Go(func(legacy.Value, []legacy.Value) {}), map[int]bool{1: true}, `the module calls "f" with api_version = 2 (API_VERSION_STATUS_RETURNING), and the function is registered with the form host, void f(void* out, const void** in), which serves api_version 0 and 1: register void f(void* out, const void** in, XlaCustomCallStatus* status), or void f(CUstream stream`},
		{legacy.Go(func(legacy.Value, []legacy.Value) error { return nil }), map[int]bool{2: true}, `with api_version = 0 or 1 (API_VERSION_ORIGINAL), and the function is registered with the form host-status`},
		{legacy.Go(func(legacy.Value, []legacy.Value, string) error { return nil }), map[int]bool{3: true},
			`which serves api_version 3: register`},
		{legacy.Go(func(legacy.Stream, []tensor.View, string) {}), map[int]bool{1: true},
			`API_VERSION_STATUS_RETURNING`},
		{legacy.Go(func(legacy.Stream, []tensor.View, string) error { return nil }), map[int]bool{2: true, 3: true},
			`which serves api_version 2 and 3`},
	} {
		form := test.function.Form()
		t.Run(form.String(), func(t *testing.T) {
			r := serve(t, test.function, "f", callbacks.Options{})
			said := false
			for version := 1; version <= 3; version++ {
				check.Diff(t, "Serves", test.versions[version], form.Serves(int64(version)))
				_, err := site{version: version, results: shapes("f32[]")}.compile(t, r.Name())
				if test.versions[version] {
					check.NoError(t, err)
					continue
				}
				check.Diff(t, "error", legacy.VersionError{Target: "f", Version: int64(version), Form: form},
					*check.As[*legacy.VersionError](t, err))
				said = said || strings.Contains(err.Error(), test.text)
			}
			if !said {
				t.Errorf("no error contains %q", test.text)
			}
			check.Diff(t, "version 0", test.versions[1], form.Serves(0))
		})
	}
}

// A call that is not of an old convention does not compile.
func TestOtherCallsRefused(t *testing.T) {
	r := serve(t, legacy.Go(func(legacy.Value, []legacy.Value) {}), "f", callbacks.Options{})
	module := strings.Replace(site{version: 1, results: shapes("f32[]")}.module(r.Name()), "legacy = 1 : i64, ", "", 1)
	_, err := check.Must(client()).Compile(t.Context(), bridge.Source(module), engine.CompileOptions{})
	check.Error(t, err, `the call of "f" has no key "legacy"`, "passes.ReplaceLegacy")

	wrong := site{version: 1, tuples: "(.,.)->.", operands: shapes("f32[]"), results: shapes("f32[]")}
	_, err = wrong.run(t, r.Name(), tensor.Scalar[float32](1))
	check.Error(t, err, "2 arrays in the operands and 1 in the result, and the call has 1 operands and 1 results")

	small := site{version: 1, operands: shapes("s4[2]"), results: shapes("f32[]")}
	_, err = small.run(t, r.Name(), tensor.View{Shape: small.operands[0], Data: make([]byte, 2)})
	check.Error(t, err, "s4[2]", "elements of less than a byte are not supported")
}

// Functions of Go get the same as those of C.
func TestGo(t *testing.T) {
	failure := errors.New("mine")
	nested := site{version: 1, tuples: "(.,(.,.),.),.->(.,(.))",
		operands: shapes("s32[]", "s32[]", "s32[]", "s32[]", "f64[2]"), results: shapes("s32[]", "f64[2]")}
	args := []tensor.View{tensor.Scalar[int32](1), tensor.Scalar[int32](2), tensor.Scalar[int32](3),
		tensor.Scalar[int32](4), tensor.Vector(5.0, 6)}
	want := []tensor.View{tensor.Scalar[int32](3), tensor.Vector(5.0, 6)}
	host := func(out legacy.Value, in []legacy.Value) {
		copy(out.Elements[0].Data, in[0].Elements[1].Elements[1].Data)
		copy(out.Elements[1].Elements[0].Data, in[1].Data)
	}
	gpu := func(stream legacy.Stream, buffers []tensor.View) error {
		copy(buffers[5].Data, buffers[2].Data)
		copy(buffers[6].Data, buffers[4].Data)
		if stream != 0 {
			return errors.New("there is a stream")
		}
		return nil
	}
	for _, test := range []struct {
		f       *legacy.Function
		version int
		opaque  string
		want    error
	}{
		{legacy.Go(host), 1, "", nil},
		{legacy.Go(func(out legacy.Value, in []legacy.Value) error { host(out, in); return nil }), 2, "", nil},
		{legacy.Go(func(out legacy.Value, in []legacy.Value) error { return failure }), 2, "", failure},
		{legacy.Go(func(out legacy.Value, in []legacy.Value, opaque string) error {
			host(out, in)
			return errorOf(opaque, failure)
		}), 3, "\x00\xff", nil},
		{legacy.Go(func(out legacy.Value, in []legacy.Value, opaque string) error { return errorOf(opaque, failure) }),
			3, "", failure},
		{legacy.Go(func(s legacy.Stream, buffers []tensor.View, _ string) { _ = gpu(s, buffers) }), 1, "", nil},
		{legacy.Go(func(s legacy.Stream, buffers []tensor.View, opaque string) error {
			return errors.Join(gpu(s, buffers), errorOf(opaque, failure))
		}), 2, "\x00\xff", nil},
		{legacy.Go(func(s legacy.Stream, buffers []tensor.View, opaque string) error { return failure }), 3, "",
			failure},
	} {
		t.Run(test.f.Form().String(), func(t *testing.T) {
			s := nested
			s.version, s.opaque = test.version, test.opaque
			got, err := s.run(t, serve(t, test.f, "f", callbacks.Options{}).Name(), args...)
			if test.want != nil {
				if !errors.Is(err, test.want) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			check.NoError(t, err)
			check.Diff(t, "results", want, got)
		})
	}
}

func errorOf(opaque string, otherwise error) error {
	if opaque == "\x00\xff" {
		return nil
	}
	return otherwise
}

// A call that has no end is stopped like that of any callback.
func TestTimeout(t *testing.T) {
	end := make(chan bool)
	defer close(end)
	f := legacy.Go(func(legacy.Value, []legacy.Value) { <-end })
	r := serve(t, f, "f", callbacks.Options{Timeout: time.Millisecond})
	_, err := site{version: 1, results: shapes("f32[]")}.run(t, r.Name())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

// Arrays without elements have an address, too.
func TestEmptyArrays(t *testing.T) {
	f := check.Must(legacy.Open(cctest.Source(t, `
#include <calliope_custom_call.h>
void f(void* out, const void** in) { *(unsigned char*)out = in[0] != NULL; }
XLA_REGISTER_CUSTOM_CALL_TARGET(f, "Host");
`))).Functions()[0]
	got, err := site{version: 1, operands: shapes("f32[0]"), results: shapes("u8[]")}.run(t,
		serve(t, f, "f", callbacks.Options{}).Name(), tensor.View{Shape: shapes("f32[0]")[0]})
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[uint8](1)}, got)
}

// What is registered wrongly is an error that names it.
func TestRegisterErrors(t *testing.T) {
	var r callbacks.Registry
	f := legacy.Go(func(legacy.Value, []legacy.Value) {})
	var none *legacy.Function
	check.Error(t, none.Register(&r, "f", callbacks.Options{}), `the function for the target "f" is nil`)
	check.Error(t, new(legacy.Function).Register(&r, "f", callbacks.Options{}),
		`the function for the target "f" is nil`)
	check.Error(t, f.Register(&r, "", callbacks.Options{}), `"" is not a name of a custom call target`)
	check.Error(t, f.Register(&r, "a\x00", callbacks.Options{}), `"a\x00" is not a name of a custom call target`)
	check.NoError(t, f.Register(&r, "f", callbacks.Options{}))
	check.Error(t, f.Register(&r, "f", callbacks.Options{}), `"f" is registered already`)
	_, err := legacy.Pointer(nil, legacy.Host)
	check.Error(t, err, "the address of the function of the form host is null")
	_, err = legacy.Pointer(nil, math.MaxUint8)
	check.Error(t, err, "there is no form 255")
	_, err = legacy.ParseForm("cuda")
	check.Error(t, err, `there is no form "cuda": use host, host-status, host-opaque, gpu, gpu-status`)
	check.Panics(t, "the function of the form gpu is nil",
		func() { legacy.Go((func(legacy.Stream, []tensor.View, string))(nil)) })
	for form := legacy.Host; form <= legacy.GPUStatus; form++ {
		check.Diff(t, "form", form, check.Must(legacy.ParseForm(form.String())))
	}
}

// Without a registry, a function is registered in Registry.
func TestRegistry(t *testing.T) {
	f := check.Must(library(t).Function("add_periodic"))
	check.NoError(t, f.Register(nil, "", callbacks.Options{}))
	defer func() { check.NoError(t, legacy.Registry.Unregister("add_periodic")) }()
	module := strings.Replace(periodic.module("legacy"), `callback = "f"`, `callback = "add_periodic"`, 1)
	e := check.Must(check.Must(client()).Compile(t.Context(), bridge.Source(module), engine.CompileOptions{}))
	defer func() { check.NoError(t, e.Close()) }()
	got, err := run(t, e, b, c)
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{sums}, got)
}
