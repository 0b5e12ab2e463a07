// The saved views of a customer, each one click away, and a way to save another.

import './saved-views.css'
import { ActionIcon, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'
import { isSame, type SavedView, type Shown, searchOf, useSavedViews } from './data.ts'

const ViewDialog = lazy(async () => ({ default: (await import('./view-dialog.tsx')).ViewDialog }))

interface SavedViewsProps {
  cuid: number
  /** Null: all views; otherwise those of this campaign. */
  cid: number | null
  shown: Shown
}

export function SavedViews({ cuid, cid, shown }: SavedViewsProps) {
  const views = useSavedViews(cuid).filter(view => cid === null || view.cid === cid)
  const may = useMay()
  const [edited, setEdited] = useState<SavedView | null>(null)
  if (views.length === 0) return null
  return (
    <nav className="saved-views" aria-label={t('views.title')}>
      <ul>
        {views.map(view => (
          <li key={view.vid}>
            <ViewLink view={view} isShown={view.cid === cid && isSame(view, shown)} />
            {view.every !== 'off' && (
              <span title={t('views.isMailed', { every: named('every', view.every) })}>
                <Icon name="mail" size={14} />
                <span className="visually-hidden">
                  {t('views.isMailed', { every: named('every', view.every) })}
                </span>
              </span>
            )}
            {may.edit && (
              <ActionIcon
                variant="subtle"
                size="sm"
                aria-label={t('views.editNamed', { name: view.name })}
                onClick={() => setEdited(view)}
              >
                <Icon name="edit" size={14} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {edited && (
        <Suspense>
          <ViewDialog
            key={edited.vid}
            {...{ cuid, cid, shown }}
            view={edited}
            onClose={() => setEdited(null)}
          />
        </Suspense>
      )}
    </nav>
  )
}

function ViewLink({ view, isShown }: { view: SavedView; isShown: boolean }) {
  const current = isShown ? ({ 'aria-current': 'page' } as const) : {}
  const search = searchOf(view) as never
  return view.cid === null ? (
    <Link to="/statistics" search={search} activeProps={{}} {...current}>
      {view.name}
    </Link>
  ) : (
    <Link to="/campaigns/$cid" params={{ cid: view.cid }} search={search} activeProps={{}} {...current}>
      {view.name}
    </Link>
  )
}

export function SaveView({ cuid, cid, shown }: SavedViewsProps) {
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may.edit) return null
  return (
    <div className="save-view">
      <UnstyledButton className="text-link" onClick={() => setOpen(true)}>
        {t('views.save')}
      </UnstyledButton>
      {isOpen && (
        <Suspense>
          <ViewDialog {...{ cuid, cid, shown }} view={null} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
