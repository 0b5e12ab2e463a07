// The fields of an object that differ between two of its states, each as its form shows it.

import { Box, Group, Stack, Text } from '@mantine/core'
import { fieldName, inOrder, isShownField, useFieldValue } from './field-words.ts'

type Fields = Record<string, unknown>

interface ChangesProps {
  before: Fields | null
  after: Fields | null
}

/** Not listed for something new: its name is above, and its status follows from the rest. */
const NOT_OF_NEW = ['name', 'status', 'reasons', 'findings', 'creativeURL']

const isSet = (value: unknown) =>
  value !== null && value !== 0 && !(Array.isArray(value) && value.length === 0)

/** `before` null: something new, with all fields that are set. In the order of the form. */
export function Changes({ before, after }: ChangesProps) {
  const writeValue = useFieldValue()
  if (!after) return null
  // Where findings exist as data, `reasons` only repeats them for programmers. `freq` is an older name of `frequency`.
  const isSaid = (field: string) =>
    isShownField(field) &&
    !(field === 'reasons' && 'findings' in after) &&
    !(field === 'freq' && 'frequency' in after)
  const isOther = (field: string) =>
    before === null
      ? isSet(after[field]) && !NOT_OF_NEW.includes(field)
      : writeValue(field, before[field]) !== writeValue(field, after[field])
  const changed = Object.keys(after)
    .filter(field => isSaid(field) && isOther(field))
    .sort(inOrder)
  return (
    <Stack gap={4} mt={6}>
      {changed.map(field => (
        <Group key={field} gap={6} align="baseline">
          <Text size="xs" fw="var(--strong)">
            {fieldName(field)}
          </Text>
          <Box fz="xs" style={{ overflowWrap: 'anywhere' }}>
            {before !== null && `${writeValue(field, before[field])} → `}
            {writeValue(field, after[field])}
          </Box>
        </Group>
      ))}
    </Stack>
  )
}
