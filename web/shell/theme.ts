// The component library dressed in the tokens: it has no colours, sizes or radii of its own. The app's colour is
// --brand, exactly as chosen; all that depends on it is derived in tokens.css.

import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
  type VariantColorsResolver,
} from '@mantine/core'
import { DEFAULT_COLOUR, isColour } from './palette.ts'

const tuple = (...names: string[]) => names.map(name => `var(--${name})`) as unknown as MantineColorsTuple

const BRAND = tuple(
  'brand-wash',
  'brand-wash',
  'brand-wash',
  'brand-edge',
  'brand-ink',
  'brand-ink',
  'brand',
  'brand-hover',
  'brand-ink',
  'brand-ink',
)
const GRAY = tuple(
  'side',
  'sunken',
  'line',
  'line',
  'line-control',
  'line-control',
  'ink-3',
  'ink-2',
  'ink',
  'ink',
)
const DARK = tuple(
  'ink',
  'ink-2',
  'ink-3',
  'line-control',
  'line-2',
  'sunken',
  'raised',
  'page',
  'side',
  'side',
)

/** The library's name of a colour, and our token for its text and its wash. */
const MEANINGS = {
  red: 'bad',
  green: 'good',
  teal: 'good',
  yellow: 'warn',
  orange: 'warn',
  blue: 'info',
}
const STATES = Object.fromEntries(
  Object.entries(MEANINGS).map(([name, token]) => [name, tuple(...Array<string>(10).fill(token))]),
)

/** Text on a filled surface is readable on any brand; on other colours it has the colour of the page. */
const variantColors: VariantColorsResolver = input => {
  const colours = defaultVariantColorsResolver(input)
  if (input.variant !== 'filled') return colours
  const isBrand = (input.color ?? input.theme.primaryColor).startsWith('brand')
  return isBrand
    ? { ...colours, color: 'var(--on-brand)', border: '1px solid var(--brand-edge)' }
    : { ...colours, color: 'var(--page)' }
}

export function themeOf(colour: string | null): MantineThemeOverride {
  return createTheme({
    primaryColor: 'brand',
    colors: { brand: BRAND, gray: GRAY, dark: DARK, ...STATES },
    primaryShade: { light: 6, dark: 6 },
    variantColorResolver: variantColors,
    fontFamily: 'var(--font)',
    fontSizes: {
      xs: 'var(--text-s)',
      sm: 'var(--text-m)',
      md: 'var(--text-m)',
      lg: 'var(--text-l)',
      xl: 'var(--text-l)',
    },
    lineHeights: {
      xs: 'var(--lead-s)',
      sm: 'var(--lead-m)',
      md: 'var(--lead-m)',
      lg: 'var(--lead-l)',
      xl: 'var(--lead-l)',
    },
    headings: { fontFamily: 'var(--font)', fontWeight: 'var(--strong)', sizes: HEADINGS },
    spacing: { xs: 'var(--s2)', sm: 'var(--s3)', md: 'var(--s4)', lg: 'var(--s5)', xl: 'var(--s6)' },
    radius: { xs: 'var(--r-s)', sm: 'var(--r-s)', md: '8px', lg: 'var(--r-l)', xl: 'var(--r-full)' },
    shadows: { md: 'var(--shadow-2)', lg: 'var(--shadow-3)', xl: 'var(--shadow-3)' },
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    other: { brand: isColour(colour) ? colour : DEFAULT_COLOUR },
    components: {
      Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
      Badge: {
        defaultProps: { variant: 'light', radius: 'sm' },
        styles: { label: { textTransform: 'none' } },
      },
      // Stated, although it is the default, so that its edge is drawn, which a light brand needs.
      Button: { defaultProps: { variant: 'filled' } },
      Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
      Modal: { defaultProps: { radius: 'lg', centered: true } },
      SegmentedControl: { defaultProps: { withItemsBorders: false } },
    },
  })
}

const LARGE = { fontSize: 'var(--text-l)', lineHeight: 'var(--lead-l)' }
const PLAIN = { fontSize: 'var(--text-m)', lineHeight: 'var(--lead-m)' }
const HEADINGS = { h1: LARGE, h2: LARGE, h3: LARGE, h4: PLAIN, h5: PLAIN, h6: PLAIN }

function meaning([name, token]: [string, string]): [string, string][] {
  const colour = `--mantine-color-${name}`
  return [
    [`${colour}-text`, `var(--${token})`],
    [`${colour}-filled`, `var(--${token})`],
    [`${colour}-filled-hover`, `color-mix(in oklab, var(--${token}) 90%, var(--ink))`],
    [`${colour}-light`, `var(--${token}-wash)`],
    [`${colour}-light-hover`, `color-mix(in oklab, var(--${token}-wash) 94%, var(--ink))`],
    [`${colour}-light-color`, `var(--${token})`],
    [`${colour}-outline`, `var(--${token})`],
    [`${colour}-outline-hover`, `var(--${token}-wash)`],
  ]
}

const SURFACES = {
  '--mantine-color-body': 'var(--page)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-2)',
  '--mantine-color-placeholder': 'var(--ink-3)',
  '--mantine-color-anchor': 'var(--ink)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--page)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-2)',
  '--mantine-color-disabled': 'var(--sunken)',
  '--mantine-color-disabled-color': 'var(--ink-3)',
  '--mantine-color-disabled-border': 'var(--line-2)',
  '--mantine-color-brand-text': 'var(--brand-ink)',
  '--mantine-color-brand-filled': 'var(--brand)',
  '--mantine-color-brand-filled-hover': 'var(--brand-hover)',
  '--mantine-color-brand-light': 'var(--brand-wash)',
  '--mantine-color-brand-light-hover': 'color-mix(in oklab, var(--brand-wash) 94%, var(--ink))',
  '--mantine-color-brand-light-color': 'var(--ink)',
  '--mantine-color-brand-outline': 'var(--brand-ink)',
  '--mantine-color-brand-outline-hover': 'var(--brand-wash)',
  '--mantine-primary-color-contrast': 'var(--on-brand)',
  '--mantine-color-gray-light': 'var(--sunken)',
  '--mantine-color-gray-light-hover': 'var(--line)',
  '--mantine-color-gray-light-color': 'var(--ink-2)',
  ...Object.fromEntries(Object.entries(MEANINGS).flatMap(meaning)),
}

/** The same for both schemes: the tokens differ by themselves. */
export const cssVariables: CSSVariablesResolver = theme => ({
  variables: { '--brand': String(theme.other.brand) },
  light: SURFACES,
  dark: SURFACES,
})
