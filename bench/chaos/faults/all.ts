// Every fault, in the order of the page.
import type { Fault } from '../fault.ts'
import { controlPlaneFaults } from './control-plane.ts'
import { peopleFaults } from './people.ts'
import { webhookFaults } from './webhook.ts'
import { zoneFaults } from './zones.ts'

export const allFaults: readonly Fault[] = [
  ...webhookFaults,
  ...controlPlaneFaults,
  ...zoneFaults,
  ...peopleFaults,
]

export const namesOfFaults: readonly string[] = allFaults.map(({ name }) => name)
