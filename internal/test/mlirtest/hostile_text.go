package mlirtest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// HostileText parses each sample as text, as bytecode and as an artifact, with each of its attributes
// replaced by wrong or unusual ones, and checks that this does not end the process. With the build tag
// engines it also runs passes on what is parsed, once on equal modules.
func HostileText(t *testing.T, samples []Sample) {
	t.Helper()
	Outlives(t, func(t *testing.T, start int) {
		n := 0
		EachEngine(t, func(t *testing.T, e Engine) {
			for _, s := range samples {
				n = hostileText(e.Library, s, n, start)
			}
		})
	})
}

// hostileText tries the cases of a sample from number start on. Its first case has the number n. It
// returns the number after its last one.
func hostileText(l *mlir.Library, s Sample, n, start int) int {
	c := l.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	passed := map[string]bool{}
	for what, form := range hostileForms(c, s) {
		if n++; n <= start {
			continue
		}
		fmt.Printf("%s%d %s\n", CaseMark, n-1, what)
		if m, err := c.Parse("", form()); err == nil {
			_ = m.String()
			if text := generic(m); furtherEngines != nil && !passed[text] {
				passed[text] = true
				runHostilePasses(c, m)
			}
			m.Close()
		}
	}
	return n
}

// generic returns the text that equal modules have, whatever they were parsed from.
func generic(m *mlir.Module) string {
	return m.Operation().Print(mlir.PrintOptions{Generic: true, LocalScope: true})
}

func runHostilePasses(c *mlir.Context, m *mlir.Module) {
	for _, pass := range hostilePasses {
		if pm, err := c.NewPassManager(
			mlir.PassManagerOptions{Pipeline: "builtin.module(" + pass + ")"}); err == nil {
			clone := m.Clone()
			_ = pm.Run(clone)
			clone.Close()
			pm.Close()
		}
	}
}

// hostilePasses fold and rewrite what was parsed.
var hostilePasses = []string{"canonicalize", "chlo-legalize-to-stablehlo,canonicalize", "stablehlo-legalize-to-vhlo",
	"func.func(stablehlo-aggressive-simplification)", "func.func(stablehlo-aggressive-folder)",
	"stablehlo-refine-shapes"}

// hostileForms returns what is wrong with each module, and a function that writes it: as generic text, as
// bytecode in which the attributes are in a dictionary or in the properties of the operation, and as a
// portable artifact. The functions return nil for what cannot be written.
func hostileForms(c *mlir.Context, s Sample) iter.Seq2[string, func() []byte] {
	return func(yield func(string, func() []byte) bool) {
		if !c.Registered(s.Name) || !s.supported(c) {
			return
		}
		m, op, _, err := s.Module(c)
		if err != nil {
			return
		}
		text := generic(m)
		for name, value := range op.Attributes() {
			was := name + " = " + value.String()
			if !strings.Contains(text, was) {
				continue // unit attributes
			}
			for _, odd := range oddTexts(value.String()) {
				changed := strings.Replace(text, was, name+" = "+odd, 1)
				if odd == "" {
					changed = strings.Replace(text, was, "x.y = unit", 1)
				}
				set := func() (*mlir.Module, error) { return setUnverified(c, s, name, odd) }
				for _, form := range []struct {
					name  string
					write func() []byte
				}{
					{"text", func() []byte { return []byte(changed) }},
					{"bytecode", func() []byte { return unverified(c, changed) }},
					{"properties", func() []byte { return properties(set()) }},
					{"artifact", func() []byte { return artifact(set()) }},
				} {
					if form.name == "artifact" && strings.HasPrefix(s.Name, "chlo.") {
						continue // there are none of CHLO
					}
					what := fmt.Sprintf("%s: attribute %s = %s in %s", s.Name, name, odd, form.name)
					if !yield(what, form.write) {
						return
					}
				}
			}
		}
	}
}

// setUnverified returns the sample's module with another value of an attribute.
func setUnverified(c *mlir.Context, s Sample, name, odd string) (*mlir.Module, error) {
	value, err := c.ParseAttribute(odd)
	if err != nil {
		return nil, err
	}
	m, op, _, err := s.Module(c)
	if err != nil || !attempt(func() { op.SetAttribute(name, value) }) {
		return nil, errors.New("it cannot be set")
	}
	return m, nil
}

// properties returns the bytecode of a module that may not be valid.
func properties(m *mlir.Module, err error) []byte {
	if err != nil {
		return nil
	}
	defer m.Close()
	data, _ := m.Operation().BytecodeAssumingVerified()
	return data
}

