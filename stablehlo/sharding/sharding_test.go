package sharding

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// A sample is a NamedSharding of JAX, with the slices that its devices_indices_map has.
type sample struct {
	Mesh, Shardy, HLO string
	Devices           int
	Dims              []int
	Starts, Sizes     [][]int
}

func samples(t *testing.T) (list []sample) {
	t.Helper()
	data, err := os.ReadFile("testdata/jax.json")
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil || len(list) < 30 {
		t.Fatal(len(list), err)
	}
	return list
}

// Each form of a sharding gives the devices the slices that JAX gives them.
func TestRegionsOfJAX(t *testing.T) {
	for _, s := range samples(t) {
		shape := tensor.ShapeOf(tensor.F32, s.Dims...)
		m, err := parseMesh(s.Mesh)
		check.NoError(t, err)
		shardy, err := parseShardy(s.Shardy, s.Devices, func(string) (mesh, error) { return m, nil })
		check.NoError(t, err)
		hlo, err := Parse(s.HLO, s.Devices)
		check.NoError(t, err)
		check.Diff(t, s.HLO, true, hlo.Equal(shardy))
		again, err := Parse(hlo.String(), s.Devices)
		check.NoError(t, err)
		check.Diff(t, hlo.String(), true, hlo.Equal(again))
		for device := range s.Devices {
			r, err := hlo.Region(shape, device)
			check.NoError(t, err)
			check.Diff(t, s.HLO, Region{s.Starts[device], s.Sizes[device]}, r)
		}
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text    string
		devices int
		want    string // of String
	}{
		{"{replicated}", 4, "{replicated}"},
		{"{manual}", 4, "{manual}"},
		{"{unknown}", 4, "{unknown}"},
		{"{maximal device=2}", 4, "{maximal device=2}"},
		{"{devices=[2,2]<=[4]}", 4, "{devices=[2,2]0,1,2,3}"},
		{" { devices=[2,2] <= [4] } ", 4, "{devices=[2,2]0,1,2,3}"},
		{"{devices=[2,2]<=[2,2]T(1,0)}", 4, "{devices=[2,2]0,2,1,3}"},
		{"{devices=[2,2]3,1,2,0}", 4, "{devices=[2,2]3,1,2,0}"},
		{"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}", 4,
			"{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}"},
		{"{devices=[2,1,2]<=[4] last_tile_dims={replicated}}", 4, "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}"},
		{"{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}", 8, "{manual}"},
		{"{devices=[1,1,4]<=[4] last_tile_dim_replicate}", 4, "{replicated}"},
		{"{devices=[1]<=[1]}", 1, "{replicated}"},
	} {
		s, err := Parse(test.text, test.devices)
		check.NoError(t, err)
		check.Diff(t, test.text, test.want, s.String())
	}
}

func TestParseErrors(t *testing.T) {
	const form = " is not a sharding in a form that is known here"
	for text, want := range map[string]string{
		"":                                `""` + form,
		"replicated":                      `"replicated"` + form,
		"{replicated":                     form,
		"{replicated} x":                  form,
		"{unreduced}":                     form,
		"{{replicated}, {manual}}":        form,
		"{mesh['x'=4], [{'x'}]}":          form,
		"{devices=[2,2]<=[4] shard_as 1}": form,
		"{devices=[2,2]":                  form,
		"{devices=[2,2]}":                 form,
		"{devices=[2,2]<=[4]T()}":         form,
		"{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}": form,
		"{maximal device=4}":                                        "names device 4, but there are 4 devices",
		"{maximal device=-1}":                                       form,
		"{devices=[2,4]<=[8]}":                                      "it is not for 4 devices",
		"{devices=[2000000000,2000000000]<=[4]}":                    "it is not for 4 devices",
		"{devices=[99999999999999999999]<=[4]}":                     form,
		"{devices=[0,4]<=[4]}":                                      "it is not for 4 devices",
		"{devices=[2,2]<=[8]}":                                      "the numbers after <= do not multiply to 4",
		"{devices=[2,2]<=[2,2]T(0,0)}":                              "not a permutation of the dimensions",
		"{devices=[2,2]<=[2,2]T(0)}":                                "not a permutation of the dimensions",
		"{devices=[2,2]0,1,2}":                                      "its devices are not each of the numbers from 0 to 3",
		"{devices=[2,2]0,1,2,2}":                                    "its devices are not each of the numbers from 0 to 3",
		"{devices=[2,2]0,1,2,4}":                                    "its devices are not each of the numbers from 0 to 3",
		"{devices=[4]<=[4] last_tile_dims={replicated,replicated}}": "fewer dimensions than names",
	} {
		_, err := Parse(text, 4)
		check.Error(t, err, "sharding: ", want)
	}
	_, err := Parse("{replicated}", 0)
	check.Error(t, err, "0 devices for {replicated}")
}

