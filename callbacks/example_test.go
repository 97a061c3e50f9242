package callbacks_test

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// A function on Go types is registered under the name that modules call it by. It can be
// tested without a runtime, on a frame of the test's own.
func Example() {
	registry, err := callbacks.NewRegistry("example", callbacks.RegistryOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer registry.Close()
	double := callbacks.Call(func(_ context.Context, x tensor.Array[float32]) (tensor.Array[float32], error) {
		y := x.Clone()
		for i := range y.Data {
			y.Data[i] *= 2
		}
		return y, nil
	})
	err = registry.Register("double", double, callbacks.Options{Signature: "f32[3]->f32[3]"})
	if err != nil {
		fmt.Println(err)
		return
	}

	result := tensor.Vector[float32](0, 0, 0)
	err = double(&callbacks.Frame{Name: "double", Args: []tensor.View{tensor.Vector[float32](1, 2, 3)},
		Results: []tensor.View{result}})
	fmt.Println(result, err)

	fmt.Println(registry.Unregister("duble"))
	// Output:
	// f32[3] [2 4 6] <nil>
	// callbacks: callback "duble" is not registered in the registry "example" (is it "double"?): register it before the module is compiled, and until its executable is closed
}

// A struct is a tree: its fields are the callback's operands, in order.
func ExampleCall() {
	type batch struct {
		X    tensor.Array[float32]
		Step int32
	}
	type stats struct{ Mean, Max float32 }
	summarize := callbacks.Call(func(_ context.Context, b batch) (stats, error) {
		s := stats{Max: b.X.Data[0]}
		for _, x := range b.X.Data {
			s.Mean += x / float32(len(b.X.Data))
			s.Max = max(s.Max, x)
		}
		return s, nil
	})
	mean, largest := tensor.Scalar[float32](0), tensor.Scalar[float32](0)
	err := summarize(&callbacks.Frame{
		Args:    []tensor.View{tensor.Vector[float32](1, 2, 6), tensor.Scalar[int32](7)},
		Results: []tensor.View{mean, largest},
	})
	fmt.Println(mean, largest, err)

	err = summarize(&callbacks.Frame{Name: "summarize", Args: []tensor.View{tensor.Vector[float32](1)}})
	fmt.Println(err)
	// Output:
	// f32[] 3 f32[] 6 <nil>
	// the function takes 2 arguments, the module gives 1:
	//   .X: takes any f32 array, given f32[1]
	//   .Step: takes s32[], given nothing  <- differs
}

// A map needs a template, which says its keys. The call itself is in the context.
func ExampleTap() {
	metrics := callbacks.Tap(func(ctx context.Context, m map[string]float32) error {
		call, _ := callbacks.FrameOf(ctx)
		fmt.Println("device", call.Device, "loss", m["loss"], "accuracy", m["accuracy"])
		return nil
	}, map[string]float32{"loss": 0, "accuracy": 0})
	_ = metrics(
		&callbacks.Frame{Device: 1, Args: []tensor.View{tensor.Scalar[float32](0.75), tensor.Scalar[float32](0.5)}})
	// Output: device 1 loss 0.5 accuracy 0.75
}

// A slice of views takes whatever arrays come.
func ExampleTap_views() {
	tap := callbacks.Tap(func(_ context.Context, args []tensor.View) error {
		fmt.Println("saw", args[0])
		return nil
	})
	_ = tap(&callbacks.Frame{Args: []tensor.View{tensor.Vector[int32](1, 2, 3)}})
	// Output: saw s32[3] [1 2 3]
}

func ExamplePrint() {
	call := &callbacks.Frame{Args: []tensor.View{tensor.Vector[float32](1, 2.5, -3), tensor.Scalar[int32](7)}}
	for _, o := range []callbacks.PrintOptions{
		{ShowDevice: true, What: map[string]any{"what": "x, step"}},
		{Names: []string{"x", "step"}},
		{Names: []string{"x", "step"}, Format: "step {step:03d}: {x:.1f}"},
	} {
		p, err := callbacks.Print(o)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = p(call)
	}
	// Output:
	// device: 0 what: x, step
	// ( [ 1.   2.5 -3. ] 7 )
	// x: [ 1.   2.5 -3. ]
	// step: 7
	// step 007: [ 1.0  2.5 -3.0]
}

// The signature of a function, so that a module that was built for another one is
// refused when it is compiled.
func ExampleSignatureOf() {
	type batch struct {
		X    tensor.Array[float32]
		Step int32
	}
	signature, err := callbacks.SignatureOf(batch{X: tensor.Array[float32]{Dims: []int{2, 3}}}, float32(0))
	fmt.Println(signature, err)
	// Output: f32[2,3],s32[]->f32[] <nil>
}
