// Package fix applies the repairs that the rules of package lint attach to their findings.
// [Apply] mends one input, in the form that it has: text, bytecode or a portable artifact. [Edits]
// returns the edits of a text that mend one finding each.
//
// Every repair is made on the IR. If all repairs of a text are local to operations, Apply
// also edits the text of these operations and leaves the rest as it is, with its comments. It
// then parses the edited text and compares it with the IR. If they differ, or if a repair
// changes the whole module, the module is printed anew.
package fix
