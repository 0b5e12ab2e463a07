// Deutsch: was abgelehnt wurde und warum.

import type { enErrors } from './en-errors.ts'

export const deErrors: { [W in keyof typeof enErrors]: string } = {
  'code.invalid_input': 'Hier stimmt noch etwas nicht. Prüfen Sie die markierten Felder.',
  'code.missing_cuid': 'Es ist nicht klar, welcher Kunde gemeint ist. Laden Sie die Seite neu.',
  'code.missing_passcode': 'Der Code fehlt.',
  'code.ambiguous_banner': 'Es ist nicht klar, welches Banner gemeint ist.',
  'code.malformed_request':
    'Der Dienst hat das nicht verstanden. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'code.invalid_etag':
    'Der Dienst hat das nicht verstanden. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'code.if_match_not_honoured':
    'Der Dienst hat das nicht verstanden. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'code.forged_token': 'Dieser Link ist nicht echt.',
  'code.credentials_missing': 'Sie sind nicht angemeldet.',
  'code.credentials_invalid': 'Schlüssel und Token passen nicht zusammen oder gelten nicht mehr.',
  'code.credentials_expired': 'Schlüssel und Token sind abgelaufen.',
  'code.credentials_revoked': 'Schlüssel und Token wurden widerrufen.',
  'code.credentials_wrong_level': 'Das dürfen nur Mitarbeiter der App.',
  'code.cuid_not_allowed': 'Das gehört einem anderen Kunden. Melden Sie sich als dieser Kunde an.',
  'code.not_provisioned': 'Diese App bietet das nicht an.',
  'code.api_access_off':
    'Der Zugang dieses Kunden ist abgeschaltet. Wenden Sie sich an den Betreiber des Dienstes.',
  'code.passcode_invalid': 'Dieser Code ist falsch oder gilt nicht mehr. Fordern Sie einen neuen an.',
  'code.ticket_invalid':
    'Dieser Anmeldelink wurde schon benutzt oder gilt nicht mehr. Fordern Sie einen neuen an.',
  'code.session_ended': 'Sie wurden abgemeldet. Melden Sie sich wieder an.',
  'code.scope_too_low': 'Das erlaubt Ihre Rolle oder dieser Schlüssel nicht.',
  'code.campaign_not_allowed': 'Dieser Schlüssel gilt nur für andere Kampagnen.',
  'code.ceiling_exceeded':
    'Das liegt über einer Obergrenze, die für dieses Konto, für Sie oder für diesen Schlüssel gilt. Gespeichert wurde nichts.',
  'code.frozen':
    'Das Konto ist eingefroren. Ändern lässt sich erst wieder etwas, wenn das auf der Seite „Konto“ aufgehoben wird.',
  'code.plan_unusable': 'Dieser Plan lässt sich nicht verwenden. Planen Sie neu.',
  'code.session_refused': 'Das geht nur aus der Konsole selbst. Laden Sie die Seite neu.',
  'code.not_found': 'Das gibt es nicht oder nicht mehr.',
  'code.method_not_allowed':
    'Der Dienst hat das nicht verstanden. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'code.conflict': 'Das passt nicht zu dem, was schon da ist.',
  'code.email_taken': 'Ein anderer Kunde hat diese E-Mail-Adresse.',
  'code.member_exists': 'Diese Person arbeitet schon an diesem Konto mit.',
  'code.last_admin':
    'Das ist die letzte Person mit der Rolle Admin. Geben Sie zuerst jemand anderem diese Rolle.',
  'code.first_owner': 'Die E-Mail-Adresse des Kontos selbst bleibt immer Inhaber.',
  'code.session_open': 'Hier ist jemand anderes angemeldet.',
  'code.idempotent_object_gone':
    'Was dadurch angelegt wurde, ist inzwischen gelöscht. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'code.idempotency_conflict':
    'Das wurde schon einmal mit anderem Inhalt gesendet. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'code.precondition_failed': 'Jemand anderes hat das inzwischen geändert.',
  'code.body_too_large': 'Das ist zu groß.',
  'code.proposed': 'Das kostet mehr, als Sie entscheiden dürfen. Es wartet auf einen Inhaber oder Manager.',
  'code.undo_outdated': 'Es wurde seither wieder geändert. Nehmen Sie zuerst die letzte Änderung zurück.',
  'code.undo_impossible': 'Das lässt sich nicht zurücknehmen.',
  'code.proposal_settled': 'Das hat schon jemand anderes entschieden, oder es ist verfallen.',
  'code.review_settled': 'Jemand anders hat es entschieden, oder es hat sich seither geändert.',
  'code.proposal_outdated':
    'Es hat sich seit dem Vorschlag geändert und kann nicht mehr angenommen werden. Bitte ablehnen; es kann neu vorgeschlagen werden.',
  'code.external_id_ambiguous':
    'Mehrere haben diese externe Kennung. Ändern Sie sie bei allen bis auf eines.',
  'code.not_deleted': 'Nur ein gelöschter Kunde kann endgültig entfernt werden.',
  'code.not_prepaid': 'Dieser Kunde zahlt nicht im Voraus.',
  'code.reference_taken': 'Diese Referenz wurde schon für einen anderen Betrag verwendet.',
  'code.balance_too_low': 'So viel ist vom Guthaben nicht mehr frei.',
  'code.quota_exceeded':
    'Ein Kontingent Ihres Kontos ist ausgeschöpft. Löschen Sie, was Sie nicht mehr brauchen.',
  'code.too_many_objects': 'Das ist zu viel für einen Schritt. Kopieren Sie kleinere Teile.',
  'code.unsupported_media_type':
    'Dateien dieser Art werden nicht angenommen. Möglich sind JPEG, PNG, GIF und WebP.',
  'code.too_many_requests':
    'Das war zu viel auf einmal. Warten Sie einen Augenblick und versuchen Sie es noch einmal.',
  'code.too_many_at_once':
    'Für Sie wird gerade schon viel bearbeitet. Warten Sie einen Augenblick und versuchen Sie es noch einmal.',
  'code.caller_gone': 'Auf die Antwort wurde nicht gewartet. Versuchen Sie es noch einmal.',
  'code.mail_failed': 'Die E-Mail konnte nicht gesendet werden. Versuchen Sie es später noch einmal.',
  'code.internal': 'Bei uns ist etwas schiefgegangen. Versuchen Sie es noch einmal.',
  'code.unavailable': 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  'code.deadline_exceeded':
    'Das hat zu lange gedauert, und nichts davon wurde behalten. Versuchen Sie es mit weniger auf einmal.',
  'code.malformed_answer': 'Die Antwort des Dienstes war nicht lesbar. Versuchen Sie es noch einmal.',
  'code.unknown': 'Das hat nicht geklappt. Versuchen Sie es noch einmal.',
  'code.offline':
    'Der Dienst ist nicht erreichbar. Nichts ist verloren: Versuchen Sie es noch einmal, wenn Sie wieder online sind.',
  'code.timeout': 'Der Dienst hat zu lange gebraucht. Versuchen Sie es noch einmal.',

  'error.required': 'Bitte ausfüllen.',
  'error.chooseOne': 'Wählen Sie mindestens eines.',
  'error.tooShort': 'Schreiben Sie mindestens {min} Zeichen.',
  'error.tooLong': 'Das sind {length} Zeichen. Erlaubt sind höchstens {max}.',
  'error.email': 'Geben Sie eine E-Mail-Adresse an, zum Beispiel ann@example.com.',
  'error.url': 'Geben Sie eine Adresse an, die mit https:// beginnt, zum Beispiel https://example.com/.',
  'error.form': 'Das ist nicht richtig geschrieben.',
  'error.characters': 'Das enthält Zeichen, die nicht gespeichert werden können.',
  'error.day': 'Wählen Sie einen Tag.',
  'error.date': 'Wählen Sie Datum und Uhrzeit.',
  'error.type': 'Ein Wert dieser Art passt hier nicht.',
  'error.period': 'Wählen Sie einen Zeitraum, der vor seinem Ende beginnt.',
  'error.periodTooLong': 'Das ist zu viel auf einmal. Wählen Sie einen kürzeren Zeitraum.',
  'error.clickParameter':
    '„{value}“ ist kein Parameter. Schreiben Sie Name=Wert, verbunden mit &, etwa utm_source=news&utm_campaign={example}.',
  'error.unknownMacro': '{value} gibt es nicht. Wählen Sie aus der Liste.',
  'error.clickIdIsAdded': 'Lassen Sie mqclid weg. Jeder Klick bekommt seine eigene.',
  'error.repeatedParameter': '„{value}“ steht zweimal da.',
  'error.urlPassword': 'Lassen Sie Benutzername und Passwort in der Adresse weg.',
  'error.whole': 'Geben Sie eine ganze Zahl an.',
  'error.between': 'Erlaubt ist alles von {min} bis {max}.',
  'error.atLeast': 'Geben Sie eine Zahl ab {min} an.',
  'error.amountBetween': 'Geben Sie einen Betrag von {min} bis {max} an.',
  'error.zero': 'Geben Sie einen anderen Betrag als 0 ein.',
  'error.cpcMissing': 'Geben Sie den Preis eines Klicks ein.',
  'error.cpcNotUsed': 'Der Preis eines Klicks gehört zu Kampagnen, die nach Klicks bezahlen.',
  'error.decimals':
    'Erlaubt ist höchstens {max} Nachkommastelle.|Erlaubt sind höchstens {max} Nachkommastellen.',
  'error.entries': 'Das sind {count}. Erlaubt sind höchstens {max}.',
  'error.choice': 'Wählen Sie etwas aus dem Angebot.',
  'error.notHere': 'Das lässt sich hier nicht einstellen.',
  'error.place': 'Wählen Sie mindestens einen Ort, oder einen Punkt und einen Umkreis.',
  'error.mistypedPlace': '{entry}: Diesen Ort gibt es nicht. Meinten Sie {suggestion}?',
  'error.unknownPlace': '{entry}: Diesen Ort gibt es nicht. Wählen Sie einen aus der Liste.',
  'error.latitude': 'Ein Breitengrad liegt zwischen −90 und 90.',
  'error.longitude': 'Ein Längengrad liegt zwischen −180 und 180.',
  'error.swapped': 'Ein Breitengrad liegt zwischen −90 und 90. Sind Breiten- und Längengrad vertauscht?',
  'error.attribute':
    'Dieses Attribut ist nicht deklariert oder würde verworfen. Wählen Sie eines aus der Liste.',
  'error.attributeOfApp': 'Nur die App selbst darf nach diesem Attribut ausrichten.',
  'error.attributeValue': '„{value}“ ist kein Wert von {key}. Wählen Sie einen aus der Liste.',
  'error.reservedKey': '„{key}“ kann kein Schlüssel sein. Wählen Sie einen anderen.',
  'error.attributeKind':
    'Die Art lässt sich nicht ändern. Löschen Sie das Attribut und deklarieren Sie es neu.',
  'error.personal':
    'Das sieht nach einer E-Mail-Adresse oder Telefonnummer aus. Attribute dürfen keine personenbezogenen Daten enthalten.',
  'error.minAboveMax': 'Das darf nicht über {max} liegen.',
  'error.attributeInUse':
    '{count} Persona richtet sich danach. Ohne es erreicht sie niemanden.|{count} Personas richten sich danach. Ohne es erreichen sie niemanden.',
  'error.tooManyAttributes': 'Es darf höchstens {max} Attribute geben.',
  'error.category': '{value} ist keine Kategorie. Wählen Sie eine aus der Liste.',
  'error.beforeEnd': 'Das muss vor dem Ende liegen: {end}.',
  'error.afterStart': 'Das muss nach dem Beginn liegen: {start}.',
  'error.future': 'Das muss in der Zukunft liegen.',
  'error.noHours': 'Wählen Sie mindestens eine Stunde.',
  'error.inside': 'Das muss im Zeitraum der Kampagne liegen: {period}.',
  'error.overlap':
    'Flights einer Kampagne überschneiden sich nicht. Dieser würde sich mit {name} ({period}) überschneiden.',
  'error.leftOutside':
    'Mit diesem Zeitraum läge {name} ({period}) außerhalb. Ändern oder löschen Sie ihn zuerst.',
  'error.bornFlight':
    'Dieser Flight folgt dem Zeitraum seiner Kampagne. Er lässt sich nicht ändern oder löschen.',
  'error.tooManyFlights': 'Eine Kampagne hat höchstens {max} Flights.',
  'error.noUpload': 'Dieses Bild wurde hier nicht hochgeladen. Ziehen Sie es noch einmal herein.',
  'error.image':
    'Geben Sie eine Adresse an, die mit https:// beginnt, oder ziehen Sie das Bild unten in das Feld.',
  'error.size':
    'Banner von {width} × {height} Pixeln werden nirgends gezeigt. Wählen Sie eine der erlaubten Größen.',
  'error.together': 'Breite und Höhe gehören zusammen.',
  'error.webhookOff': 'Dieser Webhook ist abgeschaltet. Schalten Sie ihn zuerst ein.',
  'error.tooManyWebhooks': 'Eine App hat höchstens {max} Webhooks.',
  'error.privateAddress': 'Diese Adresse ist aus dem Internet nicht erreichbar.',
  'error.logoLarge': 'Das Logo ist größer als {maxBytes}. Verkleinern Sie es zuerst.',
  'error.logoKind': 'Das Logo muss ein vollständiges Bild in PNG, JPEG, WebP oder GIF sein.',
  'error.tryLater': 'Das war zu viel auf einmal. Versuchen Sie es in {seconds} s noch einmal.',
  'error.quota':
    'Ein Kontingent Ihres Kontos ({quota}) ist ausgeschöpft. Löschen Sie, was Sie nicht mehr brauchen.',
  'error.deletedAbove': 'Es gehört zu etwas, das gelöscht wurde. Stellen Sie zuerst das wieder her.',
  'error.notDeleted': 'Das ist nicht gelöscht.',
  'error.tooLargeFile': 'Die Datei ist größer als {maxBytes}. Verkleinern Sie sie zuerst.',

  'why.empty': 'Die Datei ist leer. Angenommen werden Bilder in JPEG, PNG, GIF und WebP.',
  'why.kind': 'Die Datei ist {kind}. Angenommen werden Bilder in JPEG, PNG, GIF und WebP.',
  'why.damaged': 'Die Datei ist beschädigt oder abgeschnitten. Speichern Sie sie neu.',
  'why.pixels': 'Das Bild hat {count} Pixel. Gelesen werden höchstens {max}.',
  'why.frames': 'Die Animation hat mehr als {max} Einzelbilder. Mehr werden nicht gelesen.',
  'why.turned': 'Das Bild ist gedreht oder gespiegelt gespeichert. Speichern Sie es aufrecht.',
  'why.declared':
    'Das Bild hat {width} × {height} Pixel, angegeben waren {declaredWidth} × {declaredHeight}.',
  'why.declaredOther': 'Das Bild hat {width} × {height} Pixel, angegeben war eine andere Größe.',
  'why.size': 'Das Bild hat {width} × {height} Pixel. Das ist keine erlaubte Größe.',
  'why.weight': 'Die Datei hat {bytes}. Banner von {width} × {height} dürfen höchstens {maxBytes} haben.',
  'why.endless': 'Die Animation hört nie auf. Sie muss nach höchstens {maxSeconds} Sekunden stillstehen.',
  'why.long': 'Die Animation läuft {seconds} Sekunden. Erlaubt sind höchstens {maxSeconds}.',
  'why.fast': 'Die Animation zeigt bis zu {rate} Bilder pro Sekunde. Erlaubt sind höchstens {maxRate}.',
  'why.noClick':
    'Ein Klick führt nirgendwohin. Geben Sie dem Banner eine Ziel-URL oder Ihrem Konto eine Website.',
  'why.badClick': 'Die Ziel-URL muss mit https:// beginnen.',
  'why.heavy': 'Das Bild braucht zu viel Speicher oder Zeit, um gelesen zu werden. Vereinfachen Sie es.',
  'why.landingUnreachable':
    'Die Seite ist nicht erreichbar: Ihre Adresse ist unbekannt, ihr Server ist aus, oder ihr Zertifikat ist ungültig.',
  'why.landingTimeout': 'Die Seite hat nicht innerhalb von {seconds} s geantwortet.',
  'why.landingStatus': 'Die Seite antwortet mit dem Status {status}.',
  'why.landingRedirects': 'Die Seite leitet mehr als {max}-mal weiter.',
  'why.landingNotHttps': 'Die Seite endet bei {page}, ohne https.',
  'why.landingLosesClick':
    'Die Weiterleitung von {from} zu {to} verliert „mqclid“: Conversions dort werden keinem Klick zugeordnet. Lassen Sie sie die Parameter weitergeben.',
  'why.asWritten': '{text}',
  'why.unreachable':
    'Das Bild war nicht abrufbar. Sein Server ist unbekannt, nicht erreichbar oder nicht erlaubt.',
  'why.timeout': 'Das Bild kam nicht innerhalb von {seconds} s. Sein Server ist zu langsam oder stumm.',
  'why.address': 'Die Adresse des Bildes ist nicht gültig.',
  'why.redirect': 'Die Adresse des Bildes leitet weiter. Geben Sie die Adresse des Bildes selbst an.',
  'why.status': 'Die Adresse des Bildes antwortete mit Status {status}.',
  'why.large': 'Die Datei ist größer als {maxBytes}.',
  'why.byHand': 'Die Prüfungen sind bestanden. Bevor es erscheint, sieht es sich ein Mensch an.',
  'why.rejectedByHand': 'Bei der Prüfung abgelehnt: {reason}',
  'why.gone': 'Das hochgeladene Bild ist nicht mehr da. Laden Sie es noch einmal hoch.',
  'why.flightSpent': 'Der Flight „{flight}“ hat sein Budget aufgebraucht.',
  'why.offHours': 'Weiter geht es am {resumes}.',
  'why.offHoursForGood': 'Bis zu ihrem Ende liegt keine ihrer Stunden mehr.',
  'why.foreignDomain':
    '{imps} Impression wurde heute nicht gezählt: Sie kam von einer Seite, die nicht zum Publisher gehört.|{imps} Impressionen wurden heute nicht gezählt: Sie kamen von Seiten, die nicht zum Publisher gehören.',
  'why.bot':
    '{imps} Impression wurde heute nicht gezählt: Sie kam von einem Roboter.|{imps} Impressionen wurden heute nicht gezählt: Sie kamen von Robotern.',
  'why.late':
    '{imps} Impression wurde heute nicht gezählt: Sie wurde zu spät gemeldet.|{imps} Impressionen wurden heute nicht gezählt: Sie wurden zu spät gemeldet.',
  'why.noRequestFits':
    'Keine von etwa {requests} Anfragen des letzten Tages passt zu ihren Personas und Bannergrößen.',
  'why.belowFloors':
    '{refused} von etwa {requests} passenden Anfragen kosten mehr als die gebotenen {cpm} je 1.000 Impressionen. Mit {needed} wäre die Hälfte davon erreichbar.',
  'why.mostlyBlocked': 'Publisher sperren sie bei {refused} von etwa {requests} passenden Anfragen.',
  'why.mostlyCapped':
    'Bei {refused} von etwa {requests} passenden Anfragen hat der Besucher sie oft genug gesehen oder ist unbekannt.',
  'why.mostlyOutbid':
    'Andere Kampagnen bieten bei {refused} von etwa {requests} passenden Anfragen gleich viel oder mehr.',
  'why.unseen':
    'Von {served} Anzeigen, die heute ausgeliefert wurden, wurde {seen} gesehen.|Von {served} Anzeigen, die heute ausgeliefert wurden, wurden {seen} gesehen.',
  'why.heldUnseen':
    '{ads} Anzeige wurde heute nicht ausgeliefert: Eine Adresse darf zugleich {max} ungesehene Anzeigen einer Website haben, und ein Viertel von dem, was eine Kampagne ausgeben darf.|{ads} Anzeigen wurden heute nicht ausgeliefert: Eine Adresse darf zugleich {max} ungesehene Anzeigen einer Website haben, und ein Viertel von dem, was eine Kampagne ausgeben darf.',
  'why.visitorShare':
    '{ads} Anzeige wurde heute nicht ausgeliefert oder abgerechnet: Eine Adresse oder ihr Netz hatte ihren Teil vom Tagesbudget.|{ads} Anzeigen wurden heute nicht ausgeliefert oder abgerechnet: Eine Adresse oder ihr Netz hatte ihren Teil vom Tagesbudget.',
  'why.seenTooOften':
    '{imps} Impression wurde heute nicht berechnet: Eine Adresse hatte in einer Stunde zu viele.|{imps} Impressionen wurden heute nicht berechnet: Eine Adresse hatte in einer Stunde zu viele.',
  'why.others':
    '{imps} Impression wurde heute nicht gezählt: Jemand anders hatte die Anzeige angefordert.|{imps} Impressionen wurden heute nicht gezählt: Andere hatten die Anzeigen angefordert.',
  'why.placeMeant': 'Die Stadt {place} kennen wir nicht. Meinten Sie {suggestion}?',
  'why.attributeUnseen': 'In den letzten {days} Tagen hatte keine Anfrage „{value}“ als {key}.',
  'why.attributeAbsent': 'In den letzten {days} Tagen nannte keine Anfrage {key}.',
  'why.attributeGone':
    '„{key}“ ist nicht mehr so deklariert, wie diese Persona es braucht. Keine Anfrage hat es.',
  'why.placeUnknown': 'Die Stadt {place} kennen wir nicht. Prüfen Sie die Schreibweise.',
  'why.waits': 'Es konnte noch nicht gelesen werden, ohne eigene Schuld. Es wird von selbst wieder versucht.',
  'why.retry': 'Das war Versuch {attempt} von {attempts}. Es wird von selbst wieder versucht.',
  'kind.svg': 'eine SVG-Zeichnung',
  'kind.web_page': 'eine Webseite',
  'kind.pdf': 'ein PDF-Dokument',
  'kind.bmp': 'ein BMP-Bild',
  'kind.tiff': 'ein TIFF-Bild',
  'kind.photoshop': 'ein Photoshop-Dokument',
  'kind.zip': 'ein ZIP-Archiv',
  'kind.avif': 'ein AVIF-Bild',
  'kind.video': 'ein Video oder ein HEIC-Bild',
  'kind.unknown': 'von unbekannter Art',
}
