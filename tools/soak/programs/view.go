package programs

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// view returns an array as the runtime takes it.
func (a array) view() tensor.View {
	s := a.kind.tensor()
	v := tensor.View{Shape: s, Data: make([]byte, s.NumBytes())}
	a.copyTo(v)
	return v
}

// copyTo writes an array to the runtime's memory.
func (a array) copyTo(v tensor.View) {
	for i, x := range a.data {
		if a.kind.elem.isFloat() {
			progen.SetFloat(v, i, float64(x), 0)
		} else {
			progen.SetInteger(v, i, x)
		}
	}
}

// kindOf returns the kind of an array, if a program can have it.
func kindOf(s tensor.Shape) (k kind, err error) {
	k.elem = elem(slices.Index(dtypes, s.DType))
	switch k.shape.rank = len(s.Dims); k.shape.rank {
	case 1:
		k.shape.rows, k.shape.columns = s.Dims[0], 1
	case 2:
		k.shape.rows, k.shape.columns = s.Dims[0], s.Dims[1]
	}
	if int(k.elem) >= len(dtypes) || !k.tensor().Equal(s) {
		return k, fmt.Errorf("the array is %s, which no program has", s)
	}
	return k, nil
}

// read returns what the runtime has. The error says that it cannot be a value of a program.
func read(v tensor.View) (array, error) {
	k, err := kindOf(v.Shape)
	a := array{kind: k}
	if err != nil {
		return a, err
	}
	for i := range k.shape.size() {
		switch x := v.At(i).(type) {
		case int32:
			a.data = append(a.data, int64(x))
		case int64:
			a.data = append(a.data, x)
		case uint8:
			a.data = append(a.data, int64(x))
		case float32:
			a.data = append(a.data, int64(x))
			if float32(int64(x)) != x {
				return a, fmt.Errorf("element %d of %s is not a whole number", i, v)
			}
		case float64:
			a.data = append(a.data, int64(x))
			if float64(int64(x)) != x {
				return a, fmt.Errorf("element %d of %s is not a whole number", i, v)
			}
		case bool:
			a.data = append(a.data, truth(x))
		}
	}
	return a, nil
}

func readAll(views []tensor.View) (list []array, err error) {
	for _, v := range views {
		a, err := read(v)
		if err != nil {
			return list, err
		}
		list = append(list, a)
	}
	return list, nil
}
