// The package from outside.

export * from './client.ts'
export * from './webhook.ts'
