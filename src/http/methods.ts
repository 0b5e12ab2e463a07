// Which methods a path has, so that a wrong one gets 405 with `allow` rather than 404.

export interface MethodTable {
  add(method: string, path: string): void
  methodsOf(path: string): string[]
  /** All routes, as `GET /path`. */
  routes: string[]
}

export function createMethodTable(): MethodTable {
  const table: { method: string; segments: string[] }[] = []
  const routes: string[] = []
  return {
    routes,
    add(method, path) {
      table.push({ method, segments: split(path) })
      routes.push(`${method} ${path}`)
    },
    methodsOf(path) {
      const segments = split(path)
      const methods = table.filter(route => fits(route.segments, segments)).map(route => route.method)
      return [...new Set(methods)].sort()
    },
  }
}

function split(path: string): string[] {
  const segments = path.split('/').slice(1)
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments
}

function fits(route: string[], path: string[]): boolean {
  return (
    route.length === path.length &&
    route.every((segment, i) => (segment.startsWith(':') ? path[i] !== '' : segment === path[i]))
  )
}
