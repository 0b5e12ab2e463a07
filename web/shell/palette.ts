// The colour of an app's console. An app may choose any; this is the default.

export const DEFAULT_COLOUR = '#4c51e0'

export function isColour(text: string | null): text is string {
  return text !== null && /^#[0-9a-f]{6}$/i.test(text)
}
