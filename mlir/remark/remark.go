// Package remark reports and collects remarks: what passes say became of optimizations. They are not diagnostics, which
// are text for people. Of the known libraries, IREE's has remarks.
//
// [On] calls a function with the remarks of a context, [WriteFile] writes them to a file, and [Report] reports one, for
// example from an mlir.Pass. As the context, they are for one goroutine at a time.
package remark

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Kind says what became of an optimization.
type Kind int

const (
	Passed   Kind = iota + 1 // it was done
	Missed                   // it was possible and was not done
	Failed                   // it was tried and failed
	Analysis                 // a fact about the program
)

func (k Kind) String() string {
	switch k {
	case Passed:
		return "passed"
	case Missed:
		return "missed"
	case Failed:
		return "failed"
	case Analysis:
		return "analysis"
	}
	return "unknown"
}

// A Remark is what a pass reports of an optimization.
type Remark struct {
	Kind Kind
	// Name is that of the optimization, such as "unroll". Category, which Options choose by, is often the name of the
	// pass. The subcategory and the function may be empty.
	Name, Category, Subcategory, Function string
	Location                              mlir.Location
	Args                                  []Arg
	// ID is the number that the library gave the remark among those of its context.
	ID uint64
}

// An Arg is one fact of a Remark.
type Arg struct{ Key, Value string }

// String returns the remark in one line, such as "loop.mlir:3:5: passed: unroll [loops]: factor=4".
func (r Remark) String() string {
	var b strings.Builder
	if !r.Location.IsNil() {
		b.WriteString(r.Location.Position().String() + ": ")
	}
	fmt.Fprintf(&b, "%s: %s [%s]", r.Kind, r.Name, r.category())
	for i, a := range r.Args {
		fmt.Fprintf(&b, "%s%s=%s", []string{", ", ": "}[max(0, 1-i)], a.Key, a.Value)
	}
	return b.String()
}

func (r Remark) category() string {
	if r.Subcategory == "" {
		return r.Category
	}
	return r.Category + ":" + r.Subcategory
}
