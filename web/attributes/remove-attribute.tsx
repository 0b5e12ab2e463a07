// Deletes an attribute, after a question that names the personas that target it.

import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, tagged } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { type Attribute, useAttributesAgain, usesOf } from './data.ts'

export function RemoveAttribute({ attribute }: { attribute: Attribute }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={t('lists.removeNamed', { name: attribute.label })}
        onClick={() => setAsking(true)}
      >
        {t('lists.remove')}
      </Button>
      {asking && <Question attribute={attribute} onClose={() => setAsking(false)} />}
    </>
  )
}

interface QuestionProps {
  attribute: Attribute
  onClose: () => void
}

/** Reads who targets it anew each time it is asked. */
function Question({ attribute: { key, label: name }, onClose }: QuestionProps) {
  const notice = useNotice()
  const readAgain = useAttributesAgain()
  const read = useQuery({
    queryKey: ['app-attribute', key, 'uses'],
    queryFn: () => tagged(api.withMeta.readAttribute({ key })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const uses = read.data ? usesOf(read.data) : ''
  const removing = useMutation({
    mutationFn: () =>
      api.deleteAttribute({ key, force: uses !== '' }, { ifMatch: read.data?.etag ?? undefined }),
    onSuccess: () => {
      onClose()
      notice.done(t('lists.removed', { name }))
      return readAgain()
    },
    // Somebody may have begun to target it.
    onError: () => read.refetch(),
  })
  return (
    <Confirm
      opened
      title={t('lists.removeTitle', { name })}
      about={uses === '' ? t('attributes.removeAbout') : `${uses} ${t('attributes.usedAbout')}`}
      action={t(uses === '' ? 'lists.remove' : 'attributes.removeAnyway')}
      busy={read.isFetching || removing.isPending}
      error={removing.error ?? read.error}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    />
  )
}
