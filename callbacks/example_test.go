package callbacks_test

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// What a runtime does with a registered function: it binds the function when a module
// is compiled, and invokes it for each call.
func Example() {
	registry, err := callbacks.NewRegistry("example", callbacks.RegistryOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer registry.Close()
	err = registry.Register("double", callbacks.Call(
		func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
			x, err := tensor.Slice[float32](args[0])
			if err != nil {
				return nil, err
			}
			y := make([]float32, len(x))
			for i := range x {
				y[i] = 2 * x[i]
			}
			return []tensor.View{tensor.Vector(y...)}, nil
		}), callbacks.Options{Signature: "f32[3]->f32[3]"})
	if err != nil {
		fmt.Println(err)
		return
	}

	slot, err := callbacks.Resolve(contract.Config{Form: contract.Call, Callback: "double", Registry: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	result := tensor.Vector[float32](0, 0, 0)
	err = slot.Invoke(&callbacks.Frame{Name: "double", Args: []tensor.View{tensor.Vector[float32](1, 2, 3)}, Results: []tensor.View{result}})
	fmt.Println(result, err)

	_, err = callbacks.Resolve(contract.Config{Form: contract.Call, Callback: "duble", Registry: "example"})
	fmt.Println(err)
	// Output:
	// f32[3] [2 4 6] <nil>
	// callbacks: callback "duble" is not registered in the registry "example" (is it "double"?): register it before the module is compiled, and until its executable is closed
}

func ExampleTap() {
	tap := callbacks.Tap(func(_ context.Context, args []tensor.View) error {
		fmt.Println("saw", args[0])
		return nil
	})
	_ = tap(&callbacks.Frame{Args: []tensor.View{tensor.Vector[int32](1, 2, 3)}})
	// Output: saw s32[3] [1 2 3]
}
