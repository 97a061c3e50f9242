package mlir

import (
	"fmt"
	"slices"
)

// gpuModuleToBinary is the pass that translates GPU modules to LLVM IR. Without the
// translations of the dialects it crashes (IREE's library, and that of jaxlib), or fails
// (LLVM 22).
const gpuModuleToBinary = "gpu-module-to-binary"

// translatable registers the translations to LLVM IR if a pipeline or a transform script
// names the pass that needs them. It returns an error if the library cannot register them.
func (c *Context) translatable(text string) error {
	if !slices.Contains(passNames(text), gpuModuleToBinary) {
		return nil
	}
	if err := c.lib.need("mlirRegisterAllLLVMTranslations"); err != nil {
		return fmt.Errorf("mlir: the pass %s needs the translations of the dialects to LLVM IR: %w", gpuModuleToBinary,
			err)
	}
	c.registerTranslations()
	return nil
}
