{{/*
What the three programs have in common: ServiceAccount, PodDisruptionBudget, Deployment, NetworkPolicy.
Called with root, program, values, and texts that only one of them has: env, ports, volumeMounts, volumes.
*/}}
{{- define "zonefirst.program" -}}
{{- $name := printf "zonefirst-%s" .program -}}
{{- $labels := include "zonefirst.labels" (dict "root" .root "component" .program) -}}
{{- $values := .values -}}
{{- $hostNetwork := get $values "hostNetwork" | default false -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- $labels | nindent 4 }}
  {{- with $values.serviceAccountAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if $values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- $labels | nindent 4 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ $name }}
{{- end }}
{{- if and .root.Values.networkPolicy.enabled (not $hostNetwork) }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- $labels | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ $name }}
  policyTypes: [Ingress]
  ingress:
    {{- if eq .program "webhook" }}
    # from anywhere: no selector can name the API server
    - ports:
        - port: review
    {{- end }}
    - ports:
        - port: probes
      {{- with .root.Values.networkPolicy.metricsFrom }}
      from:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    app.kubernetes.io/name: {{ $name }}
    {{- $labels | nindent 4 }}
spec:
  replicas: {{ $values.replicas }}
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ $name }}
  strategy:
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {{ $name }}
        app.kubernetes.io/part-of: zonefirst
        app.kubernetes.io/component: {{ .program }}
        {{- with merge (dict) $values.podLabels .root.Values.commonLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ $name }}
      # the variables that Kubernetes would set for Services begin like our settings
      enableServiceLinks: false
      {{- with .root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- if $hostNetwork }}
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      {{- end }}
      {{- if eq .program "webhook" }}
      # drain delay, then what is in flight: far below this
      terminationGracePeriodSeconds: 30
      {{- end }}
      topologySpreadConstraints:
        {{- if kindIs "invalid" $values.topologySpreadConstraints }}
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: {{ $name }}
        {{- end }}
        {{- else }}
        {{- toYaml $values.topologySpreadConstraints | nindent 8 }}
        {{- end }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: {{ .program }}
          image: {{ include "zonefirst.image" .root }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command: [node, {{ .program }}/main.js]
          env:
            - name: ZONEFIRST_LISTEN_ADDRESS
              {{- with $values.settings.listenAddress }}
              value: {{ . | quote }}
              {{- else }}
              # the pod's address alone: with hostNetwork, others may use the same ports on other addresses
              valueFrom:
                fieldRef:
                  fieldPath: status.podIP
              {{- end }}
            - name: ZONEFIRST_PROBES_PORT
              value: {{ $values.probesPort | quote }}
            {{- with .env }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- with include "zonefirst.settings" (dict "root" .root "program" .program "settings" $values.settings) | trim }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- with $values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            {{- with .ports }}
            {{- . | nindent 12 }}
            {{- end }}
            - name: probes
              containerPort: {{ $values.probesPort }}
          livenessProbe:
            httpGet:
              path: /livez
              port: probes
          readinessProbe:
            httpGet:
              path: /readyz
              port: probes
            periodSeconds: {{ eq .program "annotator" | ternary 2 5 }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          {{- with .volumeMounts }}
          volumeMounts:
            {{- . | nindent 12 }}
          {{- end }}
      {{- with .volumes }}
      volumes:
        {{- . | nindent 8 }}
      {{- end }}
{{- end }}
