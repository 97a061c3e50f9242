package bridge

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A LoadedError reports an option that takes effect only when a plugin is loaded, which
// happens once in a process.
type LoadedError struct {
	Path   string // of the plugin
	Option string // the field of OpenOptions
}

func (e *LoadedError) Error() string {
	return fmt.Sprintf("bridge: %s is set for %s, which is open already: set it in the first Open of the process", e.Option, e.Path)
}

// setLog sets what the plugin logs. It reads these variables once, when it is loaded, and
// from C, so a Go program must set them before.
func setLog(o OpenOptions) error {
	level, modules, err := vlog(o.VLog)
	if err != nil {
		return err
	}
	least := "3" // only fatal errors
	if o.VLog != "" {
		least = "0" // verbose lines are of the level INFO
	}
	for _, v := range []struct{ name, value string }{
		{"TF_CPP_MIN_LOG_LEVEL", least}, {"TF_CPP_MAX_VLOG_LEVEL", level}, {"TF_CPP_VMODULE", modules},
	} {
		if _, set := os.LookupEnv(v.name); set || v.value == "" {
			continue
		}
		if err := os.Setenv(v.name, v.value); err != nil {
			return err
		}
	}
	return nil
}

// vlog divides OpenOptions.VLog into a level and levels of modules.
func vlog(text string) (level, modules string, err error) {
	wrong := func(part string) error {
		return fmt.Errorf("VLog: %q is neither a level, such as 1, nor a module and its level, such as cpu_compiler=3", part)
	}
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		module, of, ok := strings.Cut(part, "=")
		if !ok {
			of = part
		}
		switch n, err := strconv.Atoi(of); {
		case text == "":
		case err != nil || n < 0 || n > 99 || ok && (module == "" || strings.ContainsAny(module, " \t\x00")):
			return "", "", wrong(part)
		case ok:
			list = append(list, part)
		case level != "":
			return "", "", fmt.Errorf("VLog: %q has two levels: give one, and levels of modules", text)
		default:
			level = of
		}
	}
	return level, strings.Join(list, ","), nil
}
