// Makes the Postman collection of the docs from an OpenAPI document:
//   node script/postman.mjs openapi.json > docs/postman.json
// A request signs in with variables of the collection and contains the example of the document: after importing it,
// fill in the super pair and call.

import { readFileSync } from 'node:fs'

const [, , file] = process.argv
if (!file) throw new Error('usage: node script/postman.mjs <openapi.json>')
const { info, servers, tags, paths } = JSON.parse(readFileSync(file, 'utf8'))

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)
const ids = operations.flatMap(({ parameters }) => parameters.filter(isId).map(({ name }) => name))
const names = ['superkey', 'supertoken', 'key', 'token', ...new Set(ids)]

const collection = {
  info: {
    name: info.title,
    description: `${info.description}\n\nVariables of the collection: \`superkey\` and \`supertoken\` are in \`data/credentials.json\` of the service; \`key\` and \`token\` come with a new customer.`,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  item: tags.map(({ name, description }) => ({
    name,
    description,
    item: operations.filter(operation => operation.tags.includes(name)).map(call),
  })),
  variable: [{ key: 'baseUrl', value: servers[0].url }, ...names.map(key => ({ key, value: '' }))],
}
process.stdout.write(`${JSON.stringify(collection, null, 1)}\n`)

function call(operation) {
  const { path, method, summary, description, parameters } = operation
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const query = parameters.filter(one => one.in === 'query')
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      auth: authOf(operation),
      header: [...parameters.filter(one => one.in === 'header').map(headerOf), ...typeOf(operation)],
      ...bodyOf(operation),
      url: {
        raw: `{{baseUrl}}/${segments}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        query: query.map(one => ({ ...parameterOf(one), ...(one.required ? {} : { disabled: true }) })),
        variable: parameters.filter(one => one.in === 'path').map(parameterOf),
      },
    },
  }
}

/** Basic authentication, for either level: the key is the user and the token the password. */
function authOf({ security }) {
  if (security.length === 0) return { type: 'noauth' }
  const [key, token] = security.some(way => 'key' in way) ? ['key', 'token'] : ['superkey', 'supertoken']
  return {
    type: 'basic',
    basic: [
      { key: 'username', value: `{{${key}}}`, type: 'string' },
      { key: 'password', value: `{{${token}}}`, type: 'string' },
    ],
  }
}

function headerOf({ name, description }) {
  if (name === 'idempotency-key') return { key: name, value: '{{$guid}}', description }
  return { key: name, value: '', description, disabled: true }
}

function typeOf({ requestBody }) {
  const example = requestBody?.content['application/json']
  return example ? [{ key: 'content-type', value: 'application/json' }] : []
}

function bodyOf({ requestBody }) {
  if (!requestBody) return {}
  const json = requestBody.content['application/json']
  if (!json) return { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] } }
  const raw = JSON.stringify(json.example, null, 2)
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

function parameterOf(parameter) {
  const { name, description } = parameter
  return { key: name, value: isId(parameter) ? `{{${name}}}` : '', description }
}

function isId({ name, schema }) {
  return /id$/.test(name) && schema.type === 'integer'
}
