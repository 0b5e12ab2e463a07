// Personas as the pages read and change them.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Persona } from '../../src/manage/personas/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { copyName } from '../bulk/copy-name.ts'
import { useSwitchMany } from '../bulk/switch.ts'
import { readCampaignsAgain } from '../campaigns/status-again.ts'

export type { Persona }

export const personasQuery = (cuid: number, cid: number) =>
  queryOptions({ queryKey: ['personas', cuid, cid], queryFn: () => api.listPersonas({ cuid, cid }) })
export const personaQuery = (cuid: number, cid: number, pid: number) =>
  queryOptions({
    queryKey: ['persona', cuid, cid, pid],
    queryFn: () => tagged(api.withMeta.readPersona({ cuid, cid, pid })),
  })

export const usePersonas = (cuid: number, cid: number) => useQuery(personasQuery(cuid, cid))
export const usePersona = (cuid: number, cid: number, pid: number) => useQuery(personaQuery(cuid, cid, pid))

export function useKeepPersona(cuid: number, cid: number) {
  const client = useQueryClient()
  return (...changed: Tagged<Persona>[]) => {
    const byId = new Map<number, Persona>(changed.map(persona => [persona.pid, persona]))
    client.setQueryData(personasQuery(cuid, cid).queryKey, list => list?.map(old => byId.get(old.pid) ?? old))
    for (const persona of changed) client.setQueryData(personaQuery(cuid, cid, persona.pid).queryKey, persona)
    readCampaignsAgain(client, cuid)
  }
}

export function useSwitchPersonas(cuid: number, cid: number) {
  const keep = useKeepPersona(cuid, cid)
  const anew = usePersonasAnew(cuid, cid)
  const switchMany = useSwitchMany<Persona>(cuid, { keep: changed => keep(...changed), anew })
  return useMutation({
    mutationFn: ({ pids, enabled }: { pids: readonly number[]; enabled: boolean }) => {
      const op = enabled ? ('resumePersona' as const) : ('pausePersona' as const)
      return switchMany(pids.map(pid => ({ op, cid, pid })))
    },
  })
}

/** Reads the personas of a campaign again, and everything that depends on them. */
function usePersonasAnew(cuid: number, cid: number) {
  const client = useQueryClient()
  return () => {
    client.invalidateQueries({ queryKey: ['personas', cuid, cid] })
    client.invalidateQueries({ queryKey: ['banners', cuid, cid] })
    readCampaignsAgain(client, cuid)
  }
}

export function useCopyPersona(cuid: number, cid: number) {
  const anew = usePersonasAnew(cuid, cid)
  return useMutation({
    mutationFn: ({ pid, name }: Pick<Persona, 'pid' | 'name'>) =>
      api.copyPersona({ cuid, cid, pid, body: { name: copyName(name) } }),
    onSuccess: anew,
  })
}

/** Works even after the page that deleted the persona is gone. */
export function useRestorePersona(cuid: number, cid: number) {
  const anew = usePersonasAnew(cuid, cid)
  return async (pid: number) => {
    await api.restorePersona({ cuid, cid, pid })
    anew()
  }
}

export function useDeletePersona(cuid: number, cid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (pid: number) => api.deletePersona({ cuid, cid, pid }),
    onSuccess: ({ pid }) => {
      client.setQueryData(personasQuery(cuid, cid).queryKey, list => list?.filter(old => old.pid !== pid))
      client.removeQueries({ queryKey: ['persona', cuid, cid, pid] })
      client.invalidateQueries({ queryKey: ['banners', cuid, cid] })
      readCampaignsAgain(client, cuid)
    },
  })
}
