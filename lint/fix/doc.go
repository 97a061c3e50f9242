// Package fix applies the repairs that the rules of package lint attach to their findings.
// [Apply] mends one input, in the form that it has: text, bytecode or a portable artifact. [Edits]
// returns the edits of a text that mend one finding each.
//
// Every repair is made on the IR. Apply then edits the text of the operations that changed, and
// leaves the rest as it is, with its comments and the names of its values. It parses the edited
// text and compares it with the IR. If they differ, the module is printed anew.
package fix
