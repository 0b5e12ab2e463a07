// What the chosen name, colour and logo look like before they are saved: sign-in, console and mail.

import './brand-preview.css'
import type { CSSProperties, ReactNode } from 'react'
import { OwnMark } from '../shell/brand-mark.tsx'
import { DEFAULT_COLOUR, isColour } from '../shell/palette.ts'
import { t } from '../words/words.ts'

interface BrandPreviewProps {
  title: string
  colour: string
  /** The address of an image. */
  logo: string | null
}

export function BrandPreview({ title, colour, logo }: BrandPreviewProps) {
  const mark = (
    <span className="brand">
      {logo === null ? <OwnMark /> : <img src={logo} alt="" height={26} />}
      <span className="trunc">{title}</span>
    </span>
  )
  const style = { '--brand': isColour(colour) ? colour : DEFAULT_COLOUR } as CSSProperties
  return (
    <section className="brand-preview" aria-label={t('brand.preview')}>
      <Sample style={style} name={t('signIn.title')}>
        {mark}
        <span className="sample-button">{t('signIn.enter')}</span>
      </Sample>
      <Sample style={style} name={t('brand.console')}>
        {mark}
        <span className="sample-place">{t('shell.overview')}</span>
      </Sample>
      <Sample style={style} name={t('brand.mail')} className="sample-mail">
        {mark}
        <span className="sample-button">{t('brand.mailButton')}</span>
      </Sample>
    </section>
  )
}

interface SampleProps {
  name: string
  style: CSSProperties
  className?: string
  children: ReactNode
}

function Sample({ name, style, className = '', children }: SampleProps) {
  return (
    <figure>
      <div className={`brand-sample ${className}`} style={style}>
        {children}
      </div>
      <figcaption className="s">{name}</figcaption>
    </figure>
  )
}
