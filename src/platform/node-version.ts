// What is known about the versions of Node: which we run on, and which still get security fixes.

/** The oldest that we run on. */
const OLDEST = [20, 19] as const
/** All before it have had no security fixes since April 2026. */
const OLDEST_FIXED = 22
/** What the image and the documents use. */
const BEST = 24

export interface NodeTrouble {
  isTooOld: boolean
  text: string
  advice: string
}

/** Null for a version that gets security fixes. */
export function nodeTrouble(version = process.versions.node): NodeTrouble | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const advice = `Install Node ${BEST}.`
  const [oldest, least] = OLDEST
  if (major < oldest || (major === oldest && minor < least))
    return { isTooOld: true, text: `Node ${version} is too old.`, advice }
  if (major >= OLDEST_FIXED) return null
  return { isTooOld: false, text: `Node ${version} has had no security fixes since April 2026.`, advice }
}
