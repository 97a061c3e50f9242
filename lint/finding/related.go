package finding

import "fmt"

// A Related is a place beside that of a finding: where the program that made the module has its operation, or another
// operation.
type Related struct {
	Message string `json:"message,omitempty"` // what is there, or ""
	File    string `json:"file,omitempty"`    // "" if it is not known
	Line    int    `json:"line,omitempty"`    // from 1; 0 if only the message is known
	Column  int    `json:"column,omitempty"`
}

// TextName is the name that a library gives to the text that it parses.
const TextName = "-"

// Stated returns a place that a module states, and what is there. The text that the module was made from has no file,
// so a place in it is the message.
func Stated(message, file string, line, column int) Related {
	if file == TextName {
		message = fmt.Sprintf("line %d, column %d of the text that the module was made from", line, column)
		file = ""
	}
	return Related{message, file, line, column}
}

// String returns the place, or else the message.
func (r Related) String() string {
	if r.File == "" {
		return r.Message
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Line, r.Column)
}
