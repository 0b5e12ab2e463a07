// Questions to another process. Each has a number that identifies its answer, and none is waited for long.

export interface Asking<Answer> {
  /** `send` sends the question. Resolves with null if there is no answer in time. */
  ask(send: (id: number) => void): Promise<Answer | null>
  answered(id: number, answer: Answer): void
}

const PATIENCE_MS = 2_000

export function createAsking<Answer>(): Asking<Answer> {
  const waiting = new Map<number, (answer: Answer | null) => void>()
  let lastId = 0
  return {
    ask: send =>
      new Promise(resolve => {
        const id = ++lastId
        const timer = setTimeout(() => end(null), PATIENCE_MS)
        function end(answer: Answer | null): void {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(answer)
        }
        waiting.set(id, end)
        send(id)
      }),
    answered: (id, answer) => waiting.get(id)?.(answer),
  }
}
