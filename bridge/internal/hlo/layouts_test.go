package hlo

import "testing"

// A damaged program is not read beyond its end.
func TestDamagedLayouts(t *testing.T) {
	shape := append([]byte{2 << 3, 11, 3<<3 | 2, 2, 2, 3}, message(5, []byte{1<<3 | 2, 2, 0, 1})...)
	parameter := append(message(2, []byte("parameter")), append([]byte{0x98, 2, 1}, message(3, shape)...)...)
	main := append(message(1, []byte("main")), append(message(2, parameter), 6<<3, 1)...)
	program := message(1, append(message(2, []byte("main")), message(3, main)...))
	if a, found := OtherLayout(program, nil); !found || a.What != "parameter" {
		t.Fatalf("the whole program has %+v", a)
	}
	for n := range program {
		OtherLayout(program[:n], nil)
	}
}
