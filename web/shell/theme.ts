// The look: system fonts, one brand colour, and text with a contrast of at least 4.5:1 in light and dark.

import { type CSSVariablesResolver, createTheme, type MantineThemeOverride } from '@mantine/core'
import { DEFAULT_COLOUR, isColour, shadesOf } from './palette.ts'

const FONTS =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'

export function themeOf(colour: string | null): MantineThemeOverride {
  return createTheme({
    primaryColor: 'brand',
    colors: {
      brand: shadesOf(isColour(colour) ? colour : DEFAULT_COLOUR),
      dark: [
        '#e6e8ee',
        '#bcc1cd',
        '#a0a7b5',
        '#6b7383',
        '#3c4352',
        '#2e3442',
        '#222834',
        '#191e28',
        '#11151d',
        '#0b0e14',
      ],
    },
    primaryShade: { light: 6, dark: 6 },
    autoContrast: true,
    fontFamily: FONTS,
    headings: { fontFamily: FONTS, fontWeight: '650' },
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
      Badge: {
        defaultProps: { variant: 'light', radius: 'sm' },
        styles: { label: { textTransform: 'none' } },
      },
      Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
      Modal: { defaultProps: { radius: 'lg', centered: true } },
    },
  })
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#596173',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#b42318',
    '--mantine-color-text': '#1a1f2b',
    '--page': '#f5f6fa',
    '--line': '#e3e6ee',
    '--good': '#067647',
    '--bad': '#b42318',
    '--row-hover': '#f6f7fb',
  },
  dark: {
    '--mantine-color-body': '#191e28',
    '--mantine-color-dimmed': '#a0a7b5',
    '--mantine-color-placeholder': '#949bab',
    '--mantine-color-error': '#ff8f85',
    '--mantine-color-text': '#e6e8ee',
    '--page': '#11151d',
    '--line': '#2e3442',
    '--good': '#5fd39a',
    '--bad': '#ff8f85',
    '--row-hover': '#1f2531',
  },
})
