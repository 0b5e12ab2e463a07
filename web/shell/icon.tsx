// The few icons of the console, drawn as strokes in the colour of the text. They are decoration: the words beside them
// say the same.

const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM14 4v3h6V4zM4 17v3h6v-3z',
  campaigns: 'M4 10v4h3l8 5V5L7 10zM18.5 9a4 4 0 0 1 0 6',
  statistics: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  customers:
    'M8.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20a6 6 0 0 1 12 0M16 4.6a3.5 3.5 0 0 1 0 6M17.5 14.6A6 6 0 0 1 21.5 20',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M20 20l-4-4',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v4M15 3v4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21a8 8 0 0 1 16 0',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.2v.3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  upload: 'M12 16V5M7 9.5 12 4.5l5 5M5 20h14',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  back: 'M15 5l-7 7 7 7',
  open: 'M9 5l7 7-7 7',
  key: 'M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 11h9v4M17 11v3',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  bell: 'M6 17h12l-1.5-2.5V11a4.5 4.5 0 0 0-9 0v3.5zM10 20a2 2 0 0 0 4 0M12 4v2.5',
  close: 'M6 6l12 12M18 6 6 18',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4.5v15l12-7.5z',
  up: 'M12 19V6M6 11l6-6 6 6',
  down: 'M12 5v13M6 13l6 6 6-6',
  filter: 'M4 6h16M7 12h10M10 18h4',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  sort: 'M8 9l4-4 4 4M8 15l4 4 4-4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
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
