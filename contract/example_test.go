package contract_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

func ExampleConfig_Attrs() {
	signature := contract.Signature(
		[]tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.S32)},
		[]tensor.Shape{tensor.ShapeOf(tensor.F32)})
	fmt.Println(signature)

	config := contract.Config{Form: contract.Call, Callback: "loss", Signature: contract.SignatureHash(signature)}
	attrs, err := config.Attrs()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("target", config.Form.Target())
	for _, a := range attrs {
		fmt.Printf("%s = %v (%T)\n", a.Key, a.Value, a.Value)
	}
	// Output:
	// f32[2,3],s32[]->f32[]
	// target calliope_runtime_call
	// callback = loss (string)
	// form = call (string)
	// signature = f73cfbb21f2ae831 (string)
	// v = 1 (int64)
}

func ExampleDecode() {
	config, err := contract.Decode([]contract.Attr{
		{Key: "v", Value: int64(1)}, {Key: "form", Value: "observe"}, {Key: "callback", Value: "log"},
		{Key: "n_tokens", Value: int64(1)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, ids, tokens, err := config.Split(3)
	fmt.Println(config.Name(), config.Form, data, ids, tokens, err)

	_, err = contract.Decode([]contract.Attr{{Key: "v", Value: int64(5)}})
	fmt.Println(err)
	// Output:
	// log observe 2 0 1 <nil>
	// contract: the module needs version 5 of the callback contract, and this release of Calliope reads versions 1 to 4: use a newer release
}
