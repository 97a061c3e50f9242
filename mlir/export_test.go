package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/native"
)

// HintTables are the tables that hints use, for the test that compares them with the
// libraries.
func HintTables() (dialects map[native.Part][]string, newer []string) {
	dialects = map[native.Part][]string{}
	for _, l := range dialectsOf {
		dialects[l.part] = l.dialects
	}
	return dialects, newerOperations
}

// CheckTops returns an error if an operation uses a value, or branches to a block, that is
// in no outermost object, or in one that tops.go does not allow.
func CheckTops(c *Context) error {
	in := map[pointer]*top{}
	for _, t := range c.tops {
		for _, thing := range c.gather(t) {
			if in[thing.Ptr] != nil {
				return fmt.Errorf("%v is in two outermost objects", thing)
			}
			in[thing.Ptr] = t
		}
	}
	for _, t := range c.tops {
		for _, thing := range c.gather(t) {
			if thing.Kind != capi.OperationKind {
				continue
			}
			op := capi.MlirOperation{Ptr: thing.Ptr}
			var uses []pointer
			for i := range capi.MlirOperationGetNumOperands(c.api, op) {
				uses = append(uses, capi.MlirOperationGetOperand(c.api, op, i).Ptr)
			}
			for i := range capi.MlirOperationGetNumSuccessors(c.api, op) {
				uses = append(uses, capi.MlirOperationGetSuccessor(c.api, op, i).Ptr)
			}
			for _, p := range uses {
				if p != nil && !t.mayUse(in[p]) {
					return fmt.Errorf("%s in %v uses something in %v",
						capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op)), t, in[p])
				}
			}
		}
	}
	return nil
}

func (t *top) mayUse(other *top) bool {
	if other == nil || other == t || t.module == nil {
		return other != nil && (other == t || t.uses != nil)
	}
	for from := other.from; from != nil; from = from.root().from {
		if from.root() == t {
			return true
		}
	}
	return false
}

// ConvolutionNumbers returns dimension numbers of a convolution, one of which is n.
func ConvolutionNumbers(c *Context, n int64) Attribute {
	spatial := []int64{1}
	return c.attribute(capi.StablehloConvDimensionNumbersGet(c.api, c.raw,
		n, 2, 1, first(spatial), 0, 2, 1, first(spatial), 0, 2, 1, first(spatial)))
}

// Tops returns the number of outermost objects.
func (c *Context) Tops() int { return len(c.tops) }
