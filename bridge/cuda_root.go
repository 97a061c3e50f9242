package bridge

import (
	"fmt"
	"os"
	"path/filepath"
)

// cudaFolder is the flag with the folder of CUDA, in which XLA looks for ptxas, nvlink and libdevice before any other.
// Its default is ./cuda_sdk_lib, so the files of the working folder would run: they may be a stranger's.
const cudaFolder = "xla_gpu_cuda_data_dir"

// libdevice is where libdevice is below the folder of CUDA.
const libdevice = "nvvm/libdevice"

// addCUDARoot sets the flag with the folder of CUDA, if the user has not set it. It fails if XLA would read libdevice
// in the working folder.
func addCUDARoot(flags map[string]string, plugin string) error {
	root := cudaRoot(plugin)
	addDefault(flags, cudaFolder, root)
	_, inRoot := os.Stat(filepath.Join(root, libdevice))
	if _, here := os.Stat(libdevice); flags[cudaFolder] != root || inRoot == nil || here != nil {
		return nil
	}
	return fmt.Errorf("bridge: %s has no %s, so XLA would read the one in the working folder, which may be a stranger's: "+
		"install CUDA, name its folder by XLA_FLAGS=--%s=FOLDER, or work in another folder", root, libdevice, cudaFolder)
}

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
	for _, tool := range []string{libdevice, "bin/ptxas"} {
		for _, root := range roots {
			if _, err := os.Stat(filepath.Join(root, tool)); err == nil && filepath.IsAbs(root) {
				return root
			}
		}
	}
	return usual
}
