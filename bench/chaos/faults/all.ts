// Every fault, in the order of the page.
import type { Fault } from '../fault.ts'
import { annotatorFaults } from './annotator.ts'
import { certificateFaults } from './certificates.ts'
import { controlPlaneFaults } from './control-plane.ts'
import { dnsFaults } from './dns.ts'
import { peopleFaults } from './people.ts'
import { podFaults } from './pods.ts'
import { proxyFaults } from './proxies.ts'
import { surroundingsFaults } from './surroundings.ts'
import { webhookFaults } from './webhook.ts'
import { zoneFaults } from './zones.ts'

export const allFaults: readonly Fault[] = [
  ...zoneFaults,
  ...podFaults,
  ...proxyFaults,
  ...controlPlaneFaults,
  ...dnsFaults,
  ...webhookFaults,
  ...annotatorFaults,
  ...certificateFaults,
  ...surroundingsFaults,
  ...peopleFaults,
]

export const namesOfFaults: readonly string[] = allFaults.map(({ name }) => name)
