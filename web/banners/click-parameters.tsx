// The field of what is added to the address of a click, with a list of the values that can be inserted.

import { Anchor, Menu, Textarea } from '@mantine/core'
import { CLICK_MACROS } from '../../src/manage/banners/landing/contract.ts'
import { named, t } from '../words/words.ts'

interface ClickParametersProps {
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

export function ClickParameters({ value, error, onChange }: ClickParametersProps) {
  return (
    <div>
      <Textarea
        label={t('banners.clickParameters')}
        description={t('banners.clickParametersAbout')}
        placeholder="utm_source=…"
        autosize
        minRows={1}
        maxRows={4}
        value={value}
        error={error}
        onChange={event => onChange(event.currentTarget.value.replaceAll(/\s*\n\s*/g, ''))}
      />
      <Menu position="bottom-start">
        <Menu.Target>
          <Anchor component="button" type="button" fz="sm" mt={4}>
            {t('banners.macros')}
          </Anchor>
        </Menu.Target>
        <Menu.Dropdown mah={280} style={{ overflowY: 'auto' }}>
          {CLICK_MACROS.map(macro => (
            <Menu.Item key={macro} onClick={() => onChange(`${value}{${macro}}`)}>
              {named('macro', macro)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
