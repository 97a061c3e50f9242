package lapack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// Attributes are checked when a module is compiled.
func TestAttributeErrors(t *testing.T) {
	e := elementTypes[1]
	item := e.item(2, 2)
	a := batch{items: []matrix{eye(2)}}
	for _, test := range []struct {
		routine, attributes, want string
		results                   []shape
	}{
		{"potrf", "", `the call lacks the attribute "uplo": it has uplo`, []shape{item, numbers()}},
		{"potrf", option("uplo", 'X'), `the attribute "uplo" is 88 (uint8), and must be the code of one of the characters L, U, a ui8`, []shape{item, numbers()}},
		{"potrf", option("uplo", 0), `the attribute "uplo" is 0 (uint8)`, []shape{item, numbers()}},
		{"potrf", "uplo = 76 : i32", `the attribute "uplo" is 76 (int32)`, []shape{item, numbers()}},
		{"potrf", `uplo = "L"`, `the attribute "uplo" is L (string)`, []shape{item, numbers()}},
		{"potrf", option("uplo", 'L') + ", more = 1 : i32",
			`the attribute "more", which its target does not have: it has uplo`, []shape{item, numbers()}},
		{"getrf", "more = 1 : i32", "it has none", []shape{item, numbers(2), numbers()}},
		{"gehrd", "low = 1 : i64, high = 2 : i32", `the attribute "low" is a int64, and must be a int32`,
			[]shape{item, e.item(1), numbers()}},
		{"gesdd", option("mode", 'O'), `the attribute "mode" is 'O', which is not implemented`,
			[]shape{item, e.item(2), item, item, numbers()}},
		{"gees", option("mode", 'V') + ", " + option("sort", 'S'),
			`the attribute "sort" is 'S', which is not implemented`,
			[]shape{item, item, e.item(2), e.item(2), numbers(), numbers()}},
	} {
		_, err := tryRun(t, e.target(test.routine), test.attributes, []shape{item}, test.results, a)
		check.Error(t, err, `custom call target "`+e.target(test.routine)+`"`, test.want)
	}
}

