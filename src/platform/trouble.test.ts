// Trouble is logged once when it begins and once when it is over.

import { expect, it, vi } from 'vitest'
import { createLog } from './log.ts'
import { brokenConnection, createTrouble, isOurDisk, reasonOf } from './trouble.ts'

function lines() {
  const written: Record<string, unknown>[] = []
  const log = createLog('info', { write: line => void written.push(JSON.parse(line)) })
  return { written, log }
}

const failure = (code: string, message = 'write') => Object.assign(new Error(message), { code })

it('a full disk is logged once without a stack, and once more when it is over, however often it fails', () => {
  vi.useFakeTimers()
  try {
    const { written, log } = lines()
    const trouble = createTrouble(log, { text: 'cannot be written', again: 'is written again' })
    for (let i = 0; i < 500; i++) {
      trouble.is(failure('ENOSPC'))
      vi.advanceTimersByTime(20)
    }
    expect(written).toEqual([
      { level: 40, time: expect.anything(), reason: 'the disk is full', msg: 'cannot be written' },
    ])
    vi.advanceTimersByTime(10_000)
    expect(written.slice(1)).toMatchObject([{ level: 30, failures: 500, msg: 'is written again' }])
    trouble.is(failure('EROFS'))
    expect(written.slice(2)).toMatchObject([{ level: 40, reason: 'the disk is read-only' }])
  } finally {
    vi.useRealTimers()
  }
})

it('a vanished folder is named and is no missing database; a missing socket is one', () => {
  const gone = Object.assign(failure('ENOENT', 'ENOENT: no such file'), {
    syscall: 'open',
    path: '/srv/ads/x',
  })
  expect([reasonOf(gone), isOurDisk(gone)]).toEqual(['the file or folder does not exist: /srv/ads/x', true])
  const down = Object.assign(failure('ENOENT', 'connect ENOENT /run/pg'), { syscall: 'connect' })
  expect([reasonOf(down), isOurDisk(down)]).toEqual(['connect ENOENT /run/pg', false])
})

it('the reason lists every address of a name whose addresses all refuse', () => {
  const each = ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED 127.0.0.1:5432']
  const refused = new AggregateError(each.map(message => failure('ECONNREFUSED', message)))
  expect(reasonOf(Object.assign(refused, { code: 'ECONNREFUSED' }))).toBe(each.join(', '))
})

it('another reason is another line; success ends it at once; an unexpected error has its stack', () => {
  const { written, log } = lines()
  const trouble = createTrouble(log, { text: 'no', again: 'yes' })
  for (const code of ['25006', '53100', '25006', 'ECONNREFUSED', '53100']) trouble.is(failure(code))
  expect(written.map(line => line.reason)).toEqual([
    'the database is read-only',
    'the disk of the database is full',
    'write',
  ])
  trouble.over()
  trouble.over()
  expect(written.slice(3)).toMatchObject([{ msg: 'yes', failures: 5 }])
  trouble.is(new TypeError('x is not a function'))
  expect(written[4]).toMatchObject({
    err: { type: 'TypeError', stack: expect.stringContaining('trouble.test') },
  })
  trouble.over()
})

it('all connections that break at once make one line, and later ones another', () => {
  vi.useFakeTimers()
  try {
    const { written, log } = lines()
    const broke = brokenConnection(log, { part: 'counting' })
    for (let i = 0; i < 16; i++) broke(failure('57P01'))
    vi.advanceTimersByTime(60_000)
    broke(failure('ECONNRESET', 'read ECONNRESET'))
    expect(written).toMatchObject([
      { part: 'counting', reason: 'the database ended the connection', msg: 'a database connection broke' },
      { part: 'counting', reason: 'read ECONNRESET' },
    ])
  } finally {
    vi.useRealTimers()
  }
})
