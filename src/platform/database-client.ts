// Every connection to the database begins here. Where DATABASE_URL comes from a file, a connection uses the password
// that the file has at that moment, so that it can be changed while processes run (decision 450).

import { readFile } from 'node:fs/promises'
import pg from 'pg'

export class DatabaseClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const path = process.env.DATABASE_URL_FILE
    const url = config?.connectionString
    if (path && url) Object.assign(this, { password: () => currentPassword(path, url) })
  }
}

/** Only of the same user and server: the file may have been changed to another database, which needs a restart. */
async function currentPassword(path: string, url: string): Promise<string | undefined> {
  const known = partsOf(url)
  const now = partsOf(await readFile(path, 'utf8').catch(() => url))
  return (now.place === known.place ? now : known).password
}

function partsOf(url: string): { place: string; password: string | undefined } {
  const [scheme = '', rest = ''] = url.trim().split('//', 2)
  const [address = ''] = rest.split(/[?#]/, 1)
  const at = address.lastIndexOf('@', address.indexOf('/') < 0 ? undefined : address.indexOf('/'))
  const [user = '', ...password] = address.slice(0, Math.max(0, at)).split(':')
  return {
    place: `${scheme}//${user}${address.slice(Math.max(0, at))}`,
    password: password.length === 0 ? undefined : decoded(password.join(':')),
  }
}

/** As the driver does it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
