// First import of every program that uses the test cluster: what it does and imports after this happens inside the
// cluster's private namespaces.
import { enterNamespaces } from './namespaces.ts'

enterNamespaces()
