// Text for HTML, safe in elements and in quoted attributes. Macros (${…}) pass through unchanged.

const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const SPECIAL = /[&<>"']/

export function escapeHtml(text: string): string {
  // Links and domains hardly ever contain one, and testing costs a tenth of replacing.
  if (!SPECIAL.test(text)) return text
  return text.replace(/[&<>"']/g, character => ESCAPED[character] as string)
}
