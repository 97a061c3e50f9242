package builder

// Print shows the values of a tree: it is a Tap whose callback has the name "print"
// where cb gives none. Whoever runs the module registers what prints, for example
// callbacks.Print.
func Print[T any](cb Callback, args T) {
	if cb.Name == "" && cb.ID == 0 && cb.Opaque == "" {
		cb.Name = "print"
	}
	Tap(cb, args)
}
