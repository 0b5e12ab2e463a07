// The icons of the console, drawn as strokes on a grid of sixteen in the colour of the text. They are decoration: the words
// beside them say the same.

const PATHS = {
  overview: 'M2.5 7.2 8 2.8l5.5 4.4v6.3h-3.7V9.8H6.2v3.7H2.5z',
  campaigns: 'M2.5 6.3v3.4h2l6 3V3.3l-6 3zM12.8 6.2a2.6 2.6 0 0 1 0 3.6M5.2 10l.9 3.2',
  statistics: 'M2.5 13.5h11M4.5 13.5V9M8 13.5v-9M11.5 13.5V6.8',
  conversions: 'M8 13.5a5.5 5.5 0 1 1 5.5-5.5M5.7 7.8 8 10l5.3-5.6',
  account: 'M3.5 2.5h9v11l-2.2-1.4L8 13.5l-2.3-1.4-2.2 1.4zM5.8 5.8h4.4M5.8 8.6h4.4',
  customers:
    'M6 7.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.9 13.2c.3-2.4 1.9-3.8 4.1-3.8s3.8 1.4 4.1 3.8M10.6 3.2a2.3 2.3 0 0 1 0 4.2M11.7 9.8c1.4.5 2.2 1.7 2.4 3.4',
  keyboard: 'M1.8 4.2h12.4v7.6H1.8zM4.2 6.6h.01M6.7 6.6h.01M9.3 6.6h.01M11.8 6.6h.01M5 9.4h6',
  note: 'M3 3h10v6.6L9.6 13H3zM9.6 13V9.6H13',
  plus: 'M8 3.2v9.6M3.2 8h9.6',
  calendar: 'M2.8 4h10.4v9.2H2.8zM2.8 6.8h10.4M5.5 2.5v2.6M10.5 2.5v2.6',
  check: 'm3.2 8.4 3.1 3.1 6.5-7',
  up: 'M8 12.5v-9M4.3 7.2 8 3.5l3.7 3.7',
  down: 'M8 3.5v9M4.3 8.8 8 12.5l3.7-3.7',
  search: 'M7.2 11.6a4.4 4.4 0 1 0 0-8.8 4.4 4.4 0 0 0 0 8.8zM10.4 10.4l3 3',
  more: 'M3.6 8h.01M8 8h.01M12.4 8h.01',
  warning: 'M8 2.6 14 13H2zM8 6.6v3M8 11.3h.01',
  stop: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.4M8 10.8h.01',
  close: 'm4 4 8 8M12 4l-8 8',
  pause: 'M5.6 3.8v8.4M10.4 3.8v8.4',
  copy: 'M5.5 5.5h7.7v7.7H5.5zM3.5 10.5h-.7V2.8h7.7v.7',
  trash: 'M3 4.5h10M6 4.3V2.8h4v1.5M4.3 4.5l.6 8.7h6.2l.6-8.7',
  download: 'M8 2.8v7.4M5 7.4l3 3 3-3M3 13.2h10',
  print: 'M4.5 6V2.8h7V6M4.5 11H2.8V6h10.4v5h-1.7M4.5 9.2h7v4h-7z',
  filter: 'M2.8 4.5h10.4M4.8 8h6.4M6.8 11.5h2.4',
  globe:
    'M8 13.8A5.8 5.8 0 1 0 8 2.2a5.8 5.8 0 0 0 0 11.6zM2.4 8h11.2M8 2.3c3.3 3.4 3.3 8 0 11.4-3.3-3.4-3.3-8 0-11.4',
  bell: 'M8 2.6c-2.3 0-3.7 1.7-3.7 3.8 0 3.4-1.3 4-1.3 4.7h10c0-.7-1.3-1.3-1.3-4.7 0-2.1-1.4-3.8-3.7-3.8zM6.7 13.3h2.6',
  image: 'M2.8 3.2h10.4v9.6H2.8zM3 11l3-3.2 2.4 2.4 2-1.8 2.6 2.4',
  clock: 'M8 13.8A5.8 5.8 0 1 0 8 2.2a5.8 5.8 0 0 0 0 11.6zM8 4.8V8l2.2 1.5',
  cup: 'M4.6 2.8h6.8v3.6a3.4 3.4 0 0 1-6.8 0zM4.6 4H2.6c0 2 .8 3 2.2 3M11.4 4h2c0 2-.8 3-2.2 3M8 9.8v2.4M5.6 13.2h4.8',
  open: 'm6.3 4.5 3.5 3.5-3.5 3.5',
  back: 'M9.8 4.5 6.3 8l3.5 3.5',
  mail: 'M2.5 4h11v8h-11zM2.7 4.4 8 8.6l5.3-4.2',
  eye: 'M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM8 9.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  to: 'M2.8 8h10.4M9.6 4.4 13.2 8l-3.6 3.6',
  expand: 'm4.5 6.3 3.5 3.5 3.5-3.5',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.1M8 13.1v1.1M1.8 8h1.1M13.1 8h1.1M3.6 3.6l.8.8M11.6 11.6l.8.8M12.4 3.6l-.8.8M4.4 11.6l-.8.8',
  moon: 'M13.33 9.67A5.33 5.33 0 0 1 6.33 2.67 5.33 5.33 0 1 0 13.33 9.67',
  user: 'M8 8a2.67 2.67 0 1 0 0-5.33 2.67 2.67 0 0 0 0 5.33M2.67 14a5.33 5.33 0 0 1 10.67 0',
  upload: 'M8 10.67V3.33M4.67 6.33 8 3l3.33 3.33M3.33 13.33h9.33',
  edit: 'M2.67 13.33h2.67L12.67 6l-2.67-2.67L2.67 10.67z',
  key: 'M5.33 10a2.67 2.67 0 1 0 0-5.33 2.67 2.67 0 0 0 0 5.33M8 7.33h6v2.67M11.33 7.33v2',
  play: 'M4.67 3v10l8-5z',
  columns: 'M2.67 3.33h10.67v9.33H2.67zM6.67 3.33v9.33M10 3.33v9.33',
  sort: 'M5.33 6l2.67-2.67 2.67 2.67M5.33 10l2.67 2.67 2.67-2.67',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      style={{ flexShrink: 0 }}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
