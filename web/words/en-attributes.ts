// English: the attributes that an app declares, and where the bid requests of a source have them.

export const enAttributes = {
  'attributes.about':
    'What your app knows about pages, shops and visits. Requests say it, and campaigns target it. No personal data.',
  'attributes.new': 'New attribute',
  'attributes.create': 'Declare attribute',
  'attributes.keyAbout': 'As requests say it, such as section. It cannot be changed later.',
  'attributes.badKey':
    'A key begins with a small letter. Then come small letters, digits, - and _, at most 40 characters in all.',
  'attributes.taken': 'There is an attribute with this key.',
  'attributes.label': 'Name',
  'attributes.labelAbout': 'For people. Empty: the key.',
  'attributes.kind': 'Kind',
  'attributes.kind.choice': 'Choice: one or several of the values that you declare',
  'attributes.kind.words': 'Words: any, such as tags or what was searched for',
  'attributes.kind.number': 'Number, such as a price',
  'attributes.short.choice': 'Choice',
  'attributes.short.words': 'Words',
  'attributes.short.number': 'Number',
  'attributes.choices': 'Values',
  'attributes.choicesAbout':
    'One per line, as requests say it. A name for people may follow: sport = Sport pages',
  'attributes.appOnly': 'Only the app targets it',
  'attributes.appOnlyAbout': 'Otherwise its customers do, too.',
  'attributes.fromPublic': 'Pages may say it',
  'attributes.fromPublicAbout':
    'With the public key of a site, which everybody can send: leave it off for what must be true.',
  'attributes.file': 'attributes',
  'attributes.none': 'No attributes yet',
  'attributes.noneAbout':
    'Declare what your app knows, such as the section of a page, so that campaigns can target it.',
  'attributes.removeAbout': 'Requests can no longer say it.',
  'attributes.usedBy': '{count} persona targets it: {uses}|{count} personas target it: {uses}',
  'attributes.use': 'persona {pid} (customer {cuid}, campaign {cid})',
  'attributes.usedAbout': 'What they target will match no request any more.',
  'attributes.removeAnyway': 'Delete anyway',
  'attributes.saveAnyway': 'Save anyway',
  'attributes.add': '{who} declared {name}',
  'attributes.edit': '{who} changed {name}: {fields}',
  'attributes.remove': '{who} deleted {name}',
  'attributes.places': 'Places in bid requests',
  'attributes.placesAbout':
    'keywords, user.keywords, site.ext.data.name, app.ext.data.name, user.ext.data.name or content.data.provider. What is about the user needs consent.',
  'attributes.placesOf': 'Places of {name}',
  'attributes.placesAdd': 'Add the places of an attribute',
  'attributes.placesSaid': '{key} is read from {places}.',
} as const
