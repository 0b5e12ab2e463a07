// The Helm chart, rendered: every object is one that Kubernetes knows, with only fields that it knows, and what it says
// about Marquee is true. Helm itself is not needed.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, SETTINGS } from '../../src/platform/config.ts'
import { VERSION } from '../../src/platform/version.ts'
import { renderChart } from '../support/helm.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = join(ROOT, 'docs/deploy/helm')

// biome-ignore lint/suspicious/noExplicitAny: manifests are looked into freely
type Manifest = any

const BASE = { publicUrl: 'https://ads.example' }
const EVERYTHING = {
  ...BASE,
  image: { tag: 'next', pullSecrets: [{ name: 'registry' }] },
  secrets: { name: 'other', keys: ['DATABASE_URL', 'CAPS_URL', 'SMTP_URL', 'METRICS_TOKEN'] },
  settings: { LOG_LEVEL: 'debug', TIMEZONE: 'Europe/Berlin' },
  api: { autoscaling: { enabled: true }, settings: { READ_POOL: 8 } },
  delivery: { autoscaling: { enabled: true }, disk: { storageClass: 'fast' } },
  ingress: { enabled: true, className: 'haproxy', tlsSecret: 'tls', annotations: { a: 'b' } },
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  nodeSelector: { pool: 'ads' },
  tolerations: [{ key: 'ads', operator: 'Exists' }],
}

function manifestsOf(values: object): Manifest[] {
  return Object.entries(renderChart(CHART, values))
    .filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([, text]) =>
      parseAllDocuments(text, { version: '1.1' }).flatMap(one => {
        expect(one.errors).toEqual([])
        return one.toJS() ?? []
      }),
    )
}

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
const podsOf = (manifests: Manifest[]) => manifests.filter(({ spec }) => spec.template)
const containerOf = ({ spec }: Manifest) => spec.template.spec.containers[0]

describe.each([
  ['as it comes', BASE],
  ['with everything', EVERYTHING],
])('the chart %s', (_how, values) => {
  const manifests = manifestsOf(values)

  test('has objects that Kubernetes knows, without unknown, missing or wrong fields', {
    timeout: 60_000,
  }, () => {
    expect(typeErrors(manifests)).toBe('')
    const wrong = structuredClone(manifests[0])
    wrong.spec.serviceNames = wrong.spec.serviceName
    expect(typeErrors([wrong])).toContain('"serviceNames"')
  })

  test('names settings that exist, with valid values, and secrets only as files', () => {
    for (const manifest of podsOf(manifests)) {
      const env = Object.fromEntries(
        containerOf(manifest).env.map(({ name, value }: { name: string; value: string }) => [name, value]),
      )
      const plain = Object.keys(env).map(name => name.replace(/_FILE$/, ''))
      expect(plain.filter(name => !(name in SETTINGS))).toEqual([])
      for (const [name, value] of Object.entries(env)) {
        expect(typeof value, name).toBe('string')
        const { isSecret } = SETTINGS[name.replace(/_FILE$/, '') as keyof typeof SETTINGS]
        expect([name, name.endsWith('_FILE')]).toEqual([name, isSecret === true])
      }
      const given = Object.entries(env).filter(([name]) => !name.endsWith('_FILE'))
      expect(() =>
        readConfig({ ...Object.fromEntries(given), DATABASE_URL: 'postgres://db/x' } as never),
      ).not.toThrow()
    }
  })

  test('mounts every secret where its setting looks for it, and every volume that it names', () => {
    for (const { spec } of podsOf(manifests)) {
      const { containers, volumes } = spec.template.spec
      const mounted = containers[0].volumeMounts.map(({ name }: { name: string }) => name)
      const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => metadata.name)
      expect([...volumes.map(({ name }: { name: string }) => name), ...claimed].toSorted()).toEqual(
        mounted.toSorted(),
      )
      const folder = containers[0].volumeMounts.find(
        ({ name }: { name: string }) => name === 'secrets',
      ).mountPath
      for (const { name, value } of containers[0].env)
        if (name.endsWith('_FILE')) expect(value).toBe(`${folder}/${name.replace(/_FILE$/, '')}`)
    }
  })

  test('runs every role, each selected by its service, budget and scaler alone', () => {
    const pods = podsOf(manifests)
    expect(pods.map(manifest => containerOf(manifest).env[0].value).toSorted()).toEqual([
      'api',
      'delivery',
      'worker',
    ])
    const labelsOf = ({ spec }: Manifest) => spec.template.metadata.labels
    const chosenBy = (selector: object) =>
      pods.filter(pod => Object.entries(selector).every(([key, value]) => labelsOf(pod)[key] === value))
    for (const one of manifests) {
      const selector = one.kind === 'Service' ? one.spec.selector : one.spec.selector?.matchLabels
      if (selector) expect(chosenBy(selector).map(pod => pod.metadata.name)).toEqual([one.metadata.name])
      const scaled = one.spec.scaleTargetRef
      if (scaled) expect(pods.map(nameOf)).toContain(`${scaled.kind} ${scaled.name}`)
    }
    const [delivery] = pods.filter(({ kind }) => kind === 'StatefulSet')
    expect(manifests.map(nameOf)).toContain(`Service ${delivery.spec.serviceName}`)
  })

  test('runs as the image wants it, and is probed where it answers', () => {
    const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    for (const manifest of podsOf(manifests)) {
      const { securityContext, terminationGracePeriodSeconds } = manifest.spec.template.spec
      const container = containerOf(manifest)
      expect(image).toContain(`USER ${securityContext.runAsUser}:${securityContext.runAsGroup}`)
      expect(image).toContain(`EXPOSE ${container.ports[0].containerPort}`)
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const { secret } = manifest.spec.template.spec.volumes.find(({ name }: Manifest) => name === 'secrets')
      expect(secret.defaultMode).toBe(0o440)
      expect(container.livenessProbe.httpGet.path).toBe('/healthz')
      expect(container.readinessProbe.httpGet.path).toBe('/readyz')
      const drain = container.env.find(({ name }: { name: string }) => name === 'DRAIN').value
      // A stop takes the drain time and up to 25 s.
      expect(terminationGracePeriodSeconds).toBeGreaterThan(Number.parseInt(drain, 10) + 25)
      const { periodSeconds, failureThreshold } = container.readinessProbe
      expect(Number.parseInt(drain, 10)).toBeGreaterThan(periodSeconds * failureThreshold)
    }
  })
})

