// How landing pages are told apart, as part of a statement.

/** By what addresses are told apart: without the values of macros, which differ by banner. */
export function pageKeyOf(url: string, template: string): string {
  return `encode(sha256(convert_to(${url} || chr(10) || coalesce(${template}, ''), 'UTF8')), 'hex')`
}
