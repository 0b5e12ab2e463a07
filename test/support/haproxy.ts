// The HAProxy configuration of docs/deploy, with hosts and ports of this machine.

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '../../docs/deploy/haproxy.cfg')

/** Writes the file and returns its path. */
export async function haproxyConfig(
  dir: string,
  front: number,
  delivery1: number,
  delivery2: number,
  manage: number,
): Promise<string> {
  const path = join(dir, 'haproxy.cfg')
  const text = readFileSync(FILE, 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${front}`)
    .replace('delivery-1:8080', `127.0.0.1:${delivery1}`)
    .replace('delivery-2:8080', `127.0.0.1:${delivery2}`)
    .replace(/manage-\d:8080/g, `127.0.0.1:${manage}`)
  await writeFile(path, text)
  return path
}
