package jaxexport_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/tensor"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	return check.Must(os.ReadFile(filepath.Join("testdata", name+".jaxexport")))
}

func arrays(texts ...string) (list []jaxexport.Array) {
	for _, text := range texts {
		name, dims, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
		a := jaxexport.Array{Type: name}
		if dims != "" {
			a.Dims = strings.Split(dims, ",")
		}
		list = append(list, a)
	}
	return list
}

func TestRead(t *testing.T) {
	cpu := []string{"cpu"}
	for _, c := range []struct {
		file string
		want jaxexport.Exported
	}{
		{"static", jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[4]", "f32[]"),
			Outputs: arrays("f32[4]", "f32[]"), Kept: []int{0, 1}}},
		{"newer",
			jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[4]"), Outputs: arrays("f32[4]"), Kept: []int{0}}},
		{"unused", jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[4]", "i8[3]", "f32[4]"),
			Outputs: arrays("f32[4]"), Kept: []int{0, 2}}},
		{"platforms", jaxexport.Exported{Platforms: []string{"tpu", "cpu", "cuda"}, Inputs: arrays("f32[3]"),
			Outputs: arrays("f32[3]"), Kept: []int{0}, GlobalConstants: true}},
		{"vjp", jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[4]"), Outputs: arrays("f32[4]"), Kept: []int{0},
			VJP: &jaxexport.Exported{
				Name: "fun_vjp_jax", Platforms: cpu, Inputs: arrays("f32[4]", "f32[4]"), Outputs: arrays("f32[4]"),
				Kept: []int{0, 1}, CallingConvention: 10, Devices: 1,
			}}},
		{"effects",
			jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[2]"), Outputs: arrays("f32[2]"), Kept: []int{0},
				OrderedEffects:   []string{"<class '__main__.Ordered'>"},
				UnorderedEffects: []string{"<class '__main__.Unordered'>"}}},
		{"types", jaxexport.Exported{Platforms: cpu, Kept: []int{0, 1, 2, 3, 4, 5, 6},
			Inputs:  arrays("bool[2]", "ui16[2]", "c64[2]", "bf16[2]", "i4[2]", "f8_e4m3fn[2]", "f16[2]"),
			Outputs: arrays("bool[2]", "ui16[2]", "c64[2]", "bf16[2]", "i4[2]", "f8_e4m3fn[2]", "f16[2]")}},
		{"checks",
			jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[2]"), Outputs: arrays("f32[2]"), Kept: []int{0},
				DisabledChecks: []jaxexport.Check{{Kind: jaxexport.CustomCallCheck, Target: "my.target"},
					{Kind: jaxexport.PlatformCheck}}}},
		{"polymorphic", jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[b,n]", "f32[b,2]"),
			Outputs: arrays("f32[b,2]"), Kept: []int{0, 1}, GlobalConstants: true}},
		{"asserted", jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[2*b,3]", "f32[b]"),
			Outputs: arrays("f32[2]"), Kept: []int{0, 1}, GlobalConstants: true}},
		{"both", jaxexport.Exported{Platforms: []string{"cuda", "cpu"}, Inputs: arrays("f32[b,3]"),
			Outputs: arrays("f32[3]"), Kept: []int{0}, GlobalConstants: true}},
		{"loop", jaxexport.Exported{Platforms: cpu, Inputs: arrays("f32[b]"), Outputs: arrays("f32[]"), Kept: []int{0},
			GlobalConstants: true}},
	} {
		t.Run(c.file, func(t *testing.T) {
			data := read(t, c.file)
			if !jaxexport.Is(data) {
				t.Error("it is not recognized")
			}
			got, err := jaxexport.Read(data)
			check.NoError(t, err)
			c.want.Name, c.want.CallingConvention, c.want.Devices = c.file, 10, 1
			for _, e := range []*jaxexport.Exported{got, got.VJP} {
				if e != nil && !bytes.HasPrefix(e.Module, []byte("ML\xefR")) {
					t.Errorf("the module begins with %q", e.Module[:4])
				}
			}
			check.Diff(t, c.file, &c.want, got, cmpopts.IgnoreFields(jaxexport.Exported{}, "Module"),
				cmpopts.IgnoreUnexported(jaxexport.Exported{}))
		})
	}
}

