package mlirtest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// HostileText parses each sample in generic text and in bytecode, with each of its attributes
// replaced by wrong or unusual ones, and checks that this does not end the process.
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
	if !c.Registered(s.Name) || !s.supported(c) {
		return n
	}
	m, op, _, err := s.Module(c)
	if err != nil {
		return n
	}
	text := m.Operation().Print(mlir.PrintOptions{Generic: true, LocalScope: true})
	for name, value := range op.Attributes() {
		was := name + " = " + value.String()
		if strings.Count(text, was) == 0 {
			continue // unit attributes
		}
		for _, odd := range oddTexts(value.String()) {
			changed := strings.Replace(text, was, name+" = "+odd, 1)
			for _, form := range []func(string) []byte{
				func(s string) []byte { return []byte(s) },
				func(s string) []byte { return unverified(c, s) },
			} {
				if n++; n > start {
					fmt.Printf("%s%d %s: attribute %s = %s\n", CaseMark, n-1, s.Name, name, odd)
					if m, err := c.Parse("", form(changed)); err == nil {
						_ = m.String()
						m.Close()
					}
				}
			}
		}
	}
	return n
}

// unverified returns bytecode of a module with an operation that may not be valid. The module is
// written with a dialect that the library does not know, whose name is replaced.
func unverified(c *mlir.Context, text string) []byte {
	dialect := "stablehlo"
	if strings.Contains(text, `"chlo.`) {
		dialect = "chlo"
	}
	unknown := dialect[1:] + "_"
	m, err := c.Parse("", []byte(strings.NewReplacer(`"`+dialect+".", `"`+unknown+".", "<{", "{", "}>", "}").Replace(text)))
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
	list := []string{`"x"`, "unit", "[]", "1 : i64", "-1 : i64", "array<i64>", "array<i64: -1>", "dense<> : tensor<0xi64>", "@x"}
	if d := denseTexts.FindStringSubmatch(text); d != nil {
		for _, shape := range []string{d[1] + "x" + d[2], "0x" + d[2], d[1] + "x0", "0x0", "0", "1x1", "2x1", "1x1x1"} {
			for _, value := range []string{"0", "-1", "1", "9223372036854775807", "-9223372036854775808", ""} {
				list = append(list, "dense<"+value+"> : tensor<"+shape+"xi64>")
			}
		}
		return append(list, "dense<0> : tensor<i64>")
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
