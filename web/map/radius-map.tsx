// An offline map: countries as lines, the circle in the brand's colour. Dragging inside moves it, dragging its edge
// resizes it, the wheel and two buttons zoom. The fields beside the map can do all of this too.

import './map.css'
import { ActionIcon } from '@mantine/core'
import { geoCircle, geoDistance, geoGraticule10, geoMercator, geoPath } from 'd3-geo'
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import world from 'world-atlas/countries-50m.json'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { type Unit, writeDistance } from './distance.ts'
import { TownLabels } from './town-labels.tsx'

interface RadiusMapProps {
  latitude: number
  longitude: number
  radiusM: number
  unit: Unit
  onMove: (latitude: number, longitude: number) => void
  onRadius: (radiusM: number) => void
}

const WIDTH = 560
const HEIGHT = 400
const EARTH_RADIUS_M = 6_371_000
const DEGREES = 180 / Math.PI
const topology = world as unknown as Topology<{ countries: GeometryCollection }>
const countries = feature(topology, topology.objects.countries)
const graticule = geoGraticule10()

const round = (value: number) => Math.round(value * 1e5) / 1e5

/** The map zooms in no further than this: the towns around show where it is. */
const NEAR_SCALE = 9000
/** But even a small circle stays visible. */
const MIN_RADIUS_PX = 16

/** The circle fills about a third of the map if that leaves enough around it to recognise the place. */
function fittingScale(radiusM: number, latitude: number): number {
  const stretch = 1 / Math.max(0.1, Math.cos(latitude / DEGREES))
  const radius = (radiusM / EARTH_RADIUS_M) * stretch
  const scale = Math.max(Math.min(NEAR_SCALE, (HEIGHT * 0.22) / radius), MIN_RADIUS_PX / radius)
  return Math.min(120_000, Math.max(90, scale))
}

type Circle = Pick<RadiusMapProps, 'latitude' | 'longitude' | 'radiusM'>

/** What part of the world is seen: the circle at first, then what was panned and zoomed to. */
function useCamera({ latitude, longitude, radiusM }: Circle) {
  const [camera, setCamera] = useState(() => ({
    centre: [longitude, latitude] as [number, number],
    scale: fittingScale(radiusM, latitude),
  }))
  const projection = useMemo(
    () =>
      geoMercator()
        .center(camera.centre)
        .scale(camera.scale)
        .translate([WIDTH / 2, HEIGHT / 2]),
    [camera],
  )
  const path = useMemo(
    () =>
      geoPath(
        projection.clipExtent([
          [-20, -20],
          [WIDTH + 20, HEIGHT + 20],
        ]),
      ),
    [projection],
  )
  const zoom = (factor: number) =>
    setCamera({ ...camera, scale: Math.min(120_000, Math.max(80, camera.scale * factor)) })
  const fit = () => setCamera({ centre: [longitude, latitude], scale: fittingScale(radiusM, latitude) })
  // A change in the fields is brought into view; a dragged circle stays under the finger.
  const dragged = useRef(false)
  useEffect(() => {
    if (!dragged.current) setCamera({ centre: [longitude, latitude], scale: fittingScale(radiusM, latitude) })
  }, [latitude, longitude, radiusM])
  return { camera, setCamera, dragged, projection, path, zoom, fit }
}

export function RadiusMap({ latitude, longitude, radiusM, unit, onMove, onRadius }: RadiusMapProps) {
  const svg = useRef<SVGSVGElement>(null)
  const { camera, setCamera, dragged, projection, path, zoom, fit } = useCamera({
    latitude,
    longitude,
    radiusM,
  })
  const [drag, setDrag] = useState<'move' | 'radius' | 'pan' | null>(null)
  const land = useMemo(() => path(countries) ?? '', [path])
  const lines = useMemo(() => path(graticule) ?? '', [path])
  const radiusDegrees = (radiusM / EARTH_RADIUS_M) * DEGREES
  const circle = path(geoCircle().center([longitude, latitude]).radius(radiusDegrees).precision(4)()) ?? ''
  const centre = projection([longitude, latitude]) ?? [0, 0]
  const eastward = radiusDegrees / Math.max(0.05, Math.cos(latitude / DEGREES))
  const edge = projection([longitude + eastward, latitude]) ?? centre

  const placeOf = (event: PointerEvent): [number, number] | null => {
    const box = svg.current!.getBoundingClientRect()
    const x = ((event.clientX - box.left) / box.width) * WIDTH
    const y = ((event.clientY - box.top) / box.height) * HEIGHT
    return projection.invert?.([x, y]) ?? null
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!drag) return
    const place = placeOf(event)
    if (!place) return
    const [lon, lat] = place
    if (drag === 'move') onMove(round(lat), round(lon))
    else if (drag === 'radius') {
      const metres = geoDistance([longitude, latitude], [lon, lat]) * EARTH_RADIUS_M
      onRadius(Math.min(1_000_000, Math.max(1, Math.round(metres / 100) * 100 || 100)))
    } else {
      const box = svg.current!.getBoundingClientRect()
      const factor = WIDTH / box.width
      const next = projection.invert?.([
        WIDTH / 2 - event.movementX * factor,
        HEIGHT / 2 - event.movementY * factor,
      ])
      if (next) setCamera({ ...camera, centre: [next[0], Math.min(84, Math.max(-84, next[1]))] })
    }
  }
  const start = (what: 'move' | 'radius' | 'pan') => (event: PointerEvent) => {
    event.stopPropagation()
    svg.current?.setPointerCapture(event.pointerId)
    dragged.current = true
    setDrag(what)
  }
  return (
    <div className="map">
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t('map.labelOf', { distance: writeDistance(radiusM, unit) })}
        onPointerDown={start('pan')}
        onPointerMove={onPointerMove}
        onPointerUp={() => {
          dragged.current = false
          setDrag(null)
        }}
        onWheel={event => zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2)}
      >
        <rect width={WIDTH} height={HEIGHT} className="sea" />
        <path d={lines} className="graticule" />
        <path d={land} className="land" />
        <TownLabels projection={projection} width={WIDTH} height={HEIGHT} />
        <path d={circle} className="circle" data-drag="move" onPointerDown={start('move')} />
        <circle cx={centre[0]} cy={centre[1]} r={5} className="centre" onPointerDown={start('move')} />
        <circle
          cx={edge[0]}
          cy={edge[1]}
          r={8}
          className="edge"
          data-drag="radius"
          onPointerDown={start('radius')}
        />
      </svg>
      <MapButtons onZoom={zoom} onFit={fit} />
    </div>
  )
}

function MapButtons({ onZoom, onFit }: { onZoom: (factor: number) => void; onFit: () => void }) {
  return (
    <div className="map-buttons">
      <ActionIcon variant="default" aria-label={t('map.zoomIn')} onClick={() => onZoom(1.6)}>
        <Icon name="plus" size={16} />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t('map.zoomOut')} onClick={() => onZoom(1 / 1.6)}>
        –
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t('map.fit')} onClick={onFit}>
        <Icon name="search" size={16} />
      </ActionIcon>
    </div>
  )
}
