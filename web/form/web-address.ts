// What people type as an address: `danasflowers.example` is completed to `https://danasflowers.example`.

/** A host with a dot, perhaps with a port and a path, and nothing in front of it. */
const BARE = /^[^\s/?#@:]+\.[^\s/?#@:.]{2,}(:\d+)?([/?#]|$)/

export function completeAddress(typed: string): string {
  const text = typed.trim()
  return BARE.test(text) ? `https://${text}` : text
}
