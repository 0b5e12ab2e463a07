// Removes something, after a question.

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from './confirm.tsx'

interface RemoveButtonProps {
  word: string
  /** With the name of what is removed, for readers who cannot see its row. */
  label: string
  title: string
  /** What is lost with it. */
  about: string
  remove: () => Promise<unknown>
  onRemoved: () => void
}

export function RemoveButton({ word, label, title, about, remove, onRemoved }: RemoveButtonProps) {
  const [asking, setAsking] = useState(false)
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      setAsking(false)
      onRemoved()
    },
  })
  return (
    <>
      <Button size="xs" variant="default" aria-label={label} onClick={() => setAsking(true)}>
        {word}
      </Button>
      <Confirm
        opened={asking}
        title={title}
        about={about}
        action={word}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