test('the ingress sends to delivery what the proxy of the other guide sends there', () => {
  const ingress = manifestsOf(EVERYTHING).find(({ kind }) => kind === 'Ingress')
  expect(ingress.spec.rules[0].host).toBe('ads.example')
  const paths = ingress.spec.rules[0].http.paths.filter(({ backend }: Manifest) =>
    backend.service.name.endsWith('-delivery'),
  )
  const haproxy = readFileSync(join(ROOT, 'docs/deploy/haproxy.cfg'), 'utf8')
  const [begin, exact] = ['path_beg', 'path'].map(how =>
    new RegExp(`acl ads ${how} (.*)`)
      .exec(haproxy)![1]!
      .split(' ')
      .map(path => path.replace(/(.)\/$/, '$1')),
  )
  const withType = (type: string) =>
    paths.filter(({ pathType }: Manifest) => pathType === type).map(({ path }: Manifest) => path)
  expect(withType('Prefix').toSorted()).toEqual(begin!.toSorted())
  expect(withType('Exact').toSorted()).toEqual(exact!.toSorted())
})

test('the chart refuses to be installed without a public URL', () => {
  expect(() => renderChart(CHART, {})).toThrow('publicUrl must be set, such as https://ads.example')
})

test('Chart.yaml and values.yaml are as Helm’s own check wants them', () => {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
  expect(chart).toMatchObject({ apiVersion: 'v2', name: 'marquee', type: 'application', appVersion: VERSION })
  expect(chart.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(readdirSync(CHART).toSorted()).toEqual(['Chart.yaml', 'templates', 'values.yaml'])
  for (const file of readdirSync(join(CHART, 'templates')))
    expect(file).toMatch(/^(_helpers\.tpl|NOTES\.txt|[a-z]+\.yaml)$/)
  expect(renderChart(CHART, BASE)['NOTES.txt']).toContain(
    'deploy/ads-api -- node /app/dist/src/main.js doctor',
  )
})

/** The compiler compares literals with the types of Kubernetes, and refuses fields that a type does not have. */
function typeErrors(manifests: Manifest[]): string {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.cache/helm-'))
  const lines = manifests.map(manifest => {
    const [group, version = 'v1'] = manifest.apiVersion.includes('/')
      ? manifest.apiVersion.split('/')
      : ['', manifest.apiVersion]
    const path = ['kubernetes-models', group, version, manifest.kind].filter(Boolean).join('/')
    return `void (${JSON.stringify(manifest)} satisfies import('${path}').I${manifest.kind})`
  })
  try {
    writeFileSync(join(folder, 'manifests.ts'), `${lines.join('\n')}\nexport {}\n`)
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--ignoreConfig',
      '--types',
      '',
      '--module',
      'preserve',
      '--target',
      'es2022',
    ]
    execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, join(folder, 'manifests.ts')],
      { cwd: ROOT },
    )
    return ''
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
