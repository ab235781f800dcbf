{{/* Labels of every object. `component` is namespace, webhook, webhook-configuration, annotator, certs, policies or metrics. */}}
{{- define "zonefirst.labels" -}}
app.kubernetes.io/part-of: zonefirst
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "zonefirst.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{- define "zonefirst.annotatorUser" -}}
system:serviceaccount:{{ .Release.Namespace }}:zonefirst-annotator
{{- end }}

{{/* A setting's value as the text that the programs read. */}}
{{- define "zonefirst.settingText" -}}
{{- if kindIs "slice" . -}}
{{ join "," . }}
{{- else if kindIs "map" . -}}
{{- $items := list -}}
{{- range $name, $amount := . }}{{- $items = append $items (printf "%s=%s" $name (include "zonefirst.settingText" $amount)) }}{{- end -}}
{{ join "," $items }}
{{- else if kindIs "float64" . -}}
{{- /* numbers of values are floating point: 4194304 would become 4.194304e+06 */ -}}
{{ if eq . (floor .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- else -}}
{{ . }}
{{- end -}}
{{- end }}

{{/* Environment of a program's settings, from the table in files/settings.yaml. */}}
{{- define "zonefirst.settings" -}}
{{- $names := get (.root.Files.Get "files/settings.yaml" | fromYaml) .program -}}
{{- range $key, $value := .settings }}
{{- if and (not (kindIs "invalid" $value)) (ne $key "listenAddress") }}
- name: {{ get $names $key }}
  value: {{ include "zonefirst.settingText" $value | quote }}
{{- end }}
{{- end }}
{{- end }}
