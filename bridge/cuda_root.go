package bridge

import (
	"os"
	"path/filepath"
)

// cudaFolder is the flag with the folder of CUDA, in which XLA looks for ptxas, nvlink and libdevice before any other.
// Its default is ./cuda_sdk_lib, so the files of the working folder would run: they may be a stranger's.
const cudaFolder = "xla_gpu_cuda_data_dir"

// cudaRoot returns an absolute folder for the flag: the first of those in which XLA looks anyway that has libdevice, or
// else ptxas. Without libdevice in it, XLA would take nvvm/libdevice of the working folder. If none has either, it is
// where CUDA is usually installed, and XLA looks for ptxas in PATH next.
func cudaRoot(plugin string) string {
	const usual = "/usr/local/cuda"
	beside := filepath.Dir(plugin)
	roots := []string{
		filepath.Join(beside, "../nvidia/cu13"), filepath.Join(beside, "../../nvidia/cu13"),
		filepath.Join(beside, "cuda"), usual, "/opt/cuda",
	}
	for _, tool := range []string{"nvvm/libdevice", "bin/ptxas"} {
		for _, root := range roots {
			if _, err := os.Stat(filepath.Join(root, tool)); err == nil && filepath.IsAbs(root) {
				return root
			}
		}
	}
	return usual
}
