package xla

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2"

	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestQuiet starts this program without $HOME: gopjrt logs nothing then, and logs again later.
func TestQuiet(t *testing.T) {
	const child = "CALLIOPE_TEST_QUIET"
	if os.Getenv(child) != "" {
		klog.Error("later")
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestQuiet$")
	cmd.Env = []string{child + "=1", "CALLIOPE_CACHE=" + check.Must(native.CacheDir())} // which TestMain needs
	var stderr strings.Builder
	cmd.Stderr = &stderr
	check.NoError(t, cmd.Run())
	if lines := strings.Split(strings.TrimSpace(stderr.String()), "\n"); len(lines) != 1 ||
		!strings.HasSuffix(lines[0], "] later") {
		t.Errorf("it wrote\n%s", stderr.String())
	}
}

// gopjrt has the code of an error only in its text.
func TestPluginError(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{"failed to compile: PJRT error (code=5): no such thing\n", &pjrt.Error{Code: 5, Message: "no such thing"}},
		{"PJRT error (code=3): a (code=7): b", &pjrt.Error{Code: 3, Message: "a (code=7): b"}},
	} {
		if diff := cmp.Diff(test.want, pluginError(errors.New(test.text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
	for _, other := range []string{"plain", "PJRT error (code=", "PJRT error (code=x): y"} {
		if err := errors.New(other); pluginError(err) != err {
			t.Errorf("%q became %v", other, pluginError(err))
		}
	}
}

func TestVersionOf(t *testing.T) {
	for _, test := range []struct {
		numbers []int64
		want    string
	}{
		{nil, ""},
		{[]int64{1, 13}, ""},
		{[]int64{1, 13, 3}, "1.13.3"},
		{[]int64{1, 13, 3, 0}, ""},
	} {
		if got := versionOf(test.numbers); got != test.want {
			t.Errorf("versionOf(%v) = %q, want %q", test.numbers, got, test.want)
		}
	}
}

// The bytes are those that protoc makes of
// env_option_overrides { key: "a" value { string_field: "x" } } and one of b.
func TestOverrides(t *testing.T) {
	const want = ":\b\n\x01a\x12\x03\n\x01x" + ":\a\n\x01b\x12\x02\n\x00"
	if diff := cmp.Diff(want, string(overrides(map[string]string{"b": "", "a": "x"}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := overrides(nil); got != nil {
		t.Errorf("without flags: %q", got)
	}
}

// The bytes are those that protoc makes of
// executable_build_options { use_shardy_partitioner: false } with the field present.
func TestWithoutShardy(t *testing.T) {
	if diff := cmp.Diff("\x1a\x03\x98\x01\x00", string(withoutShardy())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
