package bridge

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestVLogText(t *testing.T) {
	for _, test := range []struct{ text, level, modules, err string }{
		{"", "", "", ""},
		{"2", "2", "", ""},
		{"cpu_compiler=3", "", "cpu_compiler=3", ""},
		{"a=1,2,b*=0", "2", "a=1,b*=0", ""},
		{"much", "", "", `VLog: "much" is neither`},
		{"-1", "", "", `"-1" is neither`},
		{"a=", "", "", `"a=" is neither`},
		{"=1", "", "", `"=1" is neither`},
		{"a b=1", "", "", `"a b=1" is neither`},
		{"1,", "", "", `"" is neither`},
		{"1,2", "", "", `"1,2" has two levels`},
	} {
		level, modules, err := vlog(test.text)
		check.Diff(t, test.text, test.level+";"+test.modules, level+";"+modules)
		if test.err != "" {
			check.Error(t, err, test.err)
		} else {
			check.NoError(t, err)
		}
	}
}

// TestVLog compiles a module in a child process, whose plugin logs what its compiler does.
func TestVLog(t *testing.T) {
	const env = "CALLIOPE_TEST_VLOG"
	if os.Getenv(env) != "" {
		p := check.Must(Open(OpenOptions{VLog: "cpu_compiler=3"}))
		client := check.Must(p.NewClient(ClientOptions{}))
		defer client.Close()
		e := check.Must(client.Compile(t.Context(),
			Source("func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }"), engine.CompileOptions{}))
		defer e.Close()
		check.Must(Open(OpenOptions{VLog: "cpu_compiler=3"})) // the same
		_, err := Open(OpenOptions{VLog: "1"})
		check.Error(t, err, "bridge: VLog is set for ",
			"which is open already: set it in the first Open of the process")
		fmt.Fprintln(os.Stderr, "reached the end")
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestVLog$", "-test.timeout=60s")
	for _, name := range []string{"TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL", "TF_CPP_VMODULE"} {
		t.Setenv(name, "")
		os.Unsetenv(name) // TestMain's plugin has set it
	}
	child.Env = append(os.Environ(), env+"=1")
	out, err := child.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(" cpu_compiler.cc:")) ||
		!bytes.Contains(out, []byte("reached the end")) {
		t.Errorf("%v: %.2000s", err, out)
	}
}
