// First import, in place of enter.ts, of programs that install the chart, with cert-manager in the cluster: only they have
// both built.
import { enterNamespaces } from './namespaces.ts'
import { allPrograms } from './tools.ts'

enterNamespaces(allPrograms)
