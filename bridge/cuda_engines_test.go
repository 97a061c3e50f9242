//go:build engines && linux

package bridge

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	release "github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestCUDAPlugin registers the handlers with the real plugin for CUDA, which needs no GPU, and
// makes a client, which does. It runs in a child process, because Open loads what
// CALLIOPE_PJRT_PLUGIN names.
func TestCUDAPlugin(t *testing.T) {
	found, err := native.Find(native.CUDA)
	if errors.As(err, new(*native.NotFoundError)) {
		t.Skipf("the plugin for CUDA (a download of 135 MB) is not on this machine: run `%s cuda`", release.Fetch)
	}
	check.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCUDAPluginChild$", "-test.v")
	child.Env = append(os.Environ(), native.PJRTPlugin.Env()+"="+found.Path, cudaChild+"=1")
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestCUDAPluginChild (") {
		t.Errorf("%v\n%s", err, out)
	}
}

const cudaChild = "CALLIOPE_TEST_CUDA_CHILD"

func TestCUDAPluginChild(t *testing.T) {
	if os.Getenv(cudaChild) == "" {
		t.Skip("TestCUDAPlugin runs it")
	}
	p := check.Must(Open(OpenOptions{}))
	check.Diff(t, "platform", "CUDA", p.pjrt.Platform())
	check.Diff(t, "PJRT and FFI", [...]string{"0.116", "0.5"}, [...]string{p.Info().PJRT, p.Info().FFI})
	check.NoError(t, p.RegisterForeign(callbacks.ForeignTarget{Target: "test.cuda"}))
	_, err := p.NewClient(ClientOptions{Devices: 2})
	check.Error(t, err, "Devices is 2", "CUDA_VISIBLE_DEVICES")
	c, err := p.NewClient(ClientOptions{})
	if err == nil { // a machine with a GPU; tests/gpu runs modules on it
		check.NoError(t, c.Close())
		return
	}
	check.Error(t, err, "needs an NVIDIA GPU with its driver", "docs/gpu.md")
}
