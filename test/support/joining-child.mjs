// A process that becomes a node in a data directory, says which, and stays until it is killed.
// Arguments: the database's address, the data directory.

import { openDatabase } from '../../dist/src/platform/database.js'
import { joinAsNode } from '../../dist/src/shares/join.js'

const [url, dataDir] = process.argv.slice(2)
const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
process.on('message', async () => {
  const { nodeId, dir } = await joinAsNode(db, dataDir, 60_000)
  process.send({ nodeId, dir })
})
process.send('ready')
