// Pure: `namespace/name`, by which the annotator files objects and works on Services.
export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}
