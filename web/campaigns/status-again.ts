// The status of a campaign depends on its personas and banners: whatever changes them reads the campaigns again.

import type { QueryClient } from '@tanstack/react-query'

export function readCampaignsAgain(client: QueryClient, cuid: number): void {
  for (const what of ['campaign', 'campaigns', 'issues']) client.invalidateQueries({ queryKey: [what, cuid] })
}
