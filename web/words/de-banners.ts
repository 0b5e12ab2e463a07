// Deutsch: Banner und ihre Prüfung.

import type { enBanners } from './en-banners.ts'

export const deBanners: { [W in keyof typeof enBanners]: string } = {
  'banners.title': 'Banner',
  'banners.file': 'banner',
  'banners.add': 'Banner hinzufügen',
  'banners.addReady': '{count} Banner hinzufügen|{count} Banner hinzufügen',
  'banners.none': 'Noch keine Banner',
  'banners.noneAbout': 'Legen Sie Bilder hier ab. Jedes wird innerhalb von Sekunden geprüft.',
  'banners.name': 'Banner',
  'banners.review': 'Prüfung',
  'banners.size': 'Größe',
  'banners.preview': 'Vorschau',
  'banners.previewOf': 'Vorschau von {name}',
  'banners.settings': 'Einstellungen',
  'banners.drop': 'Bilder hier ablegen oder Dateien wählen',
  'banners.dropAbout': 'JPEG, PNG, GIF oder WebP, in einer Standardgröße wie 300 × 250 oder 728 × 90.',
  'banners.noFile': 'Das ist keine Datei.',
  'banners.uploading': 'Wird hochgeladen',
  'banners.clickUrl': 'Ziel-URL',
  'banners.clickUrlAbout': 'Wohin ein Klick führt. Leer: auf Ihre Website.',
  'banners.creativeUrl': 'Bild',
  'banners.creativeUrlAbout': 'Ein Pfad in diesem Dienst oder eine http(s)-URL.',
  'banners.approved': 'Freigegeben. Es darf gezeigt werden.',
  'banners.pending': 'In Prüfung. Das dauert ein paar Sekunden.',
  'banners.rejected': 'Abgelehnt. Es wird nicht gezeigt.',
  'banners.deleteTitle': '„{name}“ löschen?',
  'banners.deleteAbout':
    'Das Banner wird nicht mehr gezeigt. Seine bisherigen Ergebnisse bleiben in den Zahlen der Persona. Sie können das eine Weile rückgängig machen.',
}
