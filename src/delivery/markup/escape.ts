// Text for HTML, safe in elements and in quoted attributes. Macros (${…}) pass through unchanged.

const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ESCAPED[character] as string)
}
