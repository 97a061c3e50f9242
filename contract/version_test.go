package contract_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// later is the contract of a later release: "every" and "optional" are added in version 2,
// "policy" and the form pure in version 3.
var laterAttrs, laterDecode = contract.Later(3,
	map[string]int64{"every": 2, "optional": 2, "policy": 3}, map[contract.Form]int64{contract.Pure: 3})

// A module states the lowest version that has all keys and forms that it uses, and a later
// release writes the same as this one.
func TestVersionWritten(t *testing.T) {
	for _, c := range []struct {
		config contract.Config
		want   int64
	}{
		{contract.Config{Form: contract.Observe, Callback: "f", Effect: "io", NumIDs: 1, NumTokens: 1}, 1},
		{contract.Config{Form: contract.Observe, Callback: "f", Every: 2}, 2},
		{contract.Config{Form: contract.Observe, Callback: "f", Optional: true, Every: 2}, 2},
		{contract.Config{Form: contract.Observe, Callback: "f", Policy: "once"}, 3},
		{contract.Config{Form: contract.Observe, Callback: "f", Policy: "once", Every: 2}, 3},
		{contract.Config{Form: contract.Pure, Callback: "f"}, 3},
	} {
		got := laterAttrs(c.config)
		check.Diff(t, "v", []contract.Attr{{"v", c.want}}, got[len(got)-1:])
		back, err := laterDecode(got)
		check.NoError(t, err)
		check.Diff(t, "Decode", c.config, back)

		now, err := c.config.Attrs()
		check.NoError(t, err)
		check.Diff(t, "v of this release", []contract.Attr{{"v", int64(1)}}, now[len(now)-1:])
		if c.want == 1 {
			check.Diff(t, "Attrs", now, got)
		}
	}
}

// Every older version is read. A key or form that is newer than the module's version is an
// error: a program of that version would not read the module.
func TestVersionRead(t *testing.T) {
	form, name := contract.Attr{"form", "observe"}, contract.Attr{"callback", "f"}
	for _, c := range []struct {
		name  string
		attrs []contract.Attr
		err   string
	}{
		{"first", []contract.Attr{form, name, {"v", int64(1)}}, ""},
		{"second", []contract.Attr{form, name, {"v", int64(2)}}, ""},
		{"newest", []contract.Attr{form, name, {"v", int64(3)}}, ""},
		{"newest, of a key", []contract.Attr{form, name, {"policy", "once"}, {"v", int64(3)}}, ""},
		{"too new", []contract.Attr{form, name, {"v", int64(4)}}, "needs version 4 of the callback contract, and this release of Calliope reads versions 1 to 3: use a newer release"},
		{"none", []contract.Attr{form, name, {"v", int64(0)}},
			"states version 0 of the callback contract, and the first version is 1"},
		{"negative", []contract.Attr{form, name, {"v", int64(-1)}}, "version -1"},
		{"key of the second in the first", []contract.Attr{{"every", int64(2)}, form, name, {"v", int64(1)}},
			`the key "every" was added in version 2 of the callback contract, and the module states version 1: write v = 2`},
		{"key of the third in the second", []contract.Attr{{"v", int64(2)}, form, name, {"policy", "once"}},
			`the key "policy" was added in version 3`},
		{"its zero value", []contract.Attr{{"v", int64(2)}, form, name, {"policy", ""}},
			`the key "policy" was added in version 3`},
		{"form of the third in the first", []contract.Attr{{"v", int64(1)}, {"form", "pure"}, name},
			`the form "pure" was added in version 3`},
		{"form of the third", []contract.Attr{{"v", int64(3)}, {"form", "pure"}, name}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				got, err := laterDecode(c.attrs)
				if c.err != "" {
					check.Error(t, err, c.err)
					check.Diff(t, "config", contract.Config{}, got)
				} else {
					check.NoError(t, err)
					check.Diff(t, "callback", "f", got.Callback)
				}
				slices.Reverse(c.attrs)
			}
		})
	}
}

// The table of keys in the specification agrees with the code.
func TestKeysAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/contract.md")
	check.NoError(t, err)
	types := map[string]string{"a string": "string", "an i64": "i64", "an i64 that counts operands": "i64",
		"a bool": "bool", "a string of hexadecimal digits": "string"}
	want := []string{"v i64 1"}
	for _, k := range contract.Keys() {
		want = append(want, fmt.Sprint(k[0], " ", types[k[1].(string)], " ", k[2]))
	}
	row := regexp.MustCompile("^\\| `([a-z_]+)` \\| (string|i64|bool) \\|.*\\| ([0-9]+) \\|$")
	var got []string
	for line := range strings.Lines(string(doc)) {
		if m := row.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			got = append(got, strings.Join(m[1:], " "))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	check.Diff(t, "keys (-code +docs/contract.md)", want, got)
}
