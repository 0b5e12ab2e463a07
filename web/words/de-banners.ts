// Deutsch: Banner und ihre Prüfung.

import type { enBanners } from './en-banners.ts'

export const deBanners: { [W in keyof typeof enBanners]: string } = {
  'banners.title': 'Banner',
  'banners.file': 'banner',
  'banners.add': 'Banner hinzufügen',
  'banners.addReady': '{count} Banner hinzufügen|{count} Banner hinzufügen',
  'banners.none': 'Noch keine Banner',
  'banners.noneAbout': 'Legen Sie Bilder hier ab. Jedes wird in Sekunden geprüft.',
  'banners.name': 'Banner',
  'banners.review': 'Prüfung',
  'banners.size': 'Größe',
  'banners.preview': 'Vorschau',
  'banners.previewOf': 'Vorschau von {name}',
  'banners.settings': 'Einstellungen',
  'banners.drop': 'Bilder hier ablegen oder Dateien wählen',
  'banners.dropAbout': 'JPEG, PNG, GIF oder WebP, in einer üblichen Größe wie 300 × 250 oder 728 × 90.',
  'banners.noFile': 'Das war keine Datei.',
  'banners.uploading': 'Wird hochgeladen',
  'banners.clickUrl': 'Zieladresse',
  'banners.clickUrlAbout': 'Wohin ein Klick führt. Leer: zu Ihrer Website.',
  'banners.creativeUrl': 'Bild',
  'banners.creativeUrlAbout': 'Sein Pfad hier oder eine http(s)-Adresse.',
  'banners.approved': 'Freigegeben: Es darf gezeigt werden.',
  'banners.pending': 'In Prüfung. Das dauert ein paar Sekunden.',
  'banners.rejected': 'Abgelehnt: Es wird nicht gezeigt.',
  'banners.deleteTitle': '„{name}“ löschen?',
  'banners.deleteAbout':
    'Das Banner wird nicht mehr gezeigt und ist weg. Was es ausgeliefert hat, bleibt in den Zahlen der Persona. Das lässt sich eine Weile rückgängig machen.',
}
