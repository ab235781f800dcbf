// First import, in place of enter.ts, of programs whose cluster has a cert-manager: only they have it built.
import { enterNamespaces } from './namespaces.ts'
import { certManagerPrograms, programs } from './tools.ts'

enterNamespaces([...programs, ...certManagerPrograms])
