// For the HEALTHCHECK of the image, which has no shell and no curl: exits with 0 if this container's service answers.

const port = process.env.PORT ?? '8080'
const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null)
process.exit(answer?.ok ? 0 : 1)
