// Turns an image that does not fit into a banner: crops or resizes it to an allowed size, here in the browser.

import { Alert, Button, Group, SegmentedControl, Select, Slider, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { ColourField } from '../form/colour-field.tsx'
import { Dialog } from '../form/dialog.tsx'
import { kilobytes } from '../format/format.ts'
import { t } from '../words/words.ts'
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
        <FitControls fitting={fitting} set={set} />
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

interface FitControlsProps {
  fitting: Fitting
  set: (change: Partial<Fitting>) => void
}

function FitControls({ fitting, set }: FitControlsProps) {
  return (
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

interface Fitting {
  mode: 'crop' | 'whole'
  /** Which part is kept when cropping, or where the image is placed: 0 to 1, from left and top. */
  x: number
  y: number
  background: string
}

/**
 * Draws an image in an allowed size: cropped to fill it, or whole on a background. Then finds the format and
 * quality that keep the file small enough.
 */
function drawFit(
  canvas: HTMLCanvasElement,
  image: ImageBitmap,
  size: Pick<AllowedSize, 'width' | 'height'>,
  { mode, x, y, background }: Fitting,
): void {
  canvas.width = size.width
  canvas.height = size.height
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.fillStyle = background
  context.fillRect(0, 0, size.width, size.height)
  const ratios = [size.width / image.width, size.height / image.height]
  const scale = mode === 'crop' ? Math.max(...ratios) : Math.min(...ratios)
  const [width, height] = [image.width * scale, image.height * scale]
  context.drawImage(image, (size.width - width) * x, (size.height - height) * y, width, height)
}

const QUALITIES = [0.92, 0.85, 0.75, 0.65, 0.5, 0.35, 0.2]

/** The best encoding that is small enough; null if none is. */
async function encodeWithin(canvas: HTMLCanvasElement, maxBytes: number): Promise<Blob | null> {
  const png = await encode(canvas, 'image/png')
  if (png && png.size <= maxBytes) return png
  for (const quality of QUALITIES) {
    const jpeg = await encode(canvas, 'image/jpeg', quality)
    if (jpeg && jpeg.size <= maxBytes) return jpeg
  }
  return null
}

function encode(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob | null> {
  return new Promise(resolve => canvas.toBlob(resolve, type, quality))
}
