{{- define "marquee.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "marquee.labels" -}}
app.kubernetes.io/name: marquee
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "marquee.selector" -}}
app.kubernetes.io/name: marquee
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- /* The pod of a role. Its name is that of a group in the values. */ -}}
{{- define "marquee.pod" -}}
{{- $values := .root.Values -}}
{{- $own := index $values .role -}}
metadata:
  labels:
    {{- include "marquee.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  annotations:
    checksum/settings: {{ printf "%s%s" (toYaml $values.settings) (toYaml $own.settings) | sha256sum }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Longer than DRAIN and what a stop may take.
  terminationGracePeriodSeconds: 90
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    seccompProfile: { type: RuntimeDefault }
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "marquee.selector" . | nindent 10 }}
  containers:
    - name: marquee
      image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      env:
        - { name: ROLES, value: {{ .role }} }
        - { name: PUBLIC_URL, value: {{ required "publicUrl must be set, such as https://ads.example" $values.publicUrl | quote }} }
        {{- range $values.secrets.keys }}
        - { name: {{ . }}_FILE, value: /run/secrets/marquee/{{ . }} }
        {{- end }}
        {{- range $name, $value := $values.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
        {{- range $name, $value := $own.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
      # Migrations of an upgrade may take minutes.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 5
        failureThreshold: 120
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # A process that stops is red here first, for DRAIN.
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /run/secrets/marquee, readOnly: true }
  volumes:
    {{- if ne .role "delivery" }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: tmp
      emptyDir: {}
    - name: secrets
      secret:
        secretName: {{ $values.secrets.name }}
        defaultMode: 0440
{{- end -}}
