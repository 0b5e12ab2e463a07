// Decides whether an agent string belongs to a robot. The pattern is long, so answers are cached per agent string; the
// least recently used are dropped first. A visitor without an agent string counts as a robot.

import { isbot } from 'isbot'
import { createRecent } from '../../kernel/recent.ts'

const LONGEST_UA = 512

export function createBotCheck(mostAgents = 10_000): (ua: string | null | undefined) => boolean {
  const known = createRecent<string, boolean>(mostAgents)
  return ua => {
    if (ua === null || ua === undefined || ua.trim() === '') return true
    const agent = ua.length > LONGEST_UA ? ua.slice(0, LONGEST_UA) : ua
    let verdict = known.get(agent)
    if (verdict === undefined) {
      verdict = isbot(agent)
      known.set(agent, verdict)
    }
    return verdict
  }
}
