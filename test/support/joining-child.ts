// A process that joins as a node with a data directory, reports which node it is, and stays until it is killed.
// Arguments: the database's address, the data directory.

import { joinAsNode } from '../../src/budget/shares/join.ts'
import { openDatabase } from '../../src/platform/database.ts'

const [url, dataDir] = process.argv.slice(2)
const db = openDatabase({ url: url!, maxConnections: 1, onError: () => {} })
process.on('message', async () => {
  const { nodeId, dir } = await joinAsNode(db, dataDir!, 60_000)
  process.send!({ nodeId, dir })
})
process.send!('ready')
