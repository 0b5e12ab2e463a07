// Which methods a path has, so that a wrong one gets 405 with `allow` rather than 404.

export interface MethodTable {
  add(method: string, path: string): void
  methodsOf(path: string): string[]
}

export function createMethodTable(): MethodTable {
  const routes: { method: string; segments: string[] }[] = []
  return {
    add: (method, path) => routes.push({ method, segments: split(path) }),
    methodsOf(path) {
      const segments = split(path)
      const methods = routes.filter(route => fits(route.segments, segments)).map(route => route.method)
      return [...new Set(methods)].sort()
    },
  }
}

function split(path: string): string[] {
  return path.replace(/\/+$/, '').split('/').slice(1)
}

function fits(route: string[], path: string[]): boolean {
  return (
    route.length === path.length &&
    route.every((segment, i) => (segment.startsWith(':') ? path[i] !== '' : segment === path[i]))
  )
}
