// Every label, annotation and field-manager name, in one place. RBAC, policies and templates in manifests/ repeat
// some of them: a test compares.

const domain = 'zonefirst.io'

/** Pod label, on the pod template: "true" opts the pod in. On a Service: "true" takes it in, "false" keeps it out. */
export const enabledLabel = `${domain}/enabled`
/** Pod label of ingress controllers: "proxy". */
export const roleLabel = `${domain}/role`
/** Pod label: key of the one zone whose proxies take this pod as a normal server. */
export const servesLabel = `${domain}/serves`
/** Pod annotation: the zone as the Node's label has it. */
export const zoneAnnotation = `${domain}/zone`
/** Pod annotation: the zone as a DNS label; proxies read it as ZONE by the downward API. */
export const zoneKeyAnnotation = `${domain}/zone-key`
/** Label that marks a Service as one of our zonal Services; its value is the zone key. */
export const zonalServiceLabel = `${domain}/zonal-service`
/** Annotation on the primary Service that the controller's ValidationRules object turns into server lines. */
export const serversAnnotation = `backend.${domain}/servers`

export const fieldManager = 'zonefirst-annotator'
export const certsFieldManager = 'zonefirst-certs'

/** Annotation on a Service: "true" lets it be routed by zone though it balances by a hash. */
export const allowHashBalancingAnnotation = `${domain}/allow-hash-balancing`

export const ingressClassAnnotation = 'kubernetes.io/ingress.class'
export const defaultIngressClassAnnotation = 'ingressclass.kubernetes.io/is-default-class'
export const mirrorPodAnnotation = 'kubernetes.io/config.mirror'
export const endpointSliceServiceLabel = 'kubernetes.io/service-name'
