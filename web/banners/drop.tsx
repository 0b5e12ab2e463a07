// Accepts dropped or chosen files, and lists the allowed sizes beforehand.

import './banners.css'
import { Table, Text } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { kilobytes } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { sizeText, useAdSizes } from './fit.ts'

const TYPES = 'image/jpeg,image/png,image/gif,image/webp'

interface DropProps {
  /** Takes only one file. */
  single?: boolean
  onFiles: (files: File[]) => void
  error?: string
}

export function Drop({ single = false, onFiles, error }: DropProps) {
  const [over, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    <div>
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
        <Text fw="var(--strong)" size="sm" component="span">
          {t(single ? 'banners.dropOne' : 'banners.drop')}
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
          multiple={!single}
          className="visually-hidden"
          aria-invalid={error ? true : undefined}
          onChange={event => {
            onFiles([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
      </label>
      <AllowedSizes />
    </div>
  )
}

function AllowedSizes() {
  const sizes = useAdSizes()
  return (
    <details className="sizes">
      <summary>{t('banners.allowedSizes', { count: sizes.length })}</summary>
      <Table.ScrollContainer
        minWidth={260}
        mah={260}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={t('banners.size')}
      >
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('banners.size')}</Table.Th>
              <Table.Th>{t('banners.atMost')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sizes.map(size => (
              <Table.Tr key={sizeText(size)}>
                <Table.Td>{sizeText(size)}</Table.Td>
                <Table.Td>{kilobytes(size.maxBytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  )
}
