package execution

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// A number of the module may be of a type that Go lacks. A float of 16 bits is its bits, and an integer is in the next
// larger one of Go, or in words of 64 bits. LLVM writes as many bytes as the bits of an integer need, with zeros above
// the bits, and relies on these zeros when it reads (LangRef, load and store). So Go's integers are converted.

const (
	wordBits  = 64
	wideAlign = 16 // the bytes to which LLVM may align an integer of more than a word
)

// goSize returns the bytes of the Go type of an integer.
func goSize(bits int) int {
	size := 1
	for size < wordBits/8 && 8*size < bits {
		size *= 2
	}
	return size * max(1, (bits+wordBits-1)/wordBits)
}

// wide reports whether n has a part of more than a word, which LLVM may align to wideAlign, and Go aligns to 8.
func (n machineType) wide() bool {
	for _, part := range n.parts {
		if part.wide() {
			return true
		}
	}
	return n.kind == layoutInt && n.bits > wordBits
}

// acceptsInt reports whether a Go type holds an integer.
func (n machineType) acceptsInt(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool:
		return n.bits == 1
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return n.bits > 1 && goSize(n.bits) == int(t.Size())
	case reflect.Array:
		return n.bits > wordBits && t.Elem().Kind() == reflect.Uint64 && goSize(n.bits) == int(t.Size())
	}
	return false
}

// acceptsFloat reports whether a Go type holds a float.
func (n machineType) acceptsFloat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return n.bits == t.Bits()
	case reflect.Int16, reflect.Uint16:
		return n.text == "f16" && t != reflect.TypeFor[tensor.BFloat16]() ||
			n.text == "bf16" && t != reflect.TypeFor[tensor.Float16]()
	}
	return false
}

// odd calls f with the address of each integer in a value of Go that has more bits than the module's.
func (n machineType) odd(t reflect.Type, p unsafe.Pointer, f func(n machineType, v reflect.Value) error) error {
	switch {
	case n.kind == layoutInt && n.bits > 1 && n.bits < 8*int(t.Size()):
		return f(n, reflect.NewAt(t, p).Elem())
	case n.kind == layoutStruct && t.Kind() == reflect.Struct:
		for i, part := range n.parts {
			field := t.Field(i)
			if err := part.odd(field.Type, unsafe.Add(p, field.Offset), f); err != nil {
				return err
			}
		}
	case n.kind == layoutArray:
		for i := range n.length {
			if err := n.parts[0].odd(t.Elem(), unsafe.Add(p, uintptr(i)*t.Elem().Size()), f); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack makes what a value of Go at p is for compiled code. The error says that an integer does not fit.
func (n machineType) pack(t reflect.Type, p unsafe.Pointer) error {
	return n.odd(t, p, func(n machineType, v reflect.Value) error {
		value, fits := v, false
		switch {
		case v.CanInt():
			fits = signed(v.Int(), n.bits) == v.Int()
		case v.CanUint():
			fits = unsigned(v.Uint(), n.bits) == v.Uint()
		default:
			value = v.Index(v.Len() - 1)
			fits = unsigned(value.Uint(), n.topBits()) == value.Uint()
		}
		if !fits {
			return fmt.Errorf("%v has more than the %d bits of %s", v, n.bits, n.text)
		}
		if v.CanInt() {
			v.SetInt(int64(unsigned(uint64(v.Int()), n.bits)))
		}
		return nil
	})
}

// unpack makes a value of Go of what compiled code wrote at p.
func (n machineType) unpack(t reflect.Type, p unsafe.Pointer) {
	_ = n.odd(t, p, func(n machineType, v reflect.Value) error {
		switch {
		case v.CanInt():
			v.SetInt(signed(v.Int(), n.bits))
		case v.CanUint():
			v.SetUint(unsigned(v.Uint(), n.bits))
		default:
			top := v.Index(v.Len() - 1)
			top.SetUint(unsigned(top.Uint(), n.topBits()))
		}
		return nil
	})
}

// topBits returns the bits in the last word of an integer.
func (n machineType) topBits() int { return (n.bits-1)%wordBits + 1 }

func signed(x int64, bits int) int64 { return x << (wordBits - bits) >> (wordBits - bits) }

func unsigned(x uint64, bits int) uint64 { return x << (wordBits - bits) >> (wordBits - bits) }

// packed returns v as compiled code takes it.
func (n machineType) packed(v reflect.Value) (reflect.Value, error) {
	if n.kind == layoutPointer || n.kind == layoutFloat {
		return v, nil
	}
	place := reflect.New(v.Type())
	place.Elem().Set(v)
	return place.Elem(), n.pack(v.Type(), place.UnsafePointer())
}

// advice returns what a Go program gives or takes for n, as the end of an error.
func (n machineType) advice() string {
	switch n.kind {
	case layoutInt, layoutFloat:
		return n.goType() + " is wanted"
	case layoutPointer:
		return "a pointer is wanted"
	case layoutArray:
		if n.parts[0].known() {
			return fmt.Sprintf("an array of %d is wanted, in which for each element %s", n.length, n.parts[0].advice())
		}
	case layoutStruct:
		if !n.known() {
			break
		}
		if strings.HasPrefix(n.goType(), "complex") {
			return n.goType() + " is wanted"
		}
		s := fmt.Sprintf("a struct with a field for each of its %d parts is wanted", len(n.parts))
		if n.wide() {
			s += ", in which an integer of more than 64 bits is at a multiple of 16 bytes: let it be the first part"
		}
		return s
	}
	return "Go has no type for " + n.text +
		": let the function take or return a pointer or other numbers, and convert in it"
}

// known reports whether Go has a type for n.
func (n machineType) known() bool {
	for _, part := range n.parts {
		if !part.known() {
			return false
		}
	}
	return n.kind != layoutOther
}

// goType returns how a number is called in Go.
func (n machineType) goType() string {
	switch {
	case n.kind == layoutInt && n.bits == 1:
		return "bool"
	case n.kind == layoutInt && n.bits > wordBits:
		return fmt.Sprintf("[%d]uint64 with the lowest word first", goSize(n.bits)/8)
	case n.kind == layoutInt:
		bits := 8 * goSize(n.bits)
		return fmt.Sprintf("int%d or uint%d", bits, bits)
	case n.kind == layoutFloat && n.text == "f16":
		return "tensor.Float16, int16 or uint16"
	case n.kind == layoutFloat && n.text == "bf16":
		return "tensor.BFloat16, int16 or uint16"
	case n.kind == layoutFloat:
		return fmt.Sprintf("float%d", n.bits)
	case n.kind == layoutStruct && len(n.parts) == 2 && n.parts[0].kind == layoutFloat && n.parts[0].bits > 16 &&
		n.parts[0].text == n.parts[1].text:
		return fmt.Sprintf("complex%d", 2*n.parts[0].bits)
	}
	return "a type that Go lacks"
}
