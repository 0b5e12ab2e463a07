export function bundle(what: {
  programs: Record<string, string>
  folder: string
  root: string
}): Promise<void>
