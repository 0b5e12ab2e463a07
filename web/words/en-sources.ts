// English: sources, for the staff of an app.

export const enSources = {
  'sources.title': 'Publishers',
  'sources.about': 'Sites and exchanges that request ads. The operator registers them.',
  'sources.none': 'No sites or exchanges registered',
  'sources.noneAbout': 'The operator can add one: marquee source add site',
  'sources.site': 'Site',
  'sources.exchange': 'Exchange',
  'sources.today':
    '{count} impression for your customers today, {spend}|{count} impressions for your customers today, {spend}',
  'sources.key': 'Public key',
  'sources.serverKey': 'Its servers use the server key, which was shown when it was created.',
  'sources.noServerKey': 'It has no server key. The operator can create one: marquee source server-key',
  'sources.size': 'Ad size',
  'sources.tag': 'Tag: put it where the ad should appear',
  'sources.frame': 'Or an iframe, where scripts are not allowed',
  'sources.server': 'Or from a server, on behalf of its visitors',
  'sources.bidUrl': 'Its bid URL is secret. The operator can look it up: marquee source list',
  'sources.notice': 'Impressions are counted by the billing notice.',
  'sources.cpc': 'Campaigns that pay by click bid here.',
  'sources.noCpc':
    'Campaigns that pay by click do not bid here. The operator can allow it: marquee source cpc {name}',
  'sources.pixel': 'Impressions are counted by the pixel.',
} as const
