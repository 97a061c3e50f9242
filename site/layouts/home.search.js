// The pages for the search: title, address, headings with their anchors, and text.
const searchIndex = [
{{- range slice site.Home | append site.RegularPages }}
{{- $headings := slice }}
{{- range .Fragments.HeadingsMap }}{{ $headings = $headings | append (dict "title" (.Title | plainify | htmlUnescape) "id" .ID) }}{{ end }}
{{ dict "title" (partial "title.html" .) "url" (strings.TrimPrefix "/" (partial "url.html" .)) "headings" $headings "text" (.Plain | htmlUnescape) | jsonify }},
{{- end }}
];
