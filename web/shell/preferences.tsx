// Light or dark, and the language.

import {
  ActionIcon,
  Group,
  SegmentedControl,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { LANGUAGES, type Language, language, t } from '../words/words.ts'
import { Icon } from './icon.tsx'
import { useSpeak } from './speak.ts'

export function Preferences() {
  const speak = useSpeak()
  return (
    <Group justify="center" gap="sm">
      <SegmentedControl
        size="xs"
        aria-label={t('shell.language')}
        value={language()}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
        onChange={next => speak(next as Language)}
      />
      <SchemeSwitch />
    </Group>
  )
}

export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const shown = useComputedColorScheme('light')
  const next = shown === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={t(next === 'dark' ? 'shell.dark' : 'shell.light')}
      onClick={() => setColorScheme(next)}
    >
      <Icon name={next === 'dark' ? 'moon' : 'sun'} />
    </ActionIcon>
  )
}
