// How a part of the page asks for another language.

import { createContext, use } from 'react'
import type { Language } from '../words/words.ts'

export const SpeakContext = createContext<(next: Language) => void>(() => {})

export function useSpeak(): (next: Language) => void {
  return use(SpeakContext)
}
