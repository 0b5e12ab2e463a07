// The fields of an object that differ between two of its states, each as its form shows it.

import { Box, Group, Stack, Text } from '@mantine/core'
import { fieldName, isShownField, useFieldValue } from './field-words.ts'

type Fields = Record<string, unknown>

interface ChangesProps {
  before: Fields | null
  after: Fields | null
}

/** Null before: all that is set of something new. */
export function Changes({ before, after }: ChangesProps) {
  const writeValue = useFieldValue()
  if (!after) return null
  // Of reasons that are there as data too, the words are for programmers.
  const isSaid = (field: string) => isShownField(field) && !(field === 'reasons' && 'findings' in after)
  const isOther = (field: string) =>
    before === null
      ? after[field] !== null
      : writeValue(field, before[field]) !== writeValue(field, after[field])
  const changed = Object.keys(after).filter(field => isSaid(field) && isOther(field))
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
