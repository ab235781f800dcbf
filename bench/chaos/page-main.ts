// `make reliability-page`: writes the figures of build/chaos.json into docs/reliability.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { allFaults } from './faults/all.ts'
import { tableOf, withTable } from './page.ts'
import { readResult } from './result.ts'

const page = 'docs/reliability.md'
const result = readResult('build/chaos.json')
if (!result) {
  console.error('there is no build/chaos.json: run make chaos first')
  process.exit(1)
}
writeFileSync(page, withTable(readFileSync(page, 'utf8'), tableOf(result, allFaults)))
