// The counting path in its own process, from the build: prints its URL, then counts until it is killed.

const [databaseUrl] = process.argv.slice(2)
const { startCounting } = await import('../../dist/bench/counting-service.js')

async function start() {
  for (;;) {
    try {
      return await startCounting({ databaseUrl, clock: { nowMs: () => Date.now() } })
    } catch {
      // The database may be down right now, which is what the test is about.
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

console.log(await (await start()).listen())