// artifact returns the portable artifact of a module that may not be valid.
func artifact(m *mlir.Module, err error) []byte {
	if err != nil {
		return nil
	}
	_ = m.String()
	pm, err := m.Context().NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(stablehlo-legalize-to-vhlo)", NoVerify: true})
	if err != nil {
		m.Close()
		return nil
	}
	defer pm.Close()
	return properties(m, pm.Run(m))
}

// unverified returns bytecode of a module with an operation that may not be valid. The module is
// written with a dialect that the library does not know, whose name is replaced.
func unverified(c *mlir.Context, text string) []byte {
	dialect := "stablehlo"
	if strings.Contains(text, `"chlo.`) {
		dialect = "chlo"
	}
	unknown := dialect[1:] + "_"
	m, err := c.Parse("", []byte(strings.NewReplacer(
		`"`+dialect+".", `"`+unknown+".", "<{", "{", "}>", "}").Replace(text)))
	if err != nil {
		return nil
	}
	defer m.Close()
	return bytes.ReplaceAll(check.Must(m.Bytecode()), []byte(unknown+"\x00"), []byte(dialect+"\x00"))
}

var (
	integer    = regexp.MustCompile(`-?\b\d+\b`)
	emptyLists = regexp.MustCompile(`\[[^\[\]]*\]`)
	denseTexts = regexp.MustCompile(`^dense<.*> : tensor<(\d+)x(\d+)xi64>$`)
)

// oddTexts returns texts that replace that of an attribute.
func oddTexts(text string) []string {
	list := []string{"", `"x"`, "unit", "[]", "1 : i64", "-1 : i64", "array<i64>", "array<i64: -1>",
		"dense<> : tensor<0xi64>", "@x"}
	if d := denseTexts.FindStringSubmatch(text); d != nil {
		for _, shape := range []string{d[1] + "x" + d[2], "0x" + d[2], d[1] + "x0", "0x0", "0", "1x1", "2x1", "1x1x1"} {
			for _, value := range []string{"0", "-1", "1", "9223372036854775807", "-9223372036854775808", ""} {
				list = append(list, "dense<"+value+"> : tensor<"+shape+"xi64>")
			}
		}
		return append(list, "dense<0> : tensor<i64>")
	}
	if strings.HasPrefix(text, "#stablehlo.conv<") {
		list = append(list, oddConvolutions()...)
	}
	value, typ, _ := strings.Cut(text, " : ")
	if typ != "" {
		typ = " : " + typ
	}
	if strings.HasPrefix(value, "array<") {
		kind, _, _ := strings.Cut(value, ":")
		list = append(list, strings.TrimSuffix(kind, ">")+">", strings.TrimSuffix(value, ">")+", 0>")
	}
	for _, number := range []string{"0", "-1", "9223372036854775807", "-9223372036854775808", "2147483647", "99"} {
		list = append(list, integer.ReplaceAllString(value, number)+typ)
		if first := integer.FindStringIndex(value); first != nil {
			list = append(list, value[:first[0]]+number+value[first[1]:]+typ)
		}
	}
	return append(list, emptyLists.ReplaceAllString(text, "[]"))
}

// oddConvolutions returns dimension numbers of convolutions, most of wrong ranks.
func oddConvolutions() (list []string) {
	spatial := []string{"", "0, ", "0, 1, ", "0, 1, 2, ", "1, 0, "}
	for _, in := range spatial {
		for _, kernel := range spatial {
			for _, out := range spatial {
				list = append(list, fmt.Sprintf("#stablehlo.conv<[b, %sf]x[%si, o]->[b, %sf]>", in, kernel, out))
			}
		}
	}
	for _, n := range []string{"-1", "0", "1", "4", "9223372036854775807", "-9223372036854775808"} {
		for _, dims := range []string{"", n, n + ", " + n, "1, 2, 3, 4, 5, 6, " + n} {
			for _, kernel := range []string{"", "0", "0, 1", dims} {
				list = append(list,
					fmt.Sprintf("#stablehlo.conv<raw input_batch_dimension = %s, input_feature_dimension = 3, "+
						"input_spatial_dimensions = [%s], kernel_input_feature_dimension = %[1]s, kernel_output_feature_dimension = 3, "+
						"kernel_spatial_dimensions = [%[3]s], output_batch_dimension = 0, output_feature_dimension = %[1]s, "+
						"output_spatial_dimensions = [%[2]s]>", n, dims, kernel))
			}
		}
	}
	return list
}
