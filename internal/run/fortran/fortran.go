// Package fortran calls subroutines of a BLAS or LAPACK library by name. The library is found
// at run time.
package fortran

// #include "fortran.h"
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
)

// A Library is an open library of subroutines. It is safe for concurrent use.
type Library struct {
	dl     *dl.Library
	prefix string
}

// prefixes are what libraries put before the name of a subroutine. SciPy's OpenBLAS for Windows has some names without
// one, too.
var prefixes = []string{"scipy_", ""}

// Open opens the library at a path. known is the name of a subroutine that it must have,
// such as "dpotrf": Open finds out by it how the library spells names.
func Open(path, known string) (*Library, error) {
	library, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	for _, prefix := range prefixes {
		l := &Library{library, prefix}
		if _, err := l.Routine(known); err != nil {
			continue
		}
		if l.wide() {
			return nil, fmt.Errorf("the library %s has integers of 64 bits, and must have integers of 32 bits", path)
		}
		if err := checkStreaming(l.text("openblas_get_corename"), streaming()); err != nil {
			return nil, fmt.Errorf("the library %s %w", path, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("the library %s has neither scipy_%s_ nor %[2]s_: it is not a LAPACK for Fortran with 32-bit integers", path, known)
}

// wide reports whether integers have 64 bits. Names do not tell in all libraries. The routine
// ilaver stores the version of LAPACK in three integers.
func (l *Library) wide() bool {
	version, err := l.Routine("ilaver")
	if err != nil {
		return false // a LAPACK of before 2006
	}
	numbers := [3]int64{-1, -1, -1}
	version.Call(1, Arg{Address: unsafe.Pointer(&numbers[0])}, Arg{Address: unsafe.Pointer(&numbers[1])},
		Arg{Address: unsafe.Pointer(&numbers[2])})
	return numbers[0]>>32 == 0 // otherwise only half of the number was stored
}

// streaming returns how many bytes a vector has in the streaming mode of SME, or 0 if it cannot be found out.
func streaming() int { return int(C.calliope_fortran_streaming()) }

// checkStreaming returns an error if OpenBLAS has chosen code that is wrong on this processor. In OpenBLAS 0.3.34 that
// for SME takes vectors to have 64 bytes in streaming mode, as they have in processors that are sold. With shorter ones
// its products are wrong, and with longer ones it writes past their end.
func checkStreaming(core string, bytes int) error {
	if !strings.EqualFold(core, "armv9sme") || bytes == 64 || bytes == 0 {
		return nil
	}
	return fmt.Errorf("has code for streaming vectors of 512 bits, and this processor's have %d: "+
		"set OPENBLAS_CORETYPE=armv8sve", 8*bytes)
}

// Path returns the path that the library was opened with.
func (l *Library) Path() string { return l.dl.Path() }

// Version returns what the library says of its version and its processor, or "" if it says
// nothing.
func (l *Library) Version() string {
	return l.text("openblas_get_config")
}

// text returns what a function of OpenBLAS returns, or "" if there is none.
func (l *Library) text(name string) string {
	function := l.dl.Symbol(l.prefix + name)
	if function == nil {
		return ""
	}
	return C.GoString(C.calliope_fortran_text(function))
}

// A Routine is a subroutine.
type Routine struct{ address unsafe.Pointer }

// Routine returns the subroutine with a name, in lower case and without underscores.
func (l *Library) Routine(name string) (Routine, error) {
	address := l.dl.Symbol(l.prefix + name + "_")
	if address == nil {
		return Routine{}, fmt.Errorf("the library %s has no %s", l.Path(), l.prefix+name+"_")
	}
	return Routine{address}, nil
}

// MaxArgs is the most arguments that a call may have.
const MaxArgs = C.CALLIOPE_FORTRAN_ARGS

// An Arg is what Fortran calls an actual argument. Its memory is Go's or C's.
type Arg struct {
	Address unsafe.Pointer
	Step    int // how many bytes further it is in each next call
}

// Call calls the subroutine a number of times, one call after the other. Memory of Go is pinned
// until Call returns, and must not contain pointers. Up to four arguments may be strings, each
// of one character.
//
// Fortran passes the length of each string as a word after all arguments. Call passes four
// words 1 always. A subroutine ignores the words that it does not take, because in the C
// calling conventions of all supported platforms the caller makes the place for them, and
// removes it.
//
// Call panics if the Routine is the zero value, or if there are more than MaxArgs arguments.
func (r Routine) Call(times int, args ...Arg) {
	if r.address == nil || len(args) > MaxArgs {
		panic(fmt.Sprintf("fortran: a call of %v with %d arguments", r.address, len(args)))
	}
	var list [MaxArgs]C.calliope_fortran_arg
	var pinner runtime.Pinner
	defer pinner.Unpin()
	for i, arg := range args {
		if arg.Address != nil {
			pinner.Pin(arg.Address)
		}
		list[i] = C.calliope_fortran_arg{(*C.char)(arg.Address), C.size_t(arg.Step)}
	}
	C.calliope_fortran_call(r.address, C.int64_t(times), &list[0], C.int(len(args)))
}
