// Takes images by drop or by choosing files; each is uploaded at once and shown as the API understood it.

import './banners.css'
import { Text } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'

const TYPES = 'image/jpeg,image/png,image/gif,image/webp'

export function Drop({ onFiles, error }: { onFiles: (files: File[]) => void; error?: string }) {
  const [over, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    <label
      className="drop"
      data-over={over || undefined}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Icon name="upload" size={26} />
      <Text fw={600} size="sm" component="span">
        {t('banners.drop')}
      </Text>
      <Text size="xs" c="dimmed" component="span">
        {t('banners.dropAbout')}
      </Text>
      {error && (
        <Text size="xs" c="var(--mantine-color-error)" component="span" role="alert">
          {error}
        </Text>
      )}
      <input
        type="file"
        accept={TYPES}
        multiple
        className="visually-hidden"
        aria-invalid={error ? true : undefined}
        onChange={event => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}
