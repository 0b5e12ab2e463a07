// The fields of a persona: where, beside which content, on which devices, and who.

import { Fieldset, SegmentedControl, Select, Stack, TextInput } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { ROTATIONS } from '../../src/manage/personas/contract.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { CategoryPicker } from './category-picker.tsx'
import { AGES, DEVICES, GENDERS, type PersonaDraft } from './draft.ts'
import { PlacesPicker } from './places-picker.tsx'
import { Toggles } from './toggles.tsx'

const AttributeFields = lazy(async () => ({
  default: (await import('./attribute-fields.tsx')).AttributeFields,
}))
const RadiusPicker = lazy(async () => ({ default: (await import('../map/radius-picker.tsx')).RadiusPicker }))

interface PersonaFieldsProps {
  draft: PersonaDraft
  errors: FieldErrors
  onChange: (draft: PersonaDraft) => void
}

export function PersonaFields({ draft, errors, onChange }: PersonaFieldsProps) {
  const set = (change: Partial<PersonaDraft>) => onChange({ ...draft, ...change })
  return (
    <Stack gap="lg">
      <TextInput
        label={t('form.name')}
        withAsterisk
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      <Fieldset legend={t('personas.where')} variant="unstyled">
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t('personas.where')}
            value={draft.geoForm}
            data={[
              { value: 'places', label: t('personas.places') },
              { value: 'radius', label: t('personas.radius') },
            ]}
            onChange={geoForm => set({ geoForm: geoForm as PersonaDraft['geoForm'] })}
            style={{ alignSelf: 'flex-start' }}
          />
          {draft.geoForm === 'places' ? (
            <PlacesPicker value={draft.geos} error={errors.at('/geo')} onChange={geos => set({ geos })} />
          ) : (
            <Suspense fallback={<Waiting height={360} />}>
              <RadiusPicker draft={draft} errors={errors} onChange={set} />
            </Suspense>
          )}
        </Stack>
      </Fieldset>
      <Toggles
        legend={t('personas.devices')}
        keys={DEVICES}
        nameOf={key => named('device', key)}
        value={draft.device}
        error={errors.at('/device')}
        onChange={device => device && set({ device })}
      />
      <Toggles
        legend={t('personas.gender')}
        all={t('personas.allGenders')}
        keys={GENDERS}
        nameOf={key => named('gender', key)}
        value={draft.gender}
        error={errors.at('/demo/gender')}
        onChange={gender => set({ gender })}
      />
      <Toggles
        legend={t('personas.age')}
        all={t('personas.allAges')}
        keys={AGES}
        nameOf={key => named('age', key)}
        value={draft.age}
        error={errors.at('/demo/age')}
        onChange={age => set({ age })}
      />
      <CategoryPicker
        label={t('personas.categories')}
        about={t('personas.categoriesAbout')}
        value={draft.cat}
        error={errors.at('/cat')}
        onChange={cat => set({ cat })}
      />
      <Suspense fallback={null}>
        <AttributeFields
          value={draft.attributes}
          errors={errors}
          onChange={attributes => set({ attributes })}
        />
      </Suspense>
      <Select
        label={t('rotation.title')}
        description={t(`rotation.${draft.rotation}About`)}
        allowDeselect={false}
        value={draft.rotation}
        data={ROTATIONS.map(rotation => ({ value: rotation, label: t(`rotation.${rotation}`) }))}
        error={errors.at('/rotation')}
        onChange={rotation => set({ rotation: rotation as PersonaDraft['rotation'] })}
      />
    </Stack>
  )
}
