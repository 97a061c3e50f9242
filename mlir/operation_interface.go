package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// InfersTypes reports whether the named operation can say its result types. To be
// asked for them with Context.InferTypes it must also be one that AllowInference knows.
func (c *Context) InfersTypes(operation string) bool {
	t := c.life.check("Context.InfersTypes")
	return c.Registered(operation) &&
		capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirInferTypeOpInterfaceTypeID(t))
}

// InfersShapes reports whether the named operation can say the shapes of its results.
func (c *Context) InfersShapes(operation string) bool {
	t := c.life.check("Context.InfersShapes")
	return c.Registered(operation) &&
		capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirInferShapedTypeOpInterfaceTypeID(t))
}

// InferTypes returns the result types that an operation made of s would have, where
// AllowInference knows the operation. No operation remains. Regions are refused, since
// they would end with it.
func (c *Context) InferTypes(s OperationState) ([]Type, error) {
	c.life.check("Context.InferTypes")
	if len(s.Regions) > 0 {
		return nil, fmt.Errorf("mlir: the result types of %s with regions are known only once it is created", s.Name)
	}
	// The library's own function for this reads properties that nobody can give it, and
	// crashes; creating one and looking at it does not.
	s.InferResults = true
	op, err := c.Create(s)
	if err != nil {
		return nil, err
	}
	var types []Type
	for _, r := range op.Results() {
		types = append(types, r.Type())
	}
	return types, op.Erase()
}
