package stablehlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A RefineError reports why Refine cannot specialize a module.
type RefineError struct {
	Argument  int           // index of the argument of main that does not fit, or -1
	Operation string        // name of the operation that cannot be specialized, or ""
	Position  mlir.Position // source position of the operation
	Reason    string
}

func (e *RefineError) Error() string {
	switch {
	case e.Argument >= 0:
		return fmt.Sprintf("stablehlo: refining argument %d of main: %s", e.Argument, e.Reason)
	case e.Operation != "":
		return fmt.Sprintf("stablehlo: refining %s at %s: %s", e.Operation, e.Position, e.Reason)
	}
	return "stablehlo: refining: " + e.Reason
}

func refineError(op mlir.Operation, reason string, args ...any) error {
	return &RefineError{-1, op.Name(), op.Location().Position(), fmt.Sprintf(reason, args...)}
}

// A ShapeAssertionError reports that the shapes violate an assertion of the module: a custom
// call of shape_assertion, which jax.export writes for symbolic dimensions.
type ShapeAssertionError struct {
	Message  string // of the module, with its values
	Position mlir.Position
}

func (e *ShapeAssertionError) Error() string {
	return "stablehlo: the shapes violate an assertion of the module: " + e.Message
}

// Refine returns a copy of a module that is specialized for arguments of main with the given
// shapes, one for each. All shapes in the copy are static, and its functions are inlined into
// main, because a function may be called with several shapes. The module itself does not
// change. The caller must close the copy, or it is closed with its context.
//
// The shape of a token is its DType. An argument of another type that is not a tensor of
// numbers cannot be refined. The order of the arguments is that of the module. If it takes
// the index of a platform, call SelectPlatform first, because the shapes may depend on the
// index.
//
// Refine evaluates the shape assertions of the module and removes those that hold. The error
// is a *ShapeAssertionError if one does not hold, for example because two dimensions that
// have the same symbol differ. It is a *RefineError if a shape does not fit an argument, or
// if a shape depends on the values of the arguments and so stays dynamic, and a
// *mlir.DiagnosticError if the shapes contradict an operation. An operation that the library does not know is also a
// *RefineError if it takes a dynamic shape, because nothing says whether it takes a static one.
func Refine(m *mlir.Module, shapes ...tensor.Shape) (*mlir.Module, error) {
	refined := m.Clone()
	if err := refine(refined, shapes); err != nil {
		refined.Close()
		return nil, err
	}
	return refined, nil
}

func refine(m *mlir.Module, shapes []tensor.Shape) error {
	if err := m.Verify(); err != nil {
		return err
	}
	main, err := mainOf(m)
	if err != nil {
		return err
	}
	types, err := refinedTypes(main, shapes)
	if err != nil {
		return err
	}
	if err := dropBounds(m); err != nil {
		return err
	}
	if err := inlineCalls(m); err != nil {
		return err
	}
	for op := range m.Body().Operations() {
		if op.Name() == function && !isMain(op) {
			op.SetVisibility(mlir.Private) // so that symbol-dce removes it
		}
	}
	if err := runPasses(m, "symbol-dce"); err != nil {
		return err
	}
	if err := checkUsers(m); err != nil {
		return err
	}
	arguments := ""
	if len(types) > 0 {
		arguments = "stablehlo-refine-arguments{types=" + strings.Join(types, ",") + "},"
	}
	if err := checkAssertions(m, arguments); err != nil {
		return err
	}
	for again, first := true, "cse,"+arguments; again; first = "" {
		if err := runPasses(m, first+refineShapes); err != nil {
			return err
		}
		if main, err = mainOf(m); err != nil {
			return err
		}
		if again, err = replaceCalls(m, main); err != nil {
			return err
		}
	}
	m.Operation().RemoveAttribute("jax.uses_shape_polymorphism")
	return staysDynamic(main)
}

// checkUsers refuses unknown operations that take a dynamic shape. The pass stablehlo-refine-shapes asks the dialect of
// each operation that takes a value whose shape it has refined, and ends the process if there is none.
func checkUsers(m *mlir.Module) (err error) {
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		for i, v := range op.Operands() {
			if isDynamic(v.Type()) && !op.IsRegistered() {
				err = refineError(op, "the library does not know this operation, and operand %d has a dynamic shape: %s",
					i, v.Type())
				return mlir.WalkStop
			}
		}
		return mlir.WalkContinue
	})
	return err
}