func TestShardy(t *testing.T) {
	meshes := map[string]string{
		"mesh":     `#sdy.mesh<["x"=4, "y"=2]>`,
		"order":    `#sdy.mesh<["x"=4, "y"=2], device_ids=[7, 1, 2, 3, 4, 5, 6, 0]>`,
		"odd name": `#sdy.mesh<["x"=8]>`,
		"one":      `#sdy.mesh<[], device_ids=[3]>`,
		"far":      `#sdy.mesh<[], device_ids=[8]>`,
		"empty":    `#sdy.mesh<[]>`,
		"small":    `#sdy.mesh<["x"=2]>`,
	}
	meshOf := func(name string) (mesh, error) {
		r := reader{meshes: map[string]mesh{}}
		if text, ok := meshes[name]; ok {
			check.NoError(t, r.add(name, text))
		}
		return r.mesh(name)
	}
	for _, test := range []struct {
		text, want string
		open       bool
	}{
		{`#sdy.sharding<@mesh, []>`, "{replicated}", false},
		{`#sdy.sharding<@mesh, [{}, {}]>`, "{replicated}", false},
		{`#sdy.sharding<@mesh, [{?}, {}]>`, "{replicated}", true},
		{`#sdy.sharding<@mesh, [{"y"}, {"x"}]>`, "{devices=[2,4]0,2,4,6,1,3,5,7}", false},
		{`#sdy.sharding<@mesh, [{"y", "x"}]>`, "{devices=[8]0,2,4,6,1,3,5,7}", false},
		{`#sdy.sharding<@mesh, [{"x", ?}p2, {"y"}p0]>`, "{devices=[4,2]0,1,2,3,4,5,6,7}", true},
		{`#sdy.sharding<@mesh, [{"x"}], replicated={"y"}>`, "{devices=[4,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
			false},
		{`#sdy.sharding<@mesh, [{}], replicated={"x":(1)2, "y"}>`, "{replicated}", false},
		{`#sdy.sharding<@mesh, [{"x":(1)2}]>`, "{devices=[2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}", false},
		{`#sdy.sharding<@mesh, [{"x":(2)2}]>`, "{devices=[2,4]0,1,4,5,2,3,6,7 last_tile_dim_replicate}", false},
		// XLA has the same order of devices for this one.
		{`#sdy.sharding<@order, [{"x":(1)2, "y"}p1, {"x":(2)2, ?}p0]>`, "{devices=[4,2]7,2,1,3,4,6,5,0}", true},
		{`#sdy.sharding<@"odd name", [{"x"}]>`, "{devices=[8]0,1,2,3,4,5,6,7}", false},
		{`#sdy.sharding<mesh<["z"=8]>, [{"z":(1)4}]>`, "{devices=[4,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}", false},
		{`#sdy.sharding<@one, []>`, "{maximal device=3}", false},
		{`#sdy.sharding<@empty, [{}]>`, "{replicated}", false},
		{`#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>`, "{devices=[4,1,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
			false},
	} {
		s, err := parseShardy(test.text, 8, meshOf)
		check.NoError(t, err)
		check.Diff(t, test.text, test.want, s.String())
		check.Diff(t, test.text, test.open, s.IsOpen())
	}
	const form = " is not a sharding of Shardy in a form that is known here"
	for text, want := range map[string]string{
		``:                                 form,
		`#sdy.sharding<@mesh, [{"x"}`:      form,
		`#sdy.sharding<@mesh, [{"x"}]> x`:  form,
		`#sdy.sharding<@mesh, [{"nope"}]>`: `"#sdy.sharding<@mesh, [{\"nope\"}]>"` + form,
		`#sdy.sharding<@mesh, [{"x"}], unreduced={"w"}>`:                form,
		`#sdy.sharding<@mesh, [{"x":(3)2}]>`:                            form,
		`#sdy.sharding<@mesh, [{"x":(0)2}]>`:                            form,
		`#sdy.sharding<@mesh, [{"x" "y"}]>`:                             form,
		`#sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>`: form,
		`#sdy.sharding<@nope, [{"x"}]>`:                                 "the module has no mesh @nope",
		`#sdy.sharding<@small, [{"x"}]>`:                                "the mesh has 2 devices, but the module is for 8",
		`#sdy.sharding<@far, []>`:                                       "the mesh has device 8, but there are 8 devices",
		`#sdy.sharding<@mesh, [{"x"}, {"x"}, {"x"}]>`:                   "more parts than the 8 devices",
		`#sdy.sharding<@mesh, [{"y"}, {"y"}]>`:                          "an axis occurs twice",
		`#sdy.sharding<@mesh, [{"x":(1)2}, {"x":(1)2, "y"}]>`:           "an axis occurs twice",
	} {
		_, err := parseShardy(text, 8, meshOf)
		check.Error(t, err, "sharding: ", want)
	}
	for _, text := range []string{"", `#sdy.mesh<["x"=0]>`, `#sdy.mesh<["x"=2, "x"=2]>`,
		`#sdy.mesh<["x"=2], device_ids=[0]>`,
		`#sdy.mesh<["x"=2], device_ids=[0, 0]>`, `#sdy.mesh<["x"=2000000000, "y"=2000000000, "z"=2000000000]>`,
		`#sdy.mesh<["x"=2`, `#sdy.mesh<["x"`} {
		_, err := parseMesh(text)
		check.Error(t, err, "is not a mesh of Shardy in a form that is known here")
	}
}

