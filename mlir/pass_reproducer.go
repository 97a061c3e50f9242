package mlir

import (
	"fmt"
	"os"
	"strconv"
)

// reproduced are the options of the text, which a verifier need not accept.
var reproduced = PrintOptions{Generic: true, DebugInfo: true}

// writeReproducer writes the file of PassManagerOptions.Reproducer.
func (p *PassManager) writeReproducer(o Operation) error {
	text := o.Print(reproduced)
	text += fmt.Sprintf("\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: %s,\n      disable_threading: %t,\n      verify_each: %t\n    }\n  }\n#-}\n",
		strconv.Quote(p.String()), !p.ctx.threads, p.verify)
	if err := os.WriteFile(p.repro, []byte(text), 0o644); err != nil {
		return fmt.Errorf("mlir: writing the reproducer: %w", err)
	}
	return nil
}
