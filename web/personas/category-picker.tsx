// The IAB categories as a tree with check boxes: a parent covers its children. The search finds names and codes.

import {
  ActionIcon,
  Box,
  Button,
  Checkbox,
  Collapse,
  Group,
  Input,
  Pill,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { IabTree } from '../../src/manage/reference/contract.ts'
import { api } from '../api/client.ts'
import { Icon } from '../shell/icon.tsx'
import { type CategoryName, useCategoryName } from '../words/categories.ts'
import { t } from '../words/words.ts'

interface CategoryPickerProps {
  label: string
  about: string
  value: string[]
  error?: string
  onChange: (value: string[]) => void
}

export function CategoryPicker({ label, about, value, error, onChange }: CategoryPickerProps) {
  const [opened, setOpened] = useState(false)
  const [search, setSearch] = useState('')
  const needed = opened || value.length > 0
  const categoryName = useCategoryName()
  const { data: given = [] } = useQuery({
    queryKey: ['iab'],
    queryFn: () => api.listIabCategories(),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: needed,
  })
  const tree = given.map(parent => inWords(parent, categoryName))
  const names = new Map(
    tree.flatMap(parent => [parent, ...parent.children]).map(({ code, name }) => [code, name]),
  )
  const remove = (code: string) => onChange(value.filter(kept => kept !== code))
  return (
    <Input.Wrapper label={label} description={about} error={error} labelElement="div">
      <Group gap={6} mt={8} mb={8}>
        {value.map(code => (
          <Pill
            key={code}
            withRemoveButton
            onRemove={() => remove(code)}
            removeButtonProps={{
              'aria-label': t('form.removeNamed', { name: names.get(code) ?? code }),
              'aria-hidden': false,
              tabIndex: 0,
            }}
          >
            {names.get(code) ?? code}
          </Pill>
        ))}
        <Button size="compact-sm" variant="default" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {t(opened ? 'personas.closeCategories' : 'personas.chooseCategories')}
        </Button>
      </Group>
      <Collapse expanded={opened}>
        <Box p="sm" style={{ border: '1px solid var(--line)', borderRadius: 10 }}>
          <TextInput
            aria-label={t('personas.findCategory')}
            placeholder={t('personas.findCategory')}
            leftSection={<Icon name="search" size={15} />}
            value={search}
            onChange={event => setSearch(event.currentTarget.value)}
            onKeyDown={event => {
              // Who searches does not mean to send the form.
              if (event.key === 'Enter') event.preventDefault()
            }}
            mb="xs"
          />
          <Tree tree={tree} search={search} value={value} onChange={onChange} />
        </Box>
      </Collapse>
    </Input.Wrapper>
  )
}

interface TreeProps {
  tree: IabTree
  search: string
  value: string[]
  onChange: (value: string[]) => void
}

function Tree({ tree, search, value, onChange }: TreeProps) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const wanted = search.trim().toLowerCase()
  const fits = ({ code, name }: { code: string; name: string }) =>
    name.toLowerCase().includes(wanted) || code.toLowerCase().startsWith(wanted)
  const toggleFold = (code: string) => {
    const next = new Set(unfolded)
    if (!next.delete(code)) next.add(code)
    setUnfolded(next)
  }
  const shown = tree
    .map(parent => ({ parent, children: fits(parent) ? parent.children : parent.children.filter(fits) }))
    .filter(({ parent, children }) => fits(parent) || children.length > 0)
  return (
    <Stack
      gap={2}
      mah={300}
      style={{ overflowY: 'auto' }}
      tabIndex={0}
      role="group"
      aria-label={t('personas.findCategory')}
    >
      {shown.map(({ parent, children }) => {
        const open = wanted !== '' || unfolded.has(parent.code)
        return (
          <div key={parent.code}>
            <Group gap={6} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={t('personas.unfold', { name: parent.name })}
                aria-expanded={open}
                onClick={() => toggleFold(parent.code)}
                style={{ transform: open ? 'rotate(90deg)' : undefined }}
              >
                <Icon name="open" size={14} />
              </ActionIcon>
              <Checkbox
                size="xs"
                label={parent.name}
                checked={value.includes(parent.code)}
                indeterminate={
                  !value.includes(parent.code) && parent.children.some(({ code }) => value.includes(code))
                }
                onChange={() =>
                  onChange(
                    toggled(
                      value,
                      parent.code,
                      parent.children.map(({ code }) => code),
                    ),
                  )
                }
              />
            </Group>
            {open && (
              <Stack gap={2} pl={54} py={2}>
                {children.map(child => (
                  <Checkbox
                    key={child.code}
                    size="xs"
                    label={child.name}
                    checked={value.includes(child.code) || value.includes(parent.code)}
                    disabled={value.includes(parent.code)}
                    onChange={() => onChange(toggled(value, child.code, []))}
                  />
                ))}
              </Stack>
            )}
          </div>
        )
      })}
      {shown.length === 0 && (
        <Text size="sm" c="dimmed" p="xs">
          {t('personas.noCategory')}
        </Text>
      )}
    </Stack>
  )
}

function inWords(parent: IabTree[number], categoryName: CategoryName): IabTree[number] {
  const children = parent.children.map(({ code, name }) => ({ code, name: categoryName(code, name) }))
  return { code: parent.code, name: categoryName(parent.code, parent.name), children }
}

/** A chosen parent replaces its chosen children. */
function toggled(value: string[], code: string, children: string[]): string[] {
  if (value.includes(code)) return value.filter(kept => kept !== code)
  return [...value.filter(kept => !children.includes(kept)), code]
}
