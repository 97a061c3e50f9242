package mlir

// needsParent is an operation whose verifier reads the operation around it without checking
// that there is one. Operations are in none while they are detached, or in a region that is.
const needsParent = "linalg.index"

// orphan reports whether the verifier would crash on the operation. Printing verifies it too,
// except in the generic form.
func (o Operation) orphan() bool {
	return !o.IsNil() && o.Parent().IsNil() && o.Name() == needsParent
}
