package progen

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// Keep writes a module and its arrays, if there are any, to files of a folder, which it makes, for mlir-run.
func Keep(folder, name, module string, inputs, outputs []tensor.View) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path+".mlir", []byte(module), 0o644); err != nil {
		return err
	}
	var arrays []npz.Named
	for i, v := range inputs {
		arrays = append(arrays, npz.Named{Name: fmt.Sprintf("in%d", i), View: v})
	}
	for i, v := range outputs {
		arrays = append(arrays, npz.Named{Name: fmt.Sprintf("out%d", i), View: v})
	}
	if len(arrays) == 0 {
		return nil
	}
	return npz.WriteFile(path+".npz", arrays)
}