// numbered returns an array of the numbers from 1.
func numbered(d tensor.DType, dims ...int) tensor.View {
	v := tensor.View{Shape: tensor.ShapeOf(d, dims...)}
	v.Data = make([]byte, v.Shape.NumBytes())
	for i := range v.Data {
		v.Data[i] = byte(i + 1)
	}
	return v
}

// Splitting and joining returns the same array, for each element type and sharding, also if
// the parts are padded or empty.
func TestSplitJoin(t *testing.T) {
	for _, text := range []string{
		"{replicated}", "{maximal device=2}", "{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", "{devices=[2,2]<=[4]}",
		"{devices=[2,2]<=[2,2]T(1,0)}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
		"{devices=[2,2]3,1,2,0}",
	} {
		s, err := Parse(text, 4)
		check.NoError(t, err)
		for _, d := range tensor.DTypes() {
			for _, dims := range [][]int{{4, 8}, {5, 3}, {1, 1}, {9, 2}, {0, 3}, {3, 0}} {
				v := numbered(d, dims...)
				parts, err := s.Split(v)
				check.NoError(t, err)
				check.Diff(t, "parts", 4, len(parts))
				for i, p := range parts {
					check.NoError(t, p.Check())
					want, err := s.PartShape(v.Shape)
					check.NoError(t, err)
					check.Diff(t, "shape", want, p.Shape)
					if !s.IsFirst(i) {
						parts[i] = tensor.View{}
					}
				}
				again, err := s.Join(v.Shape, parts)
				check.NoError(t, err)
				check.Diff(t, text, v, again)
			}
		}
	}
}

func TestSplitValues(t *testing.T) {
	v := tensor.Vector[int32](1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	v.Shape.Dims = []int{4, 3}
	for text, want := range map[string][][]int32{
		"{devices=[2,2]<=[4]}": {{1, 2, 4, 5}, {3, 0, 6, 0}, {7, 8, 10, 11},
			{9, 0, 12, 0}},
		"{devices=[2,2]<=[2,2]T(1,0)}": {{1, 2, 4, 5}, {7, 8, 10, 11}, {3, 0, 6, 0},
			{9, 0, 12, 0}},
		"{devices=[4,1]<=[4]}": {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}},
		"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}": {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12},
			{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}},
		"{devices=[1,4]3,2,1,0}": {{0, 0, 0, 0}, {3, 6, 9, 12}, {2, 5, 8, 11}, {1, 4, 7, 10}},
	} {
		s, err := Parse(text, 4)
		check.NoError(t, err)
		parts, err := s.Split(v)
		check.NoError(t, err)
		for i, p := range parts {
			got, err := tensor.Slice[int32](p)
			check.NoError(t, err)
			check.Diff(t, text, want[i], got)
		}
	}
}

