package command_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/rules"
)

var update = flag.Bool("update", false,
	"write the picture of the command and the schema of its configuration into docs")

const schemaFile = "../../docs/mlir-lint.schema.json"

// An object is an object in JSON.
type object = map[string]any

// at returns a part of a document.
func at(document object, path ...string) object {
	for _, key := range path {
		document = document[key].(object)
	}
	return document
}

// TestSchema holds the JSON Schema of the configuration against what the command accepts. After a
// change of the rules, run it with -update.
func TestSchema(t *testing.T) {
	var schema object
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile(schemaFile)), &schema))
	rulesAt, entry := at(schema, "properties", "rules"), at(schema, "properties", "ignore", "items", "properties")
	var names []string
	for _, a := range append(rules.All(), command.OwnRules()...) {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	if *update {
		level := any(nil)
		for _, level = range at(rulesAt, "properties") {
			break
		}
		levels := object{}
		for _, name := range names {
			levels[name] = level
		}
		rulesAt["properties"] = levels
		at(entry, "rules", "items")["enum"] = names
		text := check.Must(json.MarshalIndent(schema, "", "  "))
		check.NoError(t, os.WriteFile(schemaFile, append(text, '\n'), 0o644))
		t.Log("the schema was written")
		return
	}

	config := writeFile(t, t.TempDir(), "c.yaml", "")
	refused := func(text string) string {
		t.Helper()
		check.NoError(t, os.WriteFile(config, []byte(text), 0o644))
		return execute(clean, "-config", config).Stderr
	}
	// An unknown name is refused with the known ones.
	choice := regexp.MustCompile(`choose from (.*)\n`)
	for text, want := range map[string][]string{
		"no-such: x":                        keys(at(schema, "properties")),
		"rules: {no-such: x}":               keys(at(rulesAt, "properties")),
		"rules: {outfeed: no-such}":         texts(at(rulesAt, "properties", "outfeed")["enum"]),
		"ignore: [{no-such: x}]":            keys(entry),
		"ignore: [{rules: [no-such-rule]}]": texts(at(entry, "rules", "items")["enum"]),
	} {
		m := choice.FindStringSubmatch(refused(text))
		if m == nil {
			t.Errorf("%s is not refused with a choice: %s", text, refused(text))
			continue
		}
		got := strings.Split(m[1], ", ")
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: run with -update after a change of the rules (-command +schema):\n%s", text, diff)
		}
	}
	// A value of another type is refused.
	writeFile(t, filepath.Dir(config), "1.0.0", "") // to extend
	samples := map[string]string{"boolean": "true", "array": "[]", "object": "{}", "string": "1.0.0"}
	for key, of := range at(schema, "properties") {
		for kind, sample := range samples {
			if accepted := refused(key+": "+sample) == ""; accepted != isOf(of, kind) {
				t.Errorf("%s: %s is accepted: %v, and the schema says %v", key, sample, accepted, of.(object)["type"])
			}
		}
	}
	for key, of := range entry {
		for kind, sample := range samples {
			text := "ignore: [{path: x, " + key + ": " + sample + "}]"
			if key == "path" {
				text = "ignore: [{path: " + sample + "}]"
			}
			if accepted := refused(text) == ""; accepted != isOf(of, kind) {
				t.Errorf("%s is accepted: %v, and the schema says %v", text, accepted, of.(object)["type"])
			}
		}
	}
	if refused("ignore: [{reason: x}]") == "" || refused("") != "" {
		t.Error("a path is not required, or an empty configuration is refused")
	}
}

// isOf reports whether a schema accepts values of a type.
func isOf(schema any, kind string) bool {
	switch of := schema.(object)["type"].(type) {
	case []any:
		return slices.Contains(of, any(kind))
	default:
		return of == kind
	}
}

func keys(o object) (names []string) {
	for name := range o {
		names = append(names, name)
	}
	return names
}

func texts(list any) (names []string) {
	for _, name := range list.([]any) {
		names = append(names, name.(string))
	}
	return names
}
