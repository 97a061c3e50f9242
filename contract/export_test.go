package contract

// Later is the contract of a later release, with some keys and forms that were added in a
// version after the first.
func Later(
	version int64, keysSince map[string]int64, formsSince map[Form]int64,
) (attrs func(Config) []Attr, decode func([]Attr) (Config, error)) {
	f := format{version: version, forms: map[Form]int64{}}
	for form, since := range formSince {
		f.forms[form] = max(since, formsSince[form])
	}
	for _, k := range keys {
		k.since = max(k.since, keysSince[k.name])
		f.keys = append(f.keys, k)
	}
	return f.attrs, f.decode
}

// Keys returns the names, kinds and versions of all keys but "v".
func Keys() (list [][3]any) {
	for _, k := range keys {
		list = append(list, [3]any{k.name, k.kind, k.since})
	}
	return list
}
