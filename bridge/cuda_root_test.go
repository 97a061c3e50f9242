package bridge

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/run/pjrt/pjrttest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestCUDARoot checks that a compile for CUDA looks for programs in an absolute folder, unless the user names one.
func TestCUDARoot(t *testing.T) {
	folder := t.TempDir()
	plugin := filepath.Join(folder, "jax_plugins", "xla_cuda13", "plugin.so")
	check.Diff(t, "nothing is there", true, filepath.IsAbs(cudaRoot("plugin.so")))
	root := filepath.Join(folder, "nvidia", "cu13")
	check.NoError(t, os.MkdirAll(filepath.Join(root, "bin"), 0o755))
	check.NoError(t, os.WriteFile(filepath.Join(root, "bin", "ptxas"), nil, 0o755))
	beside := filepath.Join(filepath.Dir(plugin), "cuda")
	if _, err := os.Stat("/usr/local/cuda"); err != nil {
		check.Diff(t, "ptxas alone", root, cudaRoot(plugin))
		check.NoError(t, os.MkdirAll(filepath.Join(beside, "nvvm", "libdevice"), 0o755))
		check.Diff(t, "libdevice elsewhere", beside, cudaRoot(plugin))
	}
	check.NoError(t, os.MkdirAll(filepath.Join(root, "nvvm", "libdevice"), 0o755))
	check.Diff(t, "both", root, cudaRoot(plugin))

	none := map[string]string{}
	for _, test := range []struct {
		name        string
		variant     int
		user        map[string]string
		environment string
		want        string
	}{
		{"CUDA", pjrttest.RightCUDA, none, "", root},
		{"a flag", pjrttest.RightCUDA, map[string]string{cudaFolder: "/mine"}, "", "/mine"},
		{"a variable", pjrttest.RightCUDA, none, "--" + cudaFolder + "=/mine", ""},
		{"a CPU", pjrttest.Right5, none, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("XLA_FLAGS", test.environment)
			p := &Plugin{pjrt: check.Must(pjrt.Load(pjrttest.Open(t, test.variant))), path: plugin}
			var got map[string]string
			compile := func(flags map[string]string) (*xla.Executable, error) {
				got = flags
				return nil, nil
			}
			_, err := (&Client{plugin: p}).compileWith(test.user, compile)
			check.NoError(t, err)
			if diff := cmp.Diff(test.want, got[cudaFolder]); diff != "" {
				t.Errorf("the flag (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLibdeviceOfStranger checks that XLA does not compile with the libdevice of the working folder.
func TestLibdeviceOfStranger(t *testing.T) {
	if _, err := os.Stat("/usr/local/cuda"); err == nil {
		t.Skip("CUDA is installed: its libdevice is read")
	}
	t.Chdir(t.TempDir())
	check.NoError(t, addCUDARoot(map[string]string{}, "plugin.so"))
	check.NoError(t, os.MkdirAll(libdevice, 0o755))
	check.NoError(t, addCUDARoot(map[string]string{cudaFolder: "/mine"}, "plugin.so"))
	check.Error(t, addCUDARoot(map[string]string{}, "plugin.so"), "has no nvvm/libdevice", "the one in the working folder")
}
