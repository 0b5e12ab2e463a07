// Personas as the pages read and change them.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Persona } from '../../src/personas/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'

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
    client.invalidateQueries({ queryKey: ['issues', cuid] })
  }
}

export function useSwitchPersonas(cuid: number, cid: number) {
  const keep = useKeepPersona(cuid, cid)
  return useMutation({
    mutationFn: async ({ pids, enabled }: { pids: readonly number[]; enabled: boolean }) => {
      const change = enabled ? api.withMeta.resumePersona : api.withMeta.pausePersona
      const changed: Tagged<Persona>[] = []
      for (const pid of pids) changed.push(await tagged(change({ cuid, cid, pid })))
      return changed
    },
    onSuccess: changed => keep(...changed),
  })
}

export function useDeletePersona(cuid: number, cid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (pid: number) => api.deletePersona({ cuid, cid, pid }),
    onSuccess: ({ pid }) => {
      client.setQueryData(personasQuery(cuid, cid).queryKey, list => list?.filter(old => old.pid !== pid))
      client.removeQueries({ queryKey: ['persona', cuid, cid, pid] })
    },
  })
}
