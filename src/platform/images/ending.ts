// The ways in which a child that reads images ends by itself, named for metrics and in words for the operator. None of
// them says anything about the image that it was reading.

const MOST_REASON = 300

/** What `marquee_image_readers_ended_total` distinguishes. */
export const ENDINGS = ['forbidden_call', 'killed', 'crashed', 'exited', 'unfit', 'not_started'] as const

export interface Ending {
  how: (typeof ENDINGS)[number]
  words: string
}

/** `lastWords`: what the child printed last. */
export function endingOf(code: number | null, signal: NodeJS.Signals | null, lastWords: string): Ending {
  if (signal === 'SIGSYS')
    return {
      how: 'forbidden_call',
      words:
        'the reader made a system call that is forbidden here (SIGSYS): compare SystemCallFilter of the unit, or the seccomp profile of the container',
    }
  if (signal === 'SIGKILL')
    return {
      how: 'killed',
      words: 'the reader was killed from outside (SIGKILL), probably because memory ran out',
    }
  if (signal !== null) return { how: 'crashed', words: `the reader crashed (${signal})` }
  return { how: 'exited', words: `the reader exited with code ${code}${reasonIn(lastWords)}` }
}

/** Node prints a stack around the error. */
function reasonIn(lastWords: string): string {
  const lines = lastWords.trim().split('\n')
  const line = lines.find(text => /^\w*Error\b/.test(text)) ?? lines.at(-1)!
  return line && `: ${line.slice(0, MOST_REASON)}`
}

export function unfit(reason: string): Ending {
  return { how: 'unfit', words: `the reader cannot read an image that is known to be good: ${reason}` }
}

export function notStarted(error: Error): Ending {
  return { how: 'not_started', words: `no reader can be started: ${error.message}` }
}
