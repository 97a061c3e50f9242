package autodiff

// Kind returns the kind of the rule of an operation, for the page of derivatives. It is "" if there is none.
func Kind(name string) string {
	r, ok := rules.Named(name)
	kind := "linear"
	switch {
	case !ok:
		return ""
	case r.zero:
		return "zero"
	case r.jvp == nil:
		return "replaced"
	case r.transpose == nil:
		kind = "by others"
	}
	if r.expand != nil {
		kind += " or replaced"
	}
	return kind
}
