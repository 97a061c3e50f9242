package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Transform is a transformation of a program that was applied to a callback, such as a
// batching. [Config.Transforms] has the list of them as JSON, the first one first.
type Transform struct {
	Name string // such as "batch", "jvp", "transpose" or "mask"
	// Params are the parameters: nil, booleans, strings, integers (int, int64), finite floating-point
	// numbers, and slices ([]any) and maps (map[string]any) of these. See [Batch] and [Mask].
	Params map[string]any
}

// NotBatched is the dimension of an argument that a batch does not divide. It is the same for all elements.
const NotBatched = math.MinInt

// Batch returns the transformation of JAX's vmap. It has one dimension for each argument, or
// NotBatched.
func Batch(dims ...int) Transform {
	list := make([]any, len(dims))
	for i, d := range dims {
		if d != NotBatched {
			list[i] = int64(d)
		}
	}
	return Transform{Name: "batch", Params: map[string]any{"batch_dims": list}}
}

// Mask returns the transformation of JAX's mask. Each argument has a logical shape, whose
// dimensions are at most those of the array.
func Mask(logicalShapes ...[]int) Transform {
	list := make([]any, len(logicalShapes))
	for i, shape := range logicalShapes {
		dims := make([]any, len(shape))
		for j, d := range shape {
			dims[j] = int64(d)
		}
		list[i] = dims
	}
	return Transform{Name: "mask", Params: map[string]any{"logical_shapes": list}}
}

// JVP returns the transformation of forward differentiation.
func JVP() Transform { return Transform{Name: "jvp"} }

// Transpose returns the transformation of backward differentiation.
func Transpose() Transform { return Transform{Name: "transpose"} }

// transformJSON is the form of a Transform in a module.
type transformJSON struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params,omitempty"`
}

// EncodeTransforms returns the text for [Config.Transforms]. It is "" for an empty list.
func EncodeTransforms(list ...Transform) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	encoded := make([]transformJSON, len(list))
	for i, t := range list {
		if t.Name == "" {
			return "", fmt.Errorf("contract: transform %d has no name", i)
		}
		encoded[i] = transformJSON{Name: t.Name, Params: make(map[string]any, len(t.Params))}
		for name, value := range t.Params {
			param, err := encodedParam(value)
			if err != nil {
				return "", fmt.Errorf("contract: parameter %q of the transform %q is %w", name, t.Name, err)
			}
			encoded[i].Params[name] = param
		}
	}
	data, err := json.Marshal(encoded)
	if err != nil {
		return "", fmt.Errorf("contract: transforms: %w", err)
	}
	return string(data), nil
}

// encodedParam returns a copy of a value in which floating-point numbers are written so that they
// are not read as integers.
func encodedParam(value any) (_ any, err error) {
	switch v := value.(type) {
	case nil, bool, string, int, int64:
		return v, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v, which JSON cannot hold: use a finite number", v)
		}
		text, err := json.Marshal(v)
		if !bytes.ContainsAny(text, ".e") {
			text = append(text, ".0"...)
		}
		return json.RawMessage(text), err
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = encodedParam(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		params := make(map[string]any, len(v))
		for name := range v {
			if params[name], err = encodedParam(v[name]); err != nil {
				return nil, err
			}
		}
		return params, nil
	}
	return nil, fmt.Errorf("a %T: use nil, bool, string, int, int64, float64, []any or map[string]any", value)
}

// DecodeTransforms reads a text that EncodeTransforms wrote. It returns false for any other
// text, which is for people to read. Integers are int64.
func DecodeTransforms(text string) ([]Transform, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	var encoded []transformJSON
	if decoder.Decode(&encoded) != nil || decoder.More() || len(encoded) == 0 {
		return nil, false
	}
	list := make([]Transform, len(encoded))
	for i, t := range encoded {
		if t.Name == "" {
			return nil, false
		}
		for name, value := range t.Params {
			value, ok := decodedParam(value)
			if !ok {
				return nil, false
			}
			t.Params[name] = value
		}
		if len(t.Params) == 0 {
			t.Params = nil // as it was before EncodeTransforms
		}
		list[i] = Transform(t)
	}
	return list, true
}

// decodedParam replaces the numbers in a value of package json.
func decodedParam(value any) (any, bool) {
	ok := true
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, true
		}
		f, err := v.Float64()
		return f, err == nil
	case []any:
		for i := range v {
			if v[i], ok = decodedParam(v[i]); !ok {
				return nil, false
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], ok = decodedParam(v[name]); !ok {
				return nil, false
			}
		}
	}
	return value, true
}

// TransformText returns the text of [Config.Transforms] as JAX prints its list, for example
// [('batch', {'batch_dims': (None, 0)})], and any other text unchanged.
func TransformText(text string) string {
	list, ok := DecodeTransforms(text)
	if !ok {
		return text
	}
	parts := make([]string, len(list))
	for i, t := range list {
		parts[i] = t.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// String returns the transformation as JAX prints it, for example 'jvp' or
// ('batch', {'batch_dims': (None, 0)}). Parameters are in the order of their names.
func (t Transform) String() string {
	if len(t.Params) == 0 {
		return pythonString(t.Name)
	}
	return "(" + pythonString(t.Name) + ", " + python(t.Params) + ")"
}

// python returns a value as Python's repr writes it. Slices are tuples.
func python(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return pythonString(v)
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = python(e)
		}
		if len(parts) == 1 {
			return "(" + parts[0] + ",)"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, pythonString(name)+": "+python(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(value)
}

func pythonString(s string) string {
	quoted := strconv.Quote(s)
	quoted = quoted[1 : len(quoted)-1]
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + quoted + `"`
	}
	var b bytes.Buffer
	for i := 0; i < len(quoted); i++ {
		switch {
		case quoted[i] == '\\' && i+1 < len(quoted) && quoted[i+1] == '"':
			b.WriteByte('"')
			i++
		case quoted[i] == '\\' && i+1 < len(quoted):
			b.WriteString(quoted[i : i+2])
			i++
		case quoted[i] == '\'':
			b.WriteString(`\'`)
		default:
			b.WriteByte(quoted[i])
		}
	}
	return "'" + b.String() + "'"
}
