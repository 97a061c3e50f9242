package config

import (
	"path"
	"strings"
)

// Match reports whether a pattern matches a path with slashes. "*" and "?" match within one
// element, "**" matches any number of elements, and a pattern that matches a folder matches
// everything in it. A pattern without a slash matches in every folder.
func Match(pattern, name string) bool {
	pattern = strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "./")
	elements := strings.Split(pattern, "/")
	if len(elements) == 1 {
		elements = []string{"**", pattern}
	}
	if elements[0] == "" { // "/a" is relative to the folder of the file
		elements = elements[1:]
	}
	return match(elements, strings.Split(name, "/"))
}

func match(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for len(pattern) > 1 && pattern[1] == "**" { // or the search is exponential
				pattern = pattern[1:]
			}
			for i := range len(name) + 1 {
				if match(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], name[0]); !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return true // what is left of the name is in the folder
}

// checkPattern returns why a pattern is not well formed, or "".
func checkPattern(pattern string) string {
	if strings.Trim(pattern, "/.") == "" && pattern != "." {
		return "a path is empty"
	}
	for element := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(element, ""); err != nil {
			return "the pattern is not well formed: close each [, and do not end it with \\"
		}
		if element == ".." {
			return "a path must not leave the folder of the configuration"
		}
	}
	return ""
}
