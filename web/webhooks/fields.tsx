// The fields of a webhook, for creating and editing.

import { Stack, Text, TextInput } from '@mantine/core'
import type { NewWebhook } from '../../src/notify/webhooks/contract.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { Toggles } from '../personas/toggles.tsx'
import { named, t } from '../words/words.ts'
import { EVENT_TYPES, type EventType, type Webhook } from './data.ts'

export interface WebhookDraft {
  url: string
  description: string
  /** Null: all. */
  events: Record<EventType, boolean> | null
}

export const NEW_WEBHOOK: WebhookDraft = { url: '', description: '', events: null }

export function webhookDraftOf({ url, description, events }: Webhook): WebhookDraft {
  const chosen = Object.fromEntries(EVENT_TYPES.map(type => [type, events.includes(type)]))
  return {
    url,
    description: description ?? '',
    events: events.length === 0 ? null : (chosen as Record<EventType, boolean>),
  }
}

/** The body that the API expects: an empty list means all events. */
export function webhookBodyOf({ url, description, events }: WebhookDraft): NewWebhook {
  return {
    url: url.trim(),
    description: description.trim() === '' ? null : description,
    events: events === null ? [] : EVENT_TYPES.filter(type => events[type]),
  }
}

interface WebhookFieldsProps {
  draft: WebhookDraft
  errors: FieldErrors
  onChange: (draft: WebhookDraft) => void
}

export function WebhookFields({ draft, errors, onChange }: WebhookFieldsProps) {
  const set = (change: Partial<WebhookDraft>) => onChange({ ...draft, ...change })
  return (
    <Stack gap="md">
      <TextInput
        label={t('webhooks.url')}
        description={t('webhooks.urlAbout')}
        type="url"
        inputMode="url"
        autoComplete="off"
        withAsterisk
        data-autofocus
        value={draft.url}
        error={errors.at('/url')}
        onChange={event => set({ url: event.currentTarget.value })}
      />
      <TextInput
        label={t('webhooks.description')}
        description={t('webhooks.descriptionAbout')}
        autoComplete="off"
        value={draft.description}
        error={errors.at('/description')}
        onChange={event => set({ description: event.currentTarget.value })}
      />
      <div>
        <Toggles
          legend={t('webhooks.events')}
          keys={EVENT_TYPES}
          nameOf={type => named('event', type)}
          all={t('webhooks.allEvents')}
          value={draft.events}
          error={errors.at('/events')}
          onChange={events => set({ events })}
        />
        {draft.events === null && (
          <Text size="xs" c="dimmed" mt={6}>
            {t('webhooks.allEventsAbout')}
          </Text>
        )}
      </div>
    </Stack>
  )
}
