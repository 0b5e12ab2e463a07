// How a part of the page says something in the corner.

import { later } from './later.ts'

const load = later(() => import('./notices.tsx'))
type Notice = typeof import('./notices.tsx').NOTICE

const say =
  <Name extends keyof Notice>(name: Name) =>
  (...words: Parameters<Notice[Name]>) => {
    load().then(({ NOTICE }) => (NOTICE[name] as (...words: unknown[]) => void)(...words))
  }
const NOTICE = {
  done: say('done'),
  refused: say('refused'),
  proposed: say('proposed'),
  someRefused: say('someRefused'),
  undo: say('undo'),
}

export function useNotice(): typeof NOTICE {
  return NOTICE
}
