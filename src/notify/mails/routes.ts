// The endpoints of email preferences, and the page behind the unsubscribe link. Opening that page changes nothing,
// because link scanners open it too. Its button changes the preference, and so does one-click unsubscribe in mail
// programs (RFC 8058).

import type { FastifyReply, FastifyRequest } from 'fastify'
import { zonesOf } from '../../changes/customer-zones.ts'
import type { Api } from '../../http/api.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import { findCustomer } from '../../manage/customers/customers.ts'
import type { Db } from '../../platform/database.ts'
import { escaped } from '../../platform/letter.ts'
import { stopMailing } from '../../report/saved-views/saved-views.ts'
import * as contract from './contract.ts'
import { readOffToken } from './links.ts'
import { editChoices, readChoices, refuseAlertEdit, switchedOff } from './mails.ts'
import { selectLanguage, setMailOff } from './queries.ts'
import { MAIL_WORDS, type MailLanguage } from './words.ts'

export interface MailParts {
  clock: Clock
  /** The deployment's zone, for customers without one of their own. */
  timeZone: string
}

export function mailRoutes(api: Api, { clock, timeZone }: MailParts): void {
  const find = (call: { db: Db; caller: Caller; params: Record<string, string> }) =>
    findCustomer(call.db, { ...call, clock }, call.params)
  api.bind(contract.readMailChoices, {
    find,
    handle: call => readChoices(call.db, call.found.customer.cuid),
  })
  api.bind(contract.editMailChoices, {
    find,
    present: call => readChoices(call.db, call.found.customer.cuid),
    handle: async call => {
      const { cuid } = call.found.customer
      refuseAlertEdit(call.caller, await readChoices(call.db, cuid), call.body)
      return edit(call.db, cuid, call.body, { clock, timeZone })
    },
  })
}

/** Reports follow the days of the customer. */
async function edit(db: Db, cuid: number, choices: contract.MailChoicesEdit, { clock, timeZone }: MailParts) {
  const calendar = calendarIn(await zonesOf(db, cuid), timeZone)
  return editChoices(db, cuid, choices, { calendar, clock })
}

type OffRequest = FastifyRequest<{ Params: { token: string } }>

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
const MAX_FORM_BYTES = 1024

/** On a separate server instance, because the body is a form, which is ignored. */
export function mailPages({ fastify, db }: Api, { clock, timeZone }: MailParts): void {
  fastify.register(async child => {
    child.removeAllContentTypeParsers()
    child.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES },
      (_request, _body, done) => done(null, null),
    )
    child.get('/mails/:token', (request: OffRequest, reply) => answer(request, reply, false))
    child.post('/mails/:token', (request: OffRequest, reply) => answer(request, reply, true))
  })

  async function answer(request: OffRequest, reply: FastifyReply, off: boolean): Promise<FastifyReply> {
    const link = await readOffToken(db, request.params.token)
    const customer = link && (await selectLanguage(db, link.cuid))
    if (link && customer && off) {
      const choice = switchedOff(link.kind)
      const { mid, vid } = link
      if (mid !== null && vid !== undefined)
        await db.transaction(tx => stopMailing(tx, { cuid: link.cuid, vid, mid }, { clock }))
      else if (mid !== null) await setMailOff(db, link, link.kind)
      else await db.transaction(tx => edit(tx, link.cuid, choice, { clock, timeZone }))
    }
    const language = customer?.language ?? 'en'
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    return reply.code(link ? 200 : 404).send(page(language, link?.kind ?? null, off))
  }
}

function page(language: MailLanguage, kind: contract.MailKind | null, done: boolean): string {
  const words = MAIL_WORDS[language]
  const said = (text: string) => `<p>${escaped(text)}</p>`
  const body =
    kind === null
      ? said(words.offUnknown)
      : done
        ? said(words.offDone(words.kind[kind])) + said(words.offAgain)
        : `${said(words.offAsk(words.kind[kind]))}
<form method="post"><button>${escaped(words.offYes)}</button></form>`
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${escaped(words.offTitle)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 32rem; margin: 15vh auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem; cursor: pointer }
</style></head>
<body><main><h1>${escaped(words.offTitle)}</h1>
${body}</main></body></html>
`
}
