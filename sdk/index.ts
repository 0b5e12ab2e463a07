// Everything that the package exports.

export * from './client.ts'
export * from './sandbox.ts'
export * from './webhook.ts'