func TestPlatformIndex(t *testing.T) {
	e := check.Must(jaxexport.Read(read(t, "platforms")))
	for platform, want := range map[string]int{"tpu": 0, "cpu": 1, "cuda": 2} {
		if i, ok := e.PlatformIndex(platform); !ok || i != want || !e.Allows(platform) {
			t.Errorf("%s has the index %d, %v", platform, i, ok)
		}
	}
	if i, ok := e.PlatformIndex("rocm"); ok || e.Allows("rocm") {
		t.Errorf("rocm has the index %d", i)
	}
	if !check.Must(jaxexport.Read(read(t, "checks"))).Allows("rocm") {
		t.Error("a disabled check is made")
	}
}

func TestArray(t *testing.T) {
	for _, c := range []struct {
		text string
		want tensor.Shape
		ok   bool
	}{
		{"f32[4,5]", tensor.ShapeOf(tensor.F32, 4, 5), true},
		{"bool[]", tensor.ShapeOf(tensor.Pred), true},
		{"f8_e8m0fnu[0]", tensor.ShapeOf(tensor.F8E8M0FNU, 0), true},
		{"f32[2*b]", tensor.Shape{}, false},
		{"f32[-1]", tensor.Shape{}, false},
		{"key_fry[2]", tensor.Shape{}, false},
		{"f0[2]", tensor.Shape{}, false},
		{"token[]", tensor.Shape{}, false},
	} {
		a := arrays(c.text)[0]
		check.Diff(t, "text", c.text, a.String())
		if s, ok := a.Shape(); ok != c.ok || ok && !s.Equal(c.want) {
			t.Errorf("%s has the shape %s, %v", a, s, ok)
		}
	}
	check.Diff(t, "checks", []string{"platform", "custom_call", "shape_assertions", "check 7"}, []string{
		jaxexport.PlatformCheck.String(), jaxexport.CustomCallCheck.String(), jaxexport.ShapeAssertionsCheck.String(),
		jaxexport.CheckKind(7).String(),
	})
}

// A file is a flatbuffer in the making.
type file []byte

func (f *file) number(size int, n uint32) int {
	at := len(*f)
	*f = append(*f, binary.LittleEndian.AppendUint32(nil, n)[:size]...)
	return at
}

// refer sets the offset at a position to refer to the end.
func (f *file) refer(at int) { binary.LittleEndian.PutUint32((*f)[at:], uint32(len(*f)-at)) }

// table appends a table whose fields are offsets, and returns their positions.
func (f *file) table(fields ...int) []int {
	last := -1
	if len(fields) > 0 {
		last = slices.Max(fields)
	}
	size := 4 + 2*(last+1)
	f.number(2, uint32(size))
	f.number(2, uint32(4+4*len(fields)))
	for i := range last + 1 {
		offset := uint32(0)
		if j := slices.Index(fields, i); j >= 0 {
			offset = uint32(4 + 4*j)
		}
		f.number(2, offset)
	}
	f.number(4, uint32(size))
	var at []int
	for range fields {
		at = append(at, f.number(4, 0))
	}
	return at
}

// root returns a file with a root table of these fields, after a module if there is one.
func root(fields ...int) (*file, []int) {
	f := &file{}
	f.number(4, 0)
	at := f.table(fields...)
	binary.LittleEndian.PutUint32(*f, uint32(at[0]-4))
	return f, at
}

func (f *file) text(s string) {
	f.number(4, uint32(len(s)))
	*f = append(*f, s...)
}

