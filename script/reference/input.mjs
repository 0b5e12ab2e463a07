// The arguments of the build scripts.
import { readFileSync } from 'node:fs'

export function argument(index, what) {
  const value = process.argv[2 + index]
  if (!value) {
    console.error(`usage: node ${process.argv[1]} <${what}>`)
    process.exit(2)
  }
  return value
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
