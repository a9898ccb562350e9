{{- define "gatehouse.name" -}}
{{- printf "%s" .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- end -}}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Seconds until a pod that was told to stop is killed: both waits of a server, and five more. */}}
{{- define "gatehouse.grace" -}}
{{- add (int (.Values.settings.GATEHOUSE_DRAIN_S | default "5")) (int (.Values.settings.GATEHOUSE_STOP_TIMEOUT_S | default "30")) 5 -}}
{{- end -}}

{{/* What every pod has: no rights, no token, a root file system that cannot be written. */}}
{{- define "gatehouse.pod" -}}
automountServiceAccountToken: false
# Kubernetes would add variables named GATEHOUSE_... for the services, which look like settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: home
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  - name: settings
    secret:
      secretName: {{ .Values.settingsSecret.name }}
      defaultMode: 0440
      items:
        - key: {{ .Values.settingsSecret.key }}
          path: gatehouse.env
  {{- range .Values.fileSecrets }}
  - name: file-{{ . }}
    secret:
      secretName: {{ . }}
      defaultMode: 0440
  {{- end }}
{{- end -}}

{{- define "gatehouse.container" -}}
image: {{ include "gatehouse.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: home, mountPath: /var/lib/gatehouse}
  - {name: tmp, mountPath: /tmp}
  - {name: settings, mountPath: /run/gatehouse, readOnly: true}
  {{- range .Values.fileSecrets }}
  - {name: file-{{ . }}, mountPath: /etc/gatehouse/{{ . }}, readOnly: true}
  {{- end }}
{{- end -}}

{{/* Changes with settings and secrets. A rendering without a cluster sees no secrets. */}}
{{- define "gatehouse.checksums" -}}
checksum/settings: {{ toJson .Values.settings | sha256sum }}
{{- $root := . }}
{{- $data := list }}
{{- range prepend .Values.fileSecrets .Values.settingsSecret.name }}
{{- $data = append $data (lookup "v1" "Secret" $root.Release.Namespace .).data }}
{{- end }}
checksum/secrets: {{ toJson $data | sha256sum }}
{{- end -}}

{{- define "gatehouse.consoleProbe" -}}
httpGet:
  path: /healthz
  port: http
  httpHeaders:
    - {name: Host, value: {{ trimPrefix "https://" .Values.console.url | quote }}}
timeoutSeconds: 5
{{- end -}}

{{/* Every setting that is no secret. */}}
{{- define "gatehouse.settings" -}}
GATEHOUSE_ENV_FILE: /run/gatehouse/gatehouse.env
GATEHOUSE_SECRETS_DIR: /etc/gatehouse
GATEHOUSE_HOME: /var/lib/gatehouse
GATEHOUSE_HOST: 0.0.0.0
GATEHOUSE_PORT: "8080"
GATEHOUSE_METRICS_HOST: 0.0.0.0
GATEHOUSE_METRICS_PORT: "9100"
GATEHOUSE_CONSOLE_HOST: 0.0.0.0
GATEHOUSE_CONSOLE_PORT: "8081"
GATEHOUSE_API_URL: http://{{ include "gatehouse.name" . }}:8080
{{- if .Values.console.enabled }}
GATEHOUSE_CONSOLE_URL: {{ required "console.url must say where people open the console, such as https://console.example.com" .Values.console.url | quote }}
{{- end }}
{{- $_ := required "settings.GATEHOUSE_TRUSTED_PROXIES must name the networks of the ingress controller's pods, such as 10.0.0.0/16" .Values.settings.GATEHOUSE_TRUSTED_PROXIES }}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}