func TestReadErrors(t *testing.T) {
	module := func(f *file, at int) {
		f.refer(at)
		f.text("ML\xefR")
	}
	manyArrays := func() []byte {
		const n = 1000
		f, at := root(13, 3)
		module(f, at[0])
		f.refer(at[1])
		f.number(4, n)
		var refs []int
		for range n {
			refs = append(refs, f.number(4, 0))
		}
		fieldsAt := f.table(1)
		for _, r := range refs {
			binary.LittleEndian.PutUint32((*f)[r:], uint32(fieldsAt[0]-4-r))
		}
		f.refer(fieldsAt[0])
		f.number(4, n)
		refs = refs[:0]
		for range n {
			refs = append(refs, f.number(4, 0))
		}
		for _, r := range refs {
			f.refer(r)
		}
		f.text(strings.Repeat("b", n))
		return *f
	}
	nested := func() []byte {
		f, at := root(13, 17)
		var modules []int
		for range 40 {
			modules = append(modules, at[0])
			vjp := at[1]
			at = f.table(13, 17)
			binary.LittleEndian.PutUint32((*f)[vjp:], uint32(at[0]-4-vjp))
		}
		modules = append(modules, at[0])
		for _, m := range modules {
			f.refer(m)
		}
		f.text("ML\xefR")
		return *f
	}
	kept := func() []byte {
		f, at := root(13, 15)
		module(f, at[0])
		f.refer(at[1])
		f.number(4, 1)
		f.number(2, 3)
		return *f
	}
	endless := func() []byte {
		f, at := root(13, 15)
		module(f, at[0])
		f.refer(at[1])
		f.number(4, 0xffffffff)
		return *f
	}
	index := func() []byte {
		f, at := root(13, 22)
		module(f, at[0])
		f.refer(at[1])
		f.number(4, 1)
		f.number(4, 3)
		return *f
	}
	noModule := func() []byte {
		f, at := root(1)
		f.refer(at[0])
		f.text("name")
		return *f
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "4 bytes at offset 0 are not in its 0 bytes"},
		{"text", []byte("module {}\n"), "are not in its 10 bytes"},
		{"zeros", make([]byte, 64), "the offset at 0 is zero"},
		{"no module", noModule(), "it has no MLIR module in bytecode"},
		{"kept", kept(), "its module takes the inputs [3], but there are 0 inputs"},
		{"a list that is not there", endless(), "has 4294967295 elements"},
		{"index", index(), "it refers to the type 3 of 0"},
		{"shared", manyArrays(), "it refers to more than it has"},
		{"nested", nested(), "more than 32 nested derivatives"},
		{"cut", read(t, "static")[:1000], "are not in its 1000 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := jaxexport.Read(c.data)
			check.Error(t, err, "jaxexport: the data is not a valid file of jax.export: ", c.want)
		})
	}
	for _, text := range []string{"", "module {}", "ML\xefR", strings.Repeat("\x04\x00\x00\x00", 20)} {
		if jaxexport.Is([]byte(text)) {
			t.Errorf("%q is taken for a file of jax.export", text)
		}
	}
}

// TestReadCut reads every beginning of a file, and the file with each byte changed.
func TestReadCut(t *testing.T) {
	whole := read(t, "static")
	for i := range whole {
		_, _ = jaxexport.Read(whole[:i])
		changed := bytes.Clone(whole)
		changed[i] ^= 0xff
		_, _ = jaxexport.Read(changed)
	}
}

func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.jaxexport")
	if err != nil || len(paths) == 0 {
		f.Fatal("there are no files: ", err)
	}
	for _, path := range paths {
		f.Add(check.Must(os.ReadFile(path)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := jaxexport.Read(data)
		if (e == nil) == (err == nil) {
			t.Errorf("Read returned %v and %v", e, err)
		}
		if err == nil && len(e.Module) > len(data) {
			t.Error("the module is larger than the file")
		}
		if err == nil {
			for _, a := range slices.Concat(e.Inputs, e.Outputs) {
				_, _ = a.Shape()
			}
		}
	})
}

func TestInputPath(t *testing.T) {
	for file, want := range map[string][]string{
		"static": {"args[0]", "args[1]"},
		"trees":  {"args[0][0]['w']", "args[0][1]['b']", "args[0][1]['unused']", "args[1][0]", "kwargs['scale']"},
	} {
		e := check.Must(jaxexport.Read(read(t, file)))
		var got []string
		for i := range e.Inputs {
			got = append(got, e.InputPath(i))
		}
		check.Diff(t, file, want, got)
		check.Diff(t, file+": no input", "", e.InputPath(-1)+e.InputPath(len(e.Inputs)))
	}
}
