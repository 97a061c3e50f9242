package ods

import (
	"fmt"
	"strconv"
	"strings"
)

// Fields returns the parts of a printed attribute, #dialect.mnemonic<name = value, …>, by
// their names. It returns false for another attribute, whose text does not begin with
// prefix, which ends with the "<". It serves libraries without the dialect's C API. What
// the text leaves out is its default.
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

// split cuts a text at the commas outside of brackets.
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

// Numbers reads [1, 2]; ok becomes false where the text is something else.
func Numbers(text string, ok *bool) (list []int64) {
	if text == "" {
		return nil
	}
	inside, bracketed := strings.CutPrefix(text, "[")
	inside, closed := strings.CutSuffix(inside, "]")
	*ok = *ok && bracketed && closed
	for _, part := range split(inside) {
		list = append(list, Number(strings.TrimSpace(part), ok))
	}
	return list
}

// Number reads an integer, 0 where there is no text.
func Number(text string, ok *bool) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	*ok = *ok && err == nil
	return n
}

// List is [1, 2].
func List(numbers []int64) string {
	return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
}

// Gather reads a list through functions that give its length and its elements.
func Gather[T, A any](table T, a A, size func(T, A) int, at func(T, A, int) int64) (list []int64) {
	for i := range size(table, a) {
		list = append(list, at(table, a, i))
	}
	return list
}
