// English: sources, for the staff of an app.

export const enSources = {
  'sources.title': 'Publishers',
  'sources.about': 'Sites and exchanges that request ads. The operator of the service registers them.',
  'sources.none': 'No site or exchange is registered',
  'sources.noneAbout': 'The operator adds one with: marquee source add site',
  'sources.site': 'Site',
  'sources.exchange': 'Exchange',
  'sources.today':
    '{count} impression of your customers today, {spend}|{count} impressions of your customers today, {spend}',
  'sources.key': 'Public key',
  'sources.serverKey': 'Its servers ask with the server key, which was shown when it was created.',
  'sources.noServerKey': 'It has no server key. The operator creates one with: marquee source server-key',
  'sources.size': 'Ad size',
  'sources.tag': 'Tag, to put where the ad should appear',
  'sources.frame': 'Or a frame, where scripts are not allowed',
  'sources.server': 'Or from a server, for its visitors',
  'sources.bidUrl': 'Its bid URL is a secret. The operator finds it with: marquee source list',
  'sources.notice': 'Impressions are counted by the billing notice.',
  'sources.pixel': 'Impressions are counted by the pixel.',
} as const
