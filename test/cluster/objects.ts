// Objects for the tests of the cluster itself.
import type { V1Container, V1Deployment, V1Pod, V1PodSpec, V1Service } from '@kubernetes/client-node'

export function pod(name: string, container: Partial<V1Container>, spec: Partial<V1PodSpec> = {}): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: { ...spec, containers: [{ name: 'main', image: 'none', ...container }] },
  }
}

/** Runs as long as it isn't ended, after the script. */
export function shell(script: string): string[] {
  return ['sh', '-c', `${script}\nexec sleep infinity`]
}

/** As many in each zone as in every other. */
export function webDeployment(name: string, replicas: number): V1Deployment {
  const labels = { app: name }
  const container = {
    name: 'web',
    image: 'none',
    command: ['node', 'test/cluster/app.ts'],
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      {
        name: 'ZONE',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
      },
    ],
    readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 },
  }
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: labels },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [container], topologySpreadConstraints: [spread] },
      },
    },
  }
}

export function headlessService(name: string): V1Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { clusterIP: 'None', selector: { app: name }, ports: [{ name: 'http', port: 8080 }] },
  }
}