// refineShapes are the passes that propagate the shapes of main's arguments.
const refineShapes = "stablehlo-refine-shapes," + onFunction + "(stablehlo-canonicalize-dynamism),cse"

func runPasses(m *mlir.Module, passes string) error {
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: onModule + "(" + passes + ")"})
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Run(m)
}

const function = onFunction

func isMain(op mlir.Operation) bool {
	symbol, ok := op.Symbol()
	return ok && symbol == "main" && op.Name() == function
}

// mainOf returns the function main, which has one block.
func mainOf(m *mlir.Module) (mlir.Operation, error) {
	for op := range m.Body().Operations() {
		if !isMain(op) {
			continue
		}
		if n := op.Region(0).NumBlocks(); n != 1 {
			return mlir.Operation{}, refineError(op, "main has %d blocks: it must have one", n)
		}
		return op, nil
	}
	return mlir.Operation{}, &RefineError{Argument: -1, Reason: "the module has no function main"}
}

// refinedTypes returns the text of main's argument types with the given shapes.
func refinedTypes(main mlir.Operation, shapes []tensor.Shape) ([]string, error) {
	block := main.Region(0).First()
	if n := block.NumArguments(); n != len(shapes) {
		reason := fmt.Sprintf("main takes %d arguments, but %d shapes are given", n, len(shapes))
		if _, ok := platformArgument(main); ok {
			reason += " (one argument is the index of the platform: call SelectPlatform first)"
		}
		return nil, &RefineError{Argument: -1, Reason: reason}
	}
	types := make([]string, len(shapes))
	for i, v := range block.Arguments() {
		t, err := refinedType(v.Type(), shapes[i])
		if err != nil {
			return nil, &RefineError{Argument: i, Reason: err.Error()}
		}
		types[i] = t.String()
	}
	return types, nil
}

func refinedType(t mlir.Type, s tensor.Shape) (mlir.Type, error) {
	if IsToken(t) {
		if s.DType != tensor.Token {
			return t, fmt.Errorf("it is a token, but %s is given", s)
		}
		return t, nil
	}
	declared, err := ShapeOf(t)
	if err != nil {
		return t, fmt.Errorf("it is %s, but only tensors of numbers and tokens can be refined", t)
	}
	if err := s.Check(); err != nil {
		return t, err
	}
	switch {
	case declared.DType != s.DType:
		return t, fmt.Errorf("it is %s, but %s is given", t, s)
	case declared.Rank() != s.Rank():
		return t, fmt.Errorf("it is %s, which has %d dimensions, but %s is given", t, declared.Rank(), s)
	}
	bounds, _ := DimensionsOf(t)
	for i, d := range s.Dims {
		switch want := declared.Dims[i]; {
		case want >= 0 && want != d:
			return t, fmt.Errorf("dimension %d of %s is %d, but %s is given", i, t, want, s)
		case want < 0 && bounds[i].Bound > 0 && int64(d) > bounds[i].Bound:
			return t, fmt.Errorf("dimension %d of %s is at most %d, but %s is given", i, t, bounds[i].Bound, s)
		}
	}
	return TensorType(t.Context(), s)
}

// staysDynamic returns an error for the first value whose shape is dynamic.
func staysDynamic(main mlir.Operation) (err error) {
	main.Walk(func(op mlir.Operation) mlir.WalkAction {
		for _, v := range op.Results() {
			if isDynamic(v.Type()) {
				what := "its result"
				if call, ok := AsCustomCall(op); ok {
					what = "the result of @" + call.Target
				}
				err = refineError(op, "the shape of %s stays dynamic: %s", what, v.Type())
				return mlir.WalkStop
			}
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, v := range b.Arguments() {
					if isDynamic(v.Type()) {
						err = refineError(op, "the shape of an argument of its region stays dynamic: %s", v.Type())
						return mlir.WalkStop
					}
				}
			}
		}
		return mlir.WalkContinue
	})
	return err
}

// isDynamic reports whether a type has a shape that is not static.
func isDynamic(t mlir.Type) bool {
	if elements, isTuple := t.Elements(); isTuple {
		return slices.ContainsFunc(elements, isDynamic)
	}
	if !t.IsShaped() {
		return false
	}
	dims, ranked := t.Dims()
	return !ranked || slices.Contains(dims, mlir.Dynamic)
}
