// First import, in place of enter.ts, of programs that hold the chart against prometheus-operator's definitions.
import { enterNamespaces } from './namespaces.ts'
import { prometheusOperatorFolder } from './prometheus-operator.ts'
import { chartPrograms, programs } from './tools.ts'

prometheusOperatorFolder()
enterNamespaces([...programs, ...chartPrograms])
