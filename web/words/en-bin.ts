// English: the bin, with what was deleted.

export const enBin = {
  'bin.title': 'Bin',
  'bin.about':
    'Deleted objects stay here for {count} day, then they are gone.|Deleted objects stay here for {count} days, then they are gone.',
  'bin.none': 'The bin is empty',
  'bin.noneAbout':
    'Campaigns, flights, personas and banners that you delete can be restored here for {count} day.|Campaigns, flights, personas and banners that you delete can be restored here for {count} days.',
  'bin.of': '{noun} of {campaign}',
  'bin.deleted': 'Deleted {when} · {who}',
  'bin.until': 'kept until {day}',
  'bin.more': 'Show more',
  'bin.byProgram': 'A program',
  'bin.restore': 'Restore',
  'bin.restoreNamed': 'Restore {name}',
  'bin.restored': '“{name}” was restored.',
  'bin.noun.campaign': 'Campaign',
  'bin.noun.flight': 'Flight',
  'bin.noun.persona': 'Persona',
  'bin.noun.banner': 'Banner',
} as const
