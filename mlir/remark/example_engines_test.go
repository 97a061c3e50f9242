//go:build engines

package remark_test

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/remark"
	"github.com/calliope-mlir/calliope/native"
)

// A pass in Go reports what it did not do, and a function gets the remarks of one category.
func ExampleOn() {
	at, err := native.Ensure(context.Background(), native.IREE, native.EnsureOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	library, err := mlir.Open(mlir.OpenOptions{Path: at.Path})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	stop, err := remark.On(c, remark.Options{Missed: "inline.*"}, func(r remark.Remark) { fmt.Println(r) })
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()
	m, err := c.Parse("calls.mlir", []byte("func.func private @big()\nfunc.func private @small()"))
	if err != nil {
		fmt.Println(err)
		return
	}
	passes, err := c.NewPassManager(mlir.PassManagerOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = passes.Nest("func.func").AddPass(mlir.Pass{Name: "inline-small", Run: func(f mlir.Operation) error {
		r := remark.Remark{Kind: remark.Passed, Name: "inlined", Category: "inliner", Location: f.Location()}
		if name, _ := f.Attribute("sym_name"); name.String() == `"big"` {
			r.Kind, r.Name, r.Args = remark.Missed, "kept", []remark.Arg{{Key: "reason", Value: "too big"}}
		}
		remark.Report(f.Context(), r)
		return nil
	}})
	if err == nil {
		err = passes.Run(m)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// calls.mlir:1:1: missed: kept [inliner]: reason=too big
}
