package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// ignoreAttribute is left out of contexts: a finding stays the same when it is ignored.
const ignoreAttribute = "mlir_lint.ignore"

// contextOf returns the hash that identifies an operation without its position: its name,
// attributes and types, and the symbols of the operations around it.
func contextOf(op mlir.Operation) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", op.Name())
	var attributes []string
	for name, value := range op.Attributes() {
		if name != ignoreAttribute {
			attributes = append(attributes, fmt.Sprintf("%q=%q", name, value))
		}
	}
	slices.Sort(attributes) // generic and custom forms may differ in their order
	fmt.Fprint(h, strings.Join(attributes, ","), "(")
	for _, v := range op.Operands() {
		fmt.Fprintf(h, "%q", v.Type())
	}
	fmt.Fprint(h, ")->")
	for _, v := range op.Results() {
		fmt.Fprintf(h, "%q", v.Type())
	}
	for around := op.Parent(); !around.IsNil(); around = around.Parent() {
		if name, ok := around.Symbol(); ok {
			fmt.Fprintf(h, " in %q", name)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
