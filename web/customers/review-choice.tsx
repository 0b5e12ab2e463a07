// Whether a person reviews the banners of a customer before they are shown.

import { SegmentedControl, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, tagged } from '../api/client.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { type Customer, useKeepCustomer } from './data.ts'

const AS_APP = 'app'

export function ReviewChoice({ customer: { cuid, review } }: { customer: Customer }) {
  const keep = useKeepCustomer()
  const notice = useNotice()
  const may = useMay()
  const changing = useMutation({
    mutationFn: (wanted: Customer['review']) =>
      tagged(api.withMeta.editCustomer({ cuid, body: { review: wanted } })),
    onSuccess: changed => {
      keep(changed)
      notice.done(t('form.saved'))
    },
    onError: notice.refused,
  })
  return (
    <Panel title={t('review.choice')} about={t('review.choiceAbout')}>
      {may.rights ? (
        <SegmentedControl
          aria-label={t('review.choice')}
          disabled={changing.isPending}
          value={review ?? AS_APP}
          data={[
            { value: AS_APP, label: t('review.asApp') },
            { value: 'automatic', label: t('review.automatic') },
            { value: 'manual', label: t('review.manual') },
          ]}
          onChange={next => changing.mutate(next === AS_APP ? null : (next as Customer['review']))}
        />
      ) : (
        <Text size="sm">{t(review === null ? 'review.asApp' : `review.${review}`)}</Text>
      )}
    </Panel>
  )
}
