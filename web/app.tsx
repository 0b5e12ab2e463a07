// The outer frame: data, look and pages. A change of language redraws all of it.

import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { api, MarqueeError } from './api/client.ts'
import { onRightsChanged, workAs } from './api/session-fetch.ts'
import { mayLeave } from './form/unsaved.ts'
import { setCurrency } from './format/format.ts'
import { createConsoleRouter } from './router.tsx'
import { type Session, sessionQuery, tabOf } from './session/session.ts'
import { SignInAgain } from './session/sign-in-again.tsx'
import { ticketToAskAbout } from './session/ticket.ts'
import { lazyLater, useLaterParts } from './shell/later.ts'
import { SpeakContext } from './shell/speak.ts'
import { Unreachable, Waiting } from './shell/states.tsx'
import { cssVariables, themeOf } from './shell/theme.ts'
import { keepLanguage, type Language, language, speak } from './words/words.ts'

const Notices = lazyLater(async () => (await import('./shell/notices.tsx')).Notices)
const TicketQuestion = lazy(async () => ({
  default: (await import('./session/ticket-question.tsx')).TicketQuestion,
}))

const client = new QueryClient({
  defaultOptions: {
    // Without a connection an action fails at once; it is not carried out later, unnoticed.
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => !(error instanceof MarqueeError && error.status < 500) && failures < 2,
    },
  },
})
onRightsChanged(() => client.invalidateQueries({ queryKey: sessionQuery.queryKey }))
const router = createConsoleRouter(client)
const colorScheme = localStorageColorSchemeManager({ key: 'marquee-color-scheme' })

/** `known`: the session with which the page was opened. */
export function App({ known }: { known: Session | null }) {
  if (known && !client.getQueryData(sessionQuery.queryKey)) {
    client.setQueryData(sessionQuery.queryKey, known)
  }
  return (
    <QueryClientProvider client={client}>
      <Dressed />
    </QueryClientProvider>
  )
}

/**
 * Saves the language with the customer, for its emails and other browsers. If that fails, this browser still uses it.
 */
async function keepOnCustomer(customer: NonNullable<Session['customer']>, next: Language): Promise<void> {
  client.setQueryData(sessionQuery.queryKey, session =>
    session?.customer ? { ...session, customer: { ...session.customer, language: next } } : session,
  )
  const { cuid } = customer
  await api.editCustomer({ cuid, body: { language: next } }).catch(() => {})
  await client.invalidateQueries({ queryKey: ['customer', cuid] })
}

function Dressed() {
  const session = useQuery(sessionQuery)
  const [spoken, setSpoken] = useState<Language>(language())
  const [ticket, setTicket] = useState(ticketToAskAbout())
  const chosen = session.data?.staff ? null : (session.data?.customer?.language ?? null)
  const take = useCallback(async (next: Language) => {
    keepLanguage(next)
    await speak(next)
    setSpoken(next)
  }, [])
  useEffect(() => {
    if (chosen !== null) take(chosen)
  }, [chosen, take])
  const change = async (next: Language) => {
    if (next === language() || !(await mayLeave())) return
    await take(next)
    if (session.data?.customer && !session.data.staff) await keepOnCustomer(session.data.customer, next)
  }
  const brand = session.data?.brand
  useEffect(() => {
    if (session.data) router.invalidate()
  }, [session.data])
  if (session.data) {
    setCurrency(session.data.currency)
    workAs(tabOf(session.data))
  }
  return (
    <MantineProvider
      theme={themeOf(brand?.color ?? null)}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
    >
      {useLaterParts() && (
        <Suspense>
          <Notices />
        </Suspense>
      )}
      {(session.isPending || (chosen !== null && chosen !== spoken)) && <Waiting />}
      {session.isError && <Unreachable onRetry={() => session.refetch()} />}
      {session.data && (chosen === null || chosen === spoken) && (
        <SpeakContext value={change}>
          {ticket === null ? (
            <RouterProvider key={spoken} router={router} />
          ) : (
            <Suspense fallback={<Waiting />}>
              <TicketQuestion key={spoken} ticket={ticket} onDone={() => setTicket(null)} />
            </Suspense>
          )}
          <SignInAgain />
        </SpeakContext>
      )}
    </MantineProvider>
  )
}
