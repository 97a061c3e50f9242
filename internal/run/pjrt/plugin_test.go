package pjrt

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/pjrt/pjrttest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A plugin that this package does not know is refused, and never called with the wrong
// layout.
func TestLoadRefuses(t *testing.T) {
	for variant, want := range map[int]string{
		pjrttest.NoTable:    "gave no table",
		pjrttest.OldTable:   "PJRT 0.81",
		pjrttest.OtherMajor: "PJRT 1.81",

		pjrttest.GarbageTable: "the plugin's table (PJRT_Api) cannot be read",
		pjrttest.HugeTable:    "a table of 18446744073709551515 bytes",
		pjrttest.NoFunctions:  "the plugin's table (PJRT_Api) lacks the function 3",
	} {
		t.Run(want, func(t *testing.T) {
			_, err := Load(pjrttest.Open(t, variant))
			check.Error(t, err, want)
		})
	}
}

// A plugin from which Go cannot be called is usable otherwise.
func TestCannotCall(t *testing.T) {
	for variant, want := range map[int]string{
		pjrttest.NoFFI:          "no FFI extension",
		pjrttest.ShortExtension: "40 bytes",
		pjrttest.ExtensionRing:  "no FFI extension",
	} {
		t.Run(want, func(t *testing.T) {
			p, err := Load(pjrttest.Open(t, variant))
			check.NoError(t, err)
			for _, err := range []error{p.CanCall(), p.RegisterHandler("target", nil)} {
				check.Error(t, err, want)
			}
		})
	}
}

func TestNoPlugin(t *testing.T) {
	library, err := dl.Open("libm.so.6")
	check.NoError(t, err)
	if _, err := Load(library); err == nil || !strings.Contains(err.Error(), "GetPjrtApi") {
		t.Errorf("got %v", err)
	}
}

func TestRegisterHandlerRefuses(t *testing.T) {
	for variant, want := range map[int]string{
		pjrttest.OtherRegister: "takes 60 bytes to register",
		pjrttest.AnyRegister:   "unknown layout",
	} {
		t.Run(want, func(t *testing.T) {
			p, err := Load(pjrttest.Open(t, variant))
			check.NoError(t, err)
			err = p.RegisterHandler("target", nil)
			check.Error(t, err, want)
		})
	}
}

// The copy that others call through is the plugin's table but for three functions, and ends
// in functions that are missing.
func TestDecorate(t *testing.T) {
	p, err := Load(pjrttest.Open(t, pjrttest.Right2))
	check.NoError(t, err)
	table, err := p.Decorate()
	check.NoError(t, err)
	const words = (40 + 121*8) / 8 // of the fake plugin's table, and one behind it
	theirs, ours := unsafe.Slice((*uintptr)(p.API()), words-1), unsafe.Slice((*uintptr)(table), words)
	changed := 0
	for i, word := range theirs {
		if ours[i] != word {
			changed++
		}
	}
	if changed != 4 || ours[words-1] != 0 {
		t.Errorf("%d words differ, and behind the table is %#x", changed, ours[words-1])
	}
	for range 3 {
		if _, err := p.Decorate(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Decorate(); err == nil || !strings.Contains(err.Error(), "4 plugins") {
		t.Errorf("the fifth copy: %v", err)
	}
}

// A plugin that cannot save executables, or in another layout, is used for the rest. Nothing is called to find out.
func TestCanSave(t *testing.T) {
	for variant, want := range map[int]string{
		pjrttest.Right2:         "",
		pjrttest.NoSerialize:    "the plugin has no function PJRT_Executable_Serialize",
		pjrttest.OtherSerialize: "PJRT_Executable_Serialize takes 64 bytes, but 56 are known",
		pjrttest.Sizeless:       "",
	} {
		p, err := Load(pjrttest.Open(t, variant))
		check.NoError(t, err)
		err = p.CanSave()
		if variant != pjrttest.NoSerialize {
			check.NoError(t, err)
			var data []byte
			data, err = Executable{p.api, unsafe.Pointer(&[]byte{5}[0])}.Serialize()
			if want == "" {
				check.Diff(t, "saved", "saved", string(data))
			}
		}
		if want == "" && err != nil || want != "" &&
			(!errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// A plugin that does not report the memory of programs says so.
func TestNoMemory(t *testing.T) {
	p, err := Load(pjrttest.Open(t, pjrttest.NoMemory))
	check.NoError(t, err)
	_, _, err = Executable{p.api, nil}.Memory()
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "PJRT_Executable_GetCompiledMemory") {
		t.Error(err)
	}
}

func TestExpectedSize(t *testing.T) {
	for message, want := range map[string]int{
		"Unexpected size: expected 52, got 8.": 52,
		"size: expected 7":                     7,
		"size: expected many":                  0,
		"nothing of the kind":                  0,
		"":                                     0,
	} {
		if got := expectedSize(message); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
}

// The platform is known before there is a client.
func TestPlatform(t *testing.T) {
	for variant, want := range map[int]string{pjrttest.Right5: "Host", pjrttest.RightCUDA: "CUDA"} {
		p, err := Load(pjrttest.Open(t, variant))
		check.NoError(t, err)
		if got := p.Platform(); got != want {
			t.Errorf("platform %q, want %q", got, want)
		}
	}
}
