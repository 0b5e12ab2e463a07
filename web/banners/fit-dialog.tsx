// Turns an image that does not fit into a banner: crops or resizes it to an allowed size, here in the browser.

import { Alert, Button, Group, SegmentedControl, Select, Slider, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { ColourField } from '../form/colour-field.tsx'
import { Dialog } from '../form/dialog.tsx'
import { kilobytes } from '../format/format.ts'
import { t } from '../words/words.ts'
import { drawFit, encodeWithin, type Fitting } from './draw-fit.ts'
import { type AllowedSize, bySimilarity, type Looked, sizeText } from './fit.ts'

interface FitDialogProps {
  file: File
  looked: Looked
  sizes: readonly AllowedSize[]
  onUse: (file: File) => void
  onClose: () => void
}

const START: Fitting = { mode: 'crop', x: 0.5, y: 0.5, background: '#ffffff' }
const keyOf = ({ width, height }: AllowedSize) => `${width}x${height}`

export function FitDialog({ file, looked, sizes, onUse, onClose }: FitDialogProps) {
  const offered = bySimilarity(looked, sizes)
  const [chosen, setChosen] = useState(() => keyOf(offered[0]!))
  const [fitting, setFitting] = useState(START)
  const [result, setResult] = useState<Blob | null | undefined>()
  const image = useBitmap(file)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = sizes.find(one => keyOf(one) === chosen)!
  useEffect(() => {
    if (!image || !canvas.current) return
    let current = true
    drawFit(canvas.current, image, size, fitting)
    encodeWithin(canvas.current, size.maxBytes).then(blob => current && setResult(blob))
    return () => {
      current = false
    }
  }, [image, size, fitting])
  const use = () => {
    const kind = result!.type === 'image/png' ? 'png' : 'jpg'
    const name = `${file.name.replace(/\.\w+$/, '')}-${keyOf(size)}.${kind}`
    onUse(new File([result!], name, { type: result!.type }))
  }
  const set = (change: Partial<Fitting>) => setFitting({ ...fitting, ...change })
  return (
    <Dialog opened onClose={onClose} size="xl" title={t('fit.title', { name: file.name })}>
      <Stack>
        <Group align="flex-end" gap="md">
          <Select
            label={t('fit.size')}
            allowDeselect={false}
            data-autofocus
            w={300}
            value={chosen}
            data={offered.map(one => ({
              value: keyOf(one),
              label: t('fit.sizeUpTo', { size: sizeText(one), max: kilobytes(one.maxBytes) }),
            }))}
            onChange={next => next && setChosen(next)}
          />
          <SegmentedControl
            aria-label={t('fit.how')}
            value={fitting.mode}
            data={[
              { value: 'crop', label: t('fit.crop') },
              { value: 'whole', label: t('fit.whole') },
            ]}
            onChange={mode => set({ mode: mode as Fitting['mode'] })}
          />
        </Group>
        <div className="fit-preview">
          <canvas ref={canvas} role="img" aria-label={t('banners.previewOf', { name: sizeText(size) })} />
        </div>
        <Group grow>
          <Position label={t('fit.across')} value={fitting.x} onChange={x => set({ x })} />
          <Position label={t('fit.down')} value={fitting.y} onChange={y => set({ y })} />
          {fitting.mode === 'whole' && (
            <ColourField
              label={t('fit.background')}
              value={fitting.background}
              onChange={background => set({ background })}
            />
          )}
        </Group>
        {looked.type === 'image/gif' && <Alert color="yellow">{t('fit.still')}</Alert>}
        {result === null && (
          <Alert color="red" role="alert">
            {t('fit.tooHeavy')}
          </Alert>
        )}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {result && t('fit.result', { size: sizeText(size), bytes: kilobytes(result.size) })}
          </Text>
          <Group>
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button disabled={!result} onClick={use}>
              {t('fit.use')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface PositionProps {
  label: string
  value: number
  onChange: (value: number) => void
}

function Position({ label, value, onChange }: PositionProps) {
  return (
    <div>
      <Text size="sm" mb={4}>
        {label}
      </Text>
      <Slider
        thumbLabel={label}
        label={null}
        min={0}
        max={100}
        value={Math.round(value * 100)}
        onChange={percent => onChange(percent / 100)}
      />
    </div>
  )
}

function useBitmap(file: File): ImageBitmap | null {
  const [image, setImage] = useState<ImageBitmap | null>(null)
  useEffect(() => {
    let current = true
    createImageBitmap(file).then(bitmap => current && setImage(bitmap))
    return () => {
      current = false
    }
  }, [file])
  return image
}
