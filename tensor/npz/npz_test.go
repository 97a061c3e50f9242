package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	check.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func array(t *testing.T, f *File, name string) Array {
	t.Helper()
	a, err := f.Array(name, nil)
	check.NoError(t, err)
	return a
}

func elements(v tensor.View) []string {
	list := []string{}
	for i := range v.Shape.NumElements() {
		list = append(list, fmt.Sprint(v.At(i)))
	}
	return list
}

// numbers returns the elements of numpy.arange(n), as text in a dtype.
func numbers(d tensor.DType, n int) []string {
	list := []string{}
	for i := range n {
		switch d {
		case tensor.Pred:
			list = append(list, fmt.Sprint(i != 0))
		case tensor.C64, tensor.C128:
			list = append(list, fmt.Sprintf("(%d+0i)", i))
		default:
			list = append(list, fmt.Sprint(i))
		}
	}
	return list
}

func TestReadNumPy(t *testing.T) {
	f := open(t, "testdata/numpy.npz")
	for _, s := range table {
		if !s.native {
			continue
		}
		all := numbers(s.dtype, 6)
		for suffix, want := range map[string]struct {
			shape    tensor.Shape
			elements []string
		}{
			"":         {tensor.ShapeOf(s.dtype, 2, 3), all},
			"_fortran": {tensor.ShapeOf(s.dtype, 2, 3), all},
			"_swapped": {tensor.ShapeOf(s.dtype, 2, 3), all},
			"_scalar":  {tensor.ShapeOf(s.dtype), all[5:]},
			"_empty":   {tensor.ShapeOf(s.dtype, 0, 3), []string{}},
		} {
			t.Run(s.name+suffix, func(t *testing.T) {
				a := array(t, f, s.name+suffix)
				if !a.View.Shape.Equal(want.shape) {
					t.Errorf("shape %s, want %s", a.View.Shape, want.shape)
				}
				if diff := cmp.Diff(want.elements, elements(a.View)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	cube := array(t, f, "cube_fortran").View
	if diff := cmp.Diff(numbers(tensor.S32, 24), elements(cube)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, cube.Shape.Dims); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"record": "elements are records",
		"text":   `element type "<U1" is not supported`,
		"absent": "there is no array",
	} {
		if _, err := f.Array(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}

func TestReadVersions(t *testing.T) {
	for _, path := range []string{"testdata/version1.npy", "testdata/version2.npy", "testdata/version3.npy"} {
		f := open(t, path)
		if !f.IsSingle() {
			t.Errorf("%s: not taken for a single array", path)
		}
		v := array(t, f, "").View
		if !v.Shape.Equal(tensor.ShapeOf(tensor.F32, 2, 3)) {
			t.Errorf("%s: %s", path, v.Shape)
		}
		if diff := cmp.Diff(numbers(tensor.F32, 6), elements(v)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// ml_dtypes stores only the size of its types in the file.
func TestReadMLDTypes(t *testing.T) {
	f := open(t, "testdata/ml_dtypes.npz")
	for name, want := range map[string]struct {
		dtype tensor.DType
		data  []byte
	}{
		"bfloat16":      {tensor.BF16, []byte{0, 0, 0x80, 0x3f, 0, 0x40, 0x40, 0x40, 0x80, 0x40, 0xa0, 0x40}},
		"float8_e5m2":   {tensor.F8E5M2, []byte{0, 0x3c, 0x40, 0x42, 0x44, 0x45}},
		"float8_e4m3fn": {tensor.F8E4M3FN, []byte{0, 0x38, 0x40, 0x44, 0x48, 0x4a}},
		"int4":          {tensor.S4, []byte{0, 1, 2, 3, 4, 5}},
		"uint4":         {tensor.U4, []byte{0, 1, 2, 3, 4, 5}},
	} {
		v, err := array(t, f, name).As(want.dtype)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tensor.View{Shape: tensor.ShapeOf(want.dtype, 2, 3), Data: want.data}, v); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// corpus returns files that NumPy wrote for other tests.
const corpus = "../../tests/testdata/modules"

func TestCorpusRoundTrip(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus, "*.npz"))
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d files in %s: %v", len(paths), corpus, err)
	}
	for _, path := range paths {
		f := open(t, path)
		var list []Named
		for _, name := range f.Names() {
			list = append(list, Named{name, array(t, f, name).View})
		}
		if len(list) == 0 {
			t.Errorf("%s: no arrays", path)
		}
		copied := filepath.Join(t.TempDir(), "copy.npz")
		check.NoError(t, WriteFile(copied, list))
		g := open(t, copied)
		if diff := cmp.Diff(f.Names(), g.Names()); diff != "" {
			t.Error(diff)
		}
		for _, n := range list {
			a := array(t, g, n.Name)
			v, err := a.As(n.View.Shape.DType)
			if err != nil {
				t.Errorf("%s: %s: %v", path, n.Name, err)
			}
			if diff := cmp.Diff(n.View, v); diff != "" {
				t.Errorf("%s: %s: %s", path, n.Name, diff)
			}
		}
	}
}

// Encode writes, byte for byte, what NumPy writes.
func TestEncodeAsNumPy(t *testing.T) {
	want, err := os.ReadFile("testdata/version1.npy")
	check.NoError(t, err)
	v, err := tensor.FromSlice([]float32{0, 1, 2, 3, 4, 5}, 2, 3)
	check.NoError(t, err)
	var got bytes.Buffer
	check.NoError(t, Encode(&got, v))
	if diff := cmp.Diff(want, got.Bytes()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteEveryType(t *testing.T) {
	var list []Named
	for _, d := range tensor.DTypes() {
		for _, dims := range [][]int{nil, {3}, {2, 0}, {2, 1, 2}} {
			v := tensor.View{Shape: tensor.ShapeOf(d, dims...)}
			v.Data = bytes.Repeat([]byte{1}, v.Shape.NumBytes())
			list = append(list, Named{fmt.Sprintf("%s_%v", d, dims), v})
		}
	}
	path := filepath.Join(t.TempDir(), "all.npz")
	check.NoError(t, WriteFile(path, list))
	f := open(t, path)
	for _, n := range list {
		a := array(t, f, n.Name)
		if diff := cmp.Diff(Array{View: n.View, Declared: true}, a); diff != "" {
			t.Errorf("%s: %s", n.Name, diff)
		}
	}
	if len(list) == 0 || len(f.Names()) != len(list) {
		t.Errorf("%d arrays of %d", len(f.Names()), len(list))
	}
}

// An entry "dtypes" exists only if it is needed.
func TestWritePlainTypes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plain.npz")
	check.NoError(t, WriteFile(path, []Named{{"out0", tensor.Scalar(float32(1))}}))
	if f := open(t, path); f.Has(typesEntry) {
		t.Errorf("there is an entry %q", typesEntry)
	}
}

func TestWriteFailsWhole(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.npz")
	broken := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 4), Data: make([]byte, 3)}
	if err := WriteFile(path, []Named{{"out0", broken}}); err == nil {
		t.Error("a view with too little data was written")
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAs(t *testing.T) {
	view := func(d tensor.DType, data ...byte) Array {
		return Array{View: tensor.View{Shape: tensor.ShapeOf(d, len(data)/d.Size()), Data: data}}
	}
	declared := func(a Array) Array { a.Declared = true; return a }
	for name, test := range map[string]struct {
		array Array
		want  tensor.DType
		err   string // "" where it works
	}{
		"same":                   {view(tensor.F32, 0, 0, 0, 0), tensor.F32, ""},
		"bf16 from u16":          {view(tensor.U16, 1, 2), tensor.BF16, ""},
		"bf16 from s16":          {view(tensor.S16, 1, 2), tensor.BF16, ""},
		"bf16 from f16":          {view(tensor.F16, 1, 2), tensor.BF16, "it is f16, not bf16"},
		"bf16 from u8":           {view(tensor.U8, 1, 2), tensor.BF16, "it is u8, not bf16"},
		"f16 from u16":           {view(tensor.U16, 1, 2), tensor.F16, "it is u16, not f16"},
		"s16 from u16":           {view(tensor.U16, 1, 2), tensor.S16, "it is u16, not s16"},
		"f8 from u8":             {view(tensor.U8, 0xff), tensor.F8E5M2, ""},
		"f8 from declared u8":    {declared(view(tensor.U8, 1)), tensor.F8E5M2, "it is u8, not f8e5m2"},
		"f8 from another f8":     {declared(view(tensor.F8E4M3, 1)), tensor.F8E5M2, "it is f8e4m3, not f8e5m2"},
		"s4 from s8":             {view(tensor.S8, 7, 0xf8), tensor.S4, ""},
		"s4 out of range":        {view(tensor.S8, 0, 8), tensor.S4, "element 1 does not fit into s4"},
		"s4 below range":         {view(tensor.S8, 0xf7), tensor.S4, "element 0 does not fit into s4"},
		"u4 from u8":             {view(tensor.U8, 15), tensor.U4, ""},
		"u4 out of range":        {view(tensor.U8, 15, 16), tensor.U4, "element 1 does not fit into u4"},
		"u2 out of range":        {view(tensor.U8, 4), tensor.U2, "element 0 does not fit into u2"},
		"f4 out of range":        {view(tensor.U8, 16), tensor.F4E2M1FN, "element 0 does not fit into f4e2m1fn"},
		"pred from u8":           {view(tensor.U8, 1), tensor.Pred, "it is u8, not pred"},
		"token":                  {view(tensor.U8, 1), tensor.Token, "it is u8, not token"},
		"s32 from f32 of a size": {view(tensor.F32, 0, 0, 0, 0), tensor.S32, "it is f32, not s32"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := test.array.As(test.want)
			if test.err == "" {
				if err != nil || v.Shape.DType != test.want || !bytes.Equal(v.Data, test.array.View.Data) {
					t.Errorf("got %v, %v", v, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want one with %q", err, test.err)
			}
			if typeError := strings.HasPrefix(test.err, "it is"); typeError != errors.Is(err, ErrType) {
				t.Errorf("errors.Is(%v, ErrType) is not %t", err, typeError)
			}
		})
	}
}

// TestNibbles reads signed integers of 4 bits as ml_dtypes writes them: without the bits of their signs.
func TestNibbles(t *testing.T) {
	file := npy("{'descr': '|V1', 'fortran_order': False, 'shape': (4,), }\n", 8, 7, 15, 0xff)
	read, err := Decode(bytes.NewReader(file), nil)
	check.NoError(t, err)
	v, err := Array{View: read}.As(tensor.S4)
	check.NoError(t, err)
	check.Diff(t, "elements", []byte{0xf8, 7, 0xff, 0xff}, v.Data)
}

func npy(header string, data ...byte) []byte {
	return slices.Concat([]byte(magic+"\x01\x00"), []byte{byte(len(header)), byte(len(header) >> 8)}, []byte(header),
		data)
}

func TestDecodeDamaged(t *testing.T) {
	const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "it is not a .npy array"},
		"text":           {[]byte("hello, world"), "it is not a .npy array"},
		"no version":     {[]byte(magic), "it is not a .npy array"},
		"version 4":      {[]byte(magic + "\x04\x00\x00\x00"), "version 4"},
		"no length":      {[]byte(magic + "\x01\x00\x10"), "header is truncated"},
		"no length v2":   {[]byte(magic + "\x02\x00\x10\x00"), "header is truncated"},
		"short header":   {[]byte(magic + "\x01\x00\x10\x00{}"), "header is truncated"},
		"huge header":    {[]byte(magic + "\x02\x00\xff\xff\xff\xff{}"), "it claims 4294967295 bytes"},
		"no dictionary":  {npy("hello"), "header is damaged"},
		"no shape":       {npy("{'descr': '<f4', 'fortran_order': False}"), "header is damaged"},
		"no order":       {npy("{'descr': '<f4', 'shape': (1,)}"), "header is damaged"},
		"negative":       {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "header is damaged"},
		"shape of words": {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}"), "header is damaged"},
		"overflow": {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}"),
			"f32["},
		"promises too much": {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", 1, 2),
			"it is truncated"},
		"shape twice": {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (2,)}", 0, 0, 0, 0),
			"header is damaged"},
		"type twice": {npy("{'descr': '<f4', 'fortran_order': False, 'descr': '<i4', 'shape': (1,)}", 0, 0, 0,
			0), "header is damaged"},
		"dimension too big": {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
			"header is damaged"},
		"too much":      {npy(good, 1, 2, 3, 4, 5), "f32[1] needs 4 bytes and there are more"},
		"objects":       {npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"), `"|O" is not supported`},
		"strange order": {npy("{'descr': '<>f4', 'fortran_order': False, 'shape': (1,)}"), `"<>f4" is not supported`},
		"cut off":       {npy(good, 1, 2, 3), "f32[1] needs 4 bytes and there are 3"},
	} {
		t.Run(name, func(t *testing.T) {
			if v, err := Decode(bytes.NewReader(test.data), nil); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v, want an error with %q", v, err, test.want)
			}
		})
	}
	if _, err := Decode(bytes.NewReader(npy(good, 0, 0, 0, 0)), nil); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

// TestDecodeUnread passes on why the data cannot be read.
func TestDecodeUnread(t *testing.T) {
	data := npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }\n", 7)
	broken := errors.New("the disk is broken")
	for n := range len(data) {
		_, err := Decode(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken)), nil)
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestOpenDamaged(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "absent.npz")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	text := func(s string) Named { return Named{typesEntry, tensor.Vector([]byte(s)...)} }
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"no zip":      {[]byte("hello"), "neither a .npy array nor a .npz archive"},
		"cut off zip": {[]byte("PK\x03\x04"), "neither a .npy array nor a .npz archive"},
		"twice": {archive(t, Named{"in0", tensor.Scalar(uint8(1))}, Named{"in0", tensor.Scalar(uint8(2))}),
			`it contains "in0" twice`},
		"types too long": {bomb(t, typesEntry, "{'descr': '|u1', 'fortran_order': False, 'shape': (1073741824,), }\n",
			9), "dtypes: it claims 1073741824 bytes"},
		"types cut off":   {archive(t, text("{}"))[:60], "neither a .npy array nor a .npz archive"},
		"types no json":   {archive(t, text("{")), "must be JSON"},
		"types not known": {archive(t, text(`{"in0": "float7"}`)), `gives in0 the unknown type "float7"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.npz")
			check.NoError(t, os.WriteFile(path, test.data, 0o644))
			if _, err := Open(path); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, archive(t, text(`{"a": "bfloat16"}`), Named{"a", tensor.Scalar(uint8(1))}),
		0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path).Array("a", nil); err == nil ||
		!strings.Contains(err.Error(), "a: declared as bf16, but") {
		t.Errorf("a wrong declaration: %v", err)
	}
}

func save(t *testing.T, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.npz")
	check.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// bomb returns an archive of one array whose header is followed by many zeros.
func bomb(t *testing.T, name, header string, zeroes int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name + ".npy")
	if err == nil {
		_, err = w.Write(npy(header))
	}
	if err == nil {
		_, err = io.Copy(w, io.LimitReader(zeros{}, zeroes))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An unwanted array is not read: here its data cannot be read.
func TestArrayNotWanted(t *testing.T) {
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2147483648,), }\n"
	f := open(t, save(t, bomb(t, "in0", header, 8)))
	unwanted := errors.New("unwanted")
	var got Header
	_, err := f.Array("in0", func(h Header) error { got = h; return unwanted })
	if !errors.Is(err, unwanted) {
		t.Errorf("error %v, want the one of the function", err)
	}
	if diff := cmp.Diff(Header{Shape: tensor.ShapeOf(tensor.F32, 1<<31)}, got); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if _, err := f.Array("in0", nil); err == nil {
		t.Error("the data is whole, so this test shows nothing")
	}
}

// The data continue behind the array: they are not unpacked.
func TestArrayExcess(t *testing.T) {
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"
	data := bomb(t, "in0", header, 1<<26)
	f := open(t, save(t, data))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.Array("in0", nil)
	runtime.ReadMemStats(&after)
	check.Error(t, err, "f32[2] needs 8 bytes and there are more")
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes of memory for an array of 8", n)
	}
}

// TestLyingSizes opens files that state more than they have. Nothing is allocated for it.
func TestLyingSizes(t *testing.T) {
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n"
	const huge = 1 << 36 // elements
	// state changes sizes in the directory of an archive: of what is compressed, and of what it stands for.
	state := func(data []byte, compressed, size uint32) []byte {
		at := bytes.Index(data, []byte("PK\x01\x02")) + 20
		binary.LittleEndian.PutUint32(data[at:], compressed)
		binary.LittleEndian.PutUint32(data[at+4:], size)
		return data
	}
	stored := archive(t, Named{"in0", tensor.Vector[float32](1, 2)})
	small := uint32(len(npy(fmt.Sprintf(header, 2))) + 8)
	// Two entries of the directory that have the same data: with 1,000 of them, 1 MB would be 1 TB.
	twice := archive(t, Named{"in0", tensor.Vector(make([]byte, 4096)...)}, Named{"in1", tensor.Scalar[byte](1)})
	second := bytes.LastIndex(twice, []byte("PK\x01\x02"))
	first := bytes.Index(twice, []byte("PK\x01\x02"))
	copy(twice[second+16:second+28], twice[first+16:first+28]) // checksum and sizes
	copy(twice[second+42:second+46], twice[first+42:first+46]) // where it is
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"npy", npy(fmt.Sprintf(header, huge), 1, 2, 3, 4),
			"it is truncated: f32[68719476736] needs 274877906944 bytes and there are 4"},
		{"compressed", bomb(t, "in0", fmt.Sprintf(header, huge), 1<<20),
			"needs 274877906944 bytes and there are 1048576"},
		{"an archive that agrees", state(bomb(t, "in0", fmt.Sprintf(header, 1<<29), 1<<10), 64, 1<<31),
			`"in0.npy" states 2147483648 bytes, and its 64 compressed ones can be 66048 at most`},
		{"an archive of more", state(bytes.Clone(stored), 1<<31, 1<<31), "its entries state more bytes than the"},
		{"an archive of less", state(bytes.Clone(stored), small, small-1), "its header cannot be read"},
		{"entries of the same bytes", twice, "its entries state more bytes than the"},
		{"a product that overflows", npy(strings.Replace(header, "%d,", "4294967296, 4294967296, 2", 1)),
			"is larger than any array can be"},
		{"many dimensions", npy(strings.Replace(header, "%d,", strings.Repeat("1, ", 1000)+"9", 1)),
			"needs 36 bytes and there are 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := save(t, test.data)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Open(path)
			if err == nil {
				defer f.Close()
				name := ""
				if !f.IsSingle() {
					name = "in0"
				}
				_, err = f.Array(name, nil)
			}
			runtime.ReadMemStats(&after)
			check.Error(t, err, test.want)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes of memory for %v", n, err)
			}
			if err != nil && len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// A zip archive has a checksum of each array.
func TestArrayChecksum(t *testing.T) {
	data := archive(t, Named{"in0", tensor.Vector[float32](1, 2)})
	good := bytes.Clone(data)
	at := bytes.Index(data, []byte{0, 0, 0x80, 0x3f}) // 1 as float32
	data[at]++
	if _, err := open(t, save(t, data)).Array("in0", nil); err == nil ||
		!strings.Contains(err.Error(), "it is damaged: zip: checksum error") {
		t.Errorf("error %v, want one of the checksum", err)
	}
	if _, err := open(t, save(t, good)).Array("in0", nil); err != nil {
		t.Error(err)
	}
}

// A file that is read at several positions must not be a pipe or a directory.
func TestOpenNoFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{dir: "is a directory", os.DevNull: "is a pipe or a device"} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
}

func archive(t *testing.T, arrays ...Named) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, a := range arrays {
		check.NoError(t, writeEntry(w, a))
	}
	check.NoError(t, w.Close())
	return b.Bytes()
}

func FuzzDecode(f *testing.F) {
	f.Add(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }\n", 0, 0, 0, 0, 0, 0, 0, 0))
	f.Add([]byte(magic + "\x03\x00\x02\x00\x00\x00{}"))
	f.Add(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (68719476736, 1), }\n", 0, 0, 0, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Decode(bytes.NewReader(data), nil)
		if err == nil && v.Check() != nil {
			t.Errorf("%v", v.Check())
		}
	})
}
