package nvvm

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// The libraries up to LLVM 22 do not infer the results of these operations. The types are those of the library after
// it, which infers them from the same operands and attributes.

func (o ClusterLaunchControlQueryCancelOp) result() string {
	if o.QueryType == ClusterLaunchControlQueryTypeISCANCELED {
		return "i1"
	}
	return "i32"
}

func (o LdMatrixOp) result() string {
	n := int(o.Num)
	if !o.Shape.IsNil() && strings.Contains(o.Shape.String(), "m = 16") {
		n *= 2 // each matrix takes two registers
	}
	if n <= 1 {
		return "i32"
	}
	return structOf(strings.Repeat(", i32", min(n, 8))[2:]) // more are an error of the verifier
}

func (o MatchSyncOp) result() string {
	if o.Kind == MatchSyncKindAll {
		return structOf("i32, i1")
	}
	return "i32"
}

func (o ReduxOp) result() string { return typeOf(o.Val) }

func (o ShflOp) result() string {
	if o.ReturnValueAndIsValid {
		return structOf(typeOf(o.Val) + ", i1")
	}
	return typeOf(o.Val)
}

func (o VoteSyncOp) result() string {
	if o.Kind == VoteSyncKindBallot {
		return "i32"
	}
	return "i1"
}

func structOf(parts string) string { return "!llvm.struct<(" + parts + ")>" }

// typeOf returns the type of an operand. A missing one is an error of the writer.
func typeOf(v mlir.Value) string {
	if v.IsNil() {
		return "none"
	}
	return v.Type().String()
}