// Shapes that do not fit fail the run.
func TestShapeErrors(t *testing.T) {
	check.NoRaces(t)
	e := elementTypes[1]
	lower, trsmOptions := option("uplo", 'L'), strings.Join(
		[]string{option("side", 'L'), option("uplo", 'L'), option("trans_x", 'N'), option("diag", 'N')}, ", ")
	square, wide := e.item(2, 2), e.item(2, 3)
	single := func(dims ...int) shape { return shape{tensor.F32, dims} }
	for _, test := range []struct {
		routine, attributes string
		operands, results   []shape
		want                string
	}{
		{"potrf", lower, []shape{wide}, []shape{wide, numbers()}, "operand 0 is f64[2,3], and must be square"},
		{"potrf", lower, []shape{e.item(2)}, []shape{e.item(2), numbers()},
			"operand 0 is f64[2], and must be a matrix or a batch of them"},
		{"potrf", lower, []shape{e.item()}, []shape{e.item(), numbers()}, "operand 0 is f64[], and must be a matrix"},
		{"potrf", lower, []shape{square}, []shape{wide, numbers()},
			"result 0 is f64[2,3], and must be f64[2,2], to fit the other operands"},
		{"potrf", lower, []shape{single(2, 2)}, []shape{single(2, 2), numbers()},
			"operand 0 is f32[2,2], and must be f64[2,2]"},
		{"potrf", lower, []shape{square}, []shape{square, e.item()}, "result 1 is f64[], and must be s32[]"},
		{"potrf", lower, []shape{square}, []shape{square, numbers(1)}, "result 1 is s32[1], and must be s32[]"},
		{"potrf", lower, []shape{square}, []shape{square},
			"the call has 1 operands and 1 results, and must have 1 and 2"},
		{"potrf", lower, []shape{square, square}, []shape{square, numbers()},
			"the call has 2 operands and 2 results, and must have 1 and 2"},
		{"getrf", "", []shape{wide}, []shape{wide, numbers(3), numbers()}, "result 1 is s32[3], and must be s32[2]"},
		{"geqrf", "", []shape{wide}, []shape{wide, e.item(3)}, "result 1 is f64[3], and must be f64[2]"},
		{"geqp3", "", []shape{wide, numbers(2)}, []shape{wide, numbers(3), e.item(2)},
			"operand 1 is s32[2], and must be s32[3]"},
		{"orgqr", "", []shape{wide, e.item(2)}, []shape{wide}, "the matrix must not have more columns than rows"},
		{"orgqr", "", []shape{square, e.item(3)}, []shape{square}, "nor fewer than there are reflectors"},
		{"ormqr", "left = true, transpose = false", []shape{e.item(3, 2), e.item(2), square}, []shape{square},
			"operand 0 is f64[3,2], and must be f64[2,2]"},
		{"ormqr", "left = true, transpose = false", []shape{e.item(2, 3), e.item(3), square}, []shape{square},
			"there must not be more reflectors than the 2 rows of each"},
		{"ormqr", "left = true, transpose = false", []shape{e.item(2, 1), e.item(2), square}, []shape{square},
			"each reflector is a column"},
		{"trsm", trsmOptions, []shape{e.item(3, 3), wide}, []shape{wide},
			"operand 0 is f64[3,3], and must be f64[2,2]"},
		{"trsm", trsmOptions, []shape{square, e.item(2)}, []shape{e.item(2)},
			"operand 1 is f64[2], and must be a matrix"},
		{"gesdd", option("mode", 'A'), []shape{wide}, []shape{wide, e.item(2), square, wide, numbers()},
			"result 3 is f64[2,3], and must be f64[3,3]"},
		{"gesdd", option("mode", 'N'), []shape{wide}, []shape{wide, e.item(2), e.item(), e.item(), numbers()},
			"result 2 is f64[], and must be f64[2,2]"},
		{"syevd", lower + ", " + option("mode", 'V'), []shape{square}, []shape{square, e.item(3), numbers()},
			"result 1 is f64[3], and must be f64[2]"},
		{"geev", geevOptions('V', 'V'), []shape{wide}, geevResults(e, 2), "operand 0 is f64[2,3], and must be square"},
		{"geev", geevOptions('V', 'V'), []shape{square}, []shape{e.item(2), e.item(2), square, square, numbers()},
			"result 2 is f64[2,2], and must be c128[2,2]"},
		{"gees", option("mode", 'V') + ", " + option("sort", 'N'), []shape{wide},
			[]shape{wide, wide, e.item(2), e.item(2), numbers(), numbers()}, "must be square"},
		{"gehrd", "low = 0 : i32, high = 2 : i32", []shape{square}, []shape{square, e.item(1), numbers()},
			"low and high are 0 and 2, and must be in order, from 1 to the order 2"},
		{"gehrd", "low = 2 : i32, high = 1 : i32", []shape{square}, []shape{square, e.item(1), numbers()},
			"low and high are 2 and 1"},
		{"gehrd", "low = 1 : i32, high = 3 : i32", []shape{square}, []shape{square, e.item(1), numbers()},
			"low and high are 1 and 3"},
		{"sytrd", lower, []shape{square}, []shape{square, e.item(2), e.item(2), e.item(1), numbers()},
			"result 2 is f64[2], and must be f64[1]"},
		{"gtsv", "", []shape{e.item(1), e.item(2), e.item(1), square},
			[]shape{e.item(1), e.item(2), e.item(1), square, numbers()}, "operand 0 is f64[1], and must be f64[2]"},
	} {
		var args []batch
		for _, s := range test.operands {
			rows, columns := 1, 1
			for i, d := range s.dims {
				if i == 0 {
					rows = d
				} else {
					columns = d
				}
			}
			args = append(args, batch{items: []matrix{zeros(rows, columns)}})
		}
		_, err := tryRun(t, e.target(test.routine), test.attributes, test.operands, test.results, args...)
		check.Error(t, err, fmt.Sprintf("lapack: %s: ", e.target(test.routine)), test.want)
	}
}
