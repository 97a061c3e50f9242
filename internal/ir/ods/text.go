package ods

import (
	"fmt"
	"strconv"
	"strings"
)

// Fields returns the fields of a printed attribute, #dialect.mnemonic<name = value, …>, by
// name. The prefix ends with the "<". Fields returns false if the text does not begin with
// it. It is for libraries without the dialect's C API. The text omits fields that have
// their default value.
func Fields(text, prefix string) (map[string]string, bool) {
	body, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return nil, false
	}
	body, ok = strings.CutSuffix(body, ">")
	if !ok {
		return nil, false
	}
	fields := map[string]string{}
	for _, field := range split(body) {
		name, value, ok := strings.Cut(field, " = ")
		if !ok {
			return nil, false
		}
		fields[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return fields, true
}

// split splits a text at the commas outside of brackets.
func split(text string) (parts []string) {
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '<', '[', '(', '{':
			depth++
		case '>', ']', ')', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[start:i])
				start = i + 1
			}
		}
	}
	if rest := text[start:]; strings.TrimSpace(rest) != "" {
		parts = append(parts, rest)
	}
	return parts
}

// FieldInts reads a list such as [1, 2]. It sets ok to false if the text is not a list.
func FieldInts(text string, ok *bool) (list []int64) {
	if text == "" {
		return nil
	}
	inside, bracketed := strings.CutPrefix(text, "[")
	inside, closed := strings.CutSuffix(inside, "]")
	*ok = *ok && bracketed && closed
	for _, part := range split(inside) {
		list = append(list, FieldInt(strings.TrimSpace(part), ok))
	}
	return list
}

// FieldInt reads an integer. It returns 0 if the text is empty, and sets ok to false if the
// text is not an integer.
func FieldInt(text string, ok *bool) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	*ok = *ok && err == nil
	return n
}

// List formats a list such as [1, 2].
func List(numbers []int64) string {
	return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
}

// Gather returns a list, given functions that return its length and its elements.
func Gather[T, A any](table T, a A, size func(T, A) int, at func(T, A, int) int64) (list []int64) {
	for i := range size(table, a) {
		list = append(list, at(table, a, i))
	}
	return list
}
