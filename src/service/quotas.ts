// The quotas from the settings, in the form that the parts of the service use.

import type { ApiOptions } from '../http/api.ts'
import type { Config } from '../platform/config.ts'

export function quotasOf(config: Config): Pick<ApiOptions, 'quotas' | 'answerQuota'> {
  return {
    quotas: {
      campaigns: config.CAMPAIGN_QUOTA,
      personas: config.PERSONA_QUOTA,
      personasPerCampaign: config.PERSONAS_PER_CAMPAIGN,
      banners: config.BANNER_QUOTA,
    },
    answerQuota: { answers: config.IDEMPOTENCY_ANSWERS, bytes: config.IDEMPOTENCY_MB * 1_000_000 },
  }
}