// Replicated arrays and rows are not copied.
func TestSplitShares(t *testing.T) {
	v := numbered(tensor.F32, 4, 4)
	for text, want := range map[string][]int{ // offsets in v, -1 for a copy
		"{replicated}":         {0, 0, 0, 0},
		"{maximal device=1}":   {0, 0, 0, 0},
		"{devices=[4,1]<=[4]}": {0, 16, 32, 48},
		"{devices=[2,1,2]<=[4] last_tile_dim_replicate}": {0, 0, 32, 32},
		"{devices=[2,2]<=[4]}":                           {-1, -1, -1, -1},
	} {
		s, err := Parse(text, 4)
		check.NoError(t, err)
		parts, err := s.Split(v)
		check.NoError(t, err)
		for i, p := range parts {
			at := -1
			for k := range v.Data {
				if &v.Data[k] == &p.Data[0] {
					at = k
				}
			}
			check.Diff(t, text, want[i], at)
		}
	}
	whole, err := Replicated(4).Join(v.Shape, []tensor.View{v, {}, {}, {}})
	check.NoError(t, err)
	check.Diff(t, "shared", true, &whole.Data[0] == &v.Data[0])
}

func TestSplitErrors(t *testing.T) {
	v := numbered(tensor.F32, 4, 4)
	_, err := Sharding{}.Split(v)
	check.Error(t, err, "it is unknown, the compiler chooses it")
	manual, err := Parse("{manual}", 2)
	check.NoError(t, err)
	_, err = manual.Split(v)
	check.Error(t, err, "{manual} arrays belong to their devices")
	s, err := Parse("{devices=[2]<=[2]}", 2)
	check.NoError(t, err)
	_, err = s.Split(v)
	check.Error(t, err, "{devices=[2]0,1} is for arrays of 1 dimensions, and not for f32[4,4]")
	_, err = s.Split(tensor.View{Shape: v.Shape})
	check.Error(t, err, "takes 64 bytes")
	_, err = s.PartShape(tensor.ShapeOf(tensor.F32, -1))
	check.Error(t, err, "is not known")
	_, err = s.Region(tensor.ShapeOf(tensor.F32, 4), 2)
	check.Error(t, err, "there is no device 2: {devices=[2]0,1} is for 2 devices")
	row := tensor.ShapeOf(tensor.F32, 4)
	_, err = s.Join(row, []tensor.View{numbered(tensor.F32, 2)})
	check.Error(t, err, "is for 2 devices, and there are 1 parts")
	_, err = s.Join(row, []tensor.View{numbered(tensor.F32, 2), numbered(tensor.F32, 3)})
	check.Error(t, err, "the part of device 1 is f32[3]: f32[2] is expected")
	_, err = s.Join(row, []tensor.View{numbered(tensor.F32, 2), {Shape: tensor.ShapeOf(tensor.F32, 2)}})
	check.Error(t, err, "takes 8 bytes")
}

func TestProperties(t *testing.T) {
	var unknown Sharding
	check.Diff(t, "known", false, unknown.IsKnown())
	check.Diff(t, "devices", 0, unknown.NumDevices())
	s, err := Parse("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", 4)
	check.NoError(t, err)
	check.Diff(t, "tiles", []int{2, 1}, s.Tiles())
	var first []bool
	for i := range 5 {
		first = append(first, s.IsFirst(i))
	}
	check.Diff(t, "first", []bool{true, false, true, false, false}, first)
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"{replicated}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}",
		"{devices=[2,2]3,1,2,0}", "{maximal device=1}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, 4)
		if err != nil || s.manual {
			return
		}
		again, err := Parse(s.String(), 4)
		if err != nil || !s.Equal(again) {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	})
}

func FuzzShardy(f *testing.F) {
	for _, s := range []string{`@mesh, [{"x":(1)2, "y"}p1, {?}], replicated={"x":(2)2}`,
		`mesh<["a"=2, "b"=4], device_ids=[7, 1, 2, 3, 4, 5, 6, 0]>, [{"b"}, {}]`, `mesh<[], device_ids=[3]>, []`} {
		f.Add("#sdy.sharding<" + s + ">")
	}
	m, err := parseMesh(`#sdy.mesh<["x"=4, "y"=2]>`)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseShardy(text, 8, func(string) (mesh, error) { return m, nil })
		if err != nil {
			return
		}
		again, err := Parse(s.String(), 8)
		if err != nil || !s.Equal(again) {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	})
}
