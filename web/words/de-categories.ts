// Deutsch: die Kategorien des IAB. Je Zeile eine Kategorie, dahinter die Unterkategorien nach ihren Nummern.

const ROWS = [
  'Kunst und Unterhaltung|Bücher und Literatur|Prominente und Klatsch|Bildende Kunst|Humor|Filme|Musik|Fernsehen',
  'Auto|Autoteile|Autoreparatur|Autokauf und -verkauf|Autokultur|Geprüfte Gebrauchtwagen|Cabrios|Coupés|Crossover|Diesel|Elektroautos|Schräghecklimousinen|Hybridautos|Luxusautos|Minivans|Motorräder|Geländewagen|Sportwagen|Pick-ups|Pannenhilfe|Limousinen|Lkw und Zubehör|Oldtimer|Kombis',
  'Wirtschaft|Werbung|Landwirtschaft|Biotechnologie und Biomedizin|Unternehmenssoftware|Bauwesen|Forstwirtschaft|Verwaltung|Umweltlösungen|Personalwesen|Logistik|Marketing|Metalle',
  'Beruf und Karriere|Karriereplanung|Hochschule|Studienfinanzierung|Jobmessen|Stellensuche|Lebenslauf und Bewerbung|Pflegeberufe|Stipendien|Arbeiten von zu Hause|US-Streitkräfte|Karriereberatung',
  'Bildung|Schulbildung (Klassen 7–12)|Erwachsenenbildung|Kunstgeschichte|Hochschulverwaltung|Studentenleben|Fernunterricht|Englisch als Zweitsprache|Sprachenlernen|Aufbaustudium|Hausunterricht|Hausaufgaben und Lerntipps|Grundschullehrer|Privatschulen|Sonderpädagogik|Wirtschaftsstudium',
  'Familie und Erziehung|Adoption|Babys und Kleinkinder|Kita und Vorschule|Internet für die Familie|Erziehung von Grundschulkindern|Erziehung von Teenagern|Schwangerschaft|Kinder mit besonderen Bedürfnissen|Altenpflege',
  'Gesundheit und Fitness|Sport und Bewegung|ADHS|AIDS und HIV|Allergien|Alternative Medizin|Arthritis|Asthma|Autismus|Bipolare Störung|Hirntumor|Krebs|Cholesterin|Chronisches Erschöpfungssyndrom|Chronische Schmerzen|Erkältung und Grippe|Gehörlosigkeit|Zahnpflege|Depression|Dermatologie|Diabetes|Epilepsie|Sodbrennen und Reflux|Kopfschmerzen und Migräne|Herzerkrankungen|Heilkräuter|Ganzheitliche Heilkunde|Reizdarm und Morbus Crohn|Hilfe bei Missbrauch|Inkontinenz|Unfruchtbarkeit|Männergesundheit|Ernährung|Orthopädie|Panik- und Angststörungen|Kinderheilkunde|Physiotherapie|Psychologie und Psychiatrie|Gesundheit im Alter|Sexualität|Schlafstörungen|Rauchentwöhnung|Suchtmittelmissbrauch|Schilddrüsenerkrankungen|Abnehmen|Frauengesundheit',
  'Essen und Trinken|Amerikanische Küche|Grillen|Cajun- und kreolische Küche|Chinesische Küche|Cocktails und Bier|Kaffee und Tee|Länderküchen|Desserts und Backen|Essengehen|Lebensmittelallergien|Französische Küche|Gesunde und fettarme Küche|Italienische Küche|Japanische Küche|Mexikanische Küche|Vegan|Vegetarisch|Wein',
  'Hobbys und Interessen|Kunst und Technik|Kunsthandwerk und Basteln|Perlenarbeiten|Vogelbeobachtung|Brettspiele und Puzzles|Kerzen und Seifen herstellen|Kartenspiele|Schach|Zigarren|Sammeln|Comics|Zeichnen|Freies Schreiben|Ahnenforschung|Veröffentlichen|Gitarre|Musikaufnahmen zu Hause|Erfinder und Patente|Schmuckherstellung|Zauberkunst|Handarbeiten|Malerei|Fotografie|Radio|Rollenspiele|Science-Fiction und Fantasy|Scrapbooking|Drehbuchschreiben|Briefmarken und Münzen|Video- und Computerspiele|Holzarbeiten',
  'Haus und Garten|Haushaltsgeräte|Gäste und Feste|Umweltschutz im Haus|Gartenarbeit|Reparaturen im Haus|Heimkino|Einrichtung|Landschaftsgestaltung|Umbau und Renovierung',
  'Recht, Staat und Politik|Einwanderung|Rechtsfragen|US-Behörden|Politik|Kommentare',
  'Nachrichten|Internationale Nachrichten|Nationale Nachrichten|Lokalnachrichten',
  'Private Finanzen|Geldanlage für Einsteiger|Kredite und Schulden|Finanznachrichten|Finanzplanung|Hedgefonds|Versicherungen|Geldanlage|Investmentfonds|Optionen|Altersvorsorge|Aktien|Steuerplanung',
  'Gesellschaft|Partnersuche|Hilfe bei Scheidung|Schwules Leben|Ehe|Leben im Alter|Jugendliche|Hochzeiten|Ethnische Gruppen',
  'Wissenschaft|Astrologie|Biologie|Chemie|Geologie|Paranormales|Physik|Weltraum und Astronomie|Geografie|Botanik|Wetter',
  'Haustiere|Aquarien|Vögel|Katzen|Hunde|Große Tiere|Reptilien|Tiermedizin',
  'Sport|Autorennen|Baseball|Radfahren|Bodybuilding|Boxen|Kanu und Kajak|Cheerleading|Klettern|Cricket|Eiskunstlauf|Fliegenfischen|Football|Angeln im Süßwasser|Wild und Fisch|Golf|Pferderennen|Pferde|Jagd und Schießsport|Inlineskating|Kampfsport|Mountainbiking|NASCAR-Rennen|Olympische Spiele|Paintball|Motorsport und Motorräder|Profi-Basketball|Profi-Eishockey|Rodeo|Rugby|Laufen und Joggen|Segeln|Angeln im Salzwasser|Tauchen|Skateboarding|Skifahren|Snowboarding|Surfen und Bodyboarding|Schwimmen|Tischtennis|Tennis|Volleyball|Gehen|Wasserski und Wakeboard|Internationaler Fußball',
  'Stil und Mode|Schönheit|Körperkunst|Mode|Schmuck|Kleidung|Accessoires',
  'Technik und Computer|3D-Grafik|Animation|Antivirensoftware|C und C++|Kameras und Camcorder|Mobiltelefone|Computerzertifikate|Netzwerktechnik|Computerzubehör|Computertests|Rechenzentren|Datenbanken|Desktop-Publishing|Videobearbeitung am PC|E-Mail|Grafiksoftware|Heimvideo und DVD|Internettechnik|Java|JavaScript|Mac-Hilfe|MP3 und MIDI|Onlinekonferenzen|Internet für Einsteiger|Netzwerksicherheit|Handhelds und PDAs|PC-Hilfe|Tragbare Geräte|Unterhaltungselektronik|Shareware und Freeware|Unix|Visual Basic|Web-Cliparts|Webdesign und HTML|Websuche|Windows',
  'Reisen|Abenteuerreisen|Afrika|Flugreisen|Australien und Neuseeland|Frühstückspensionen|Günstig reisen|Geschäftsreisen|US-Regionen|Camping|Kanada|Karibik|Kreuzfahrten|Osteuropa|Europa|Frankreich|Griechenland|Flitterwochen und Kurzreisen|Hotels|Italien|Japan|Mexiko und Mittelamerika|Nationalparks|Südamerika|Wellness|Freizeitparks|Reisen mit Kindern|Vereinigtes Königreich',
  'Immobilien|Wohnungen|Architekten|Hauskauf und -verkauf',
  'Einkaufen|Gewinnspiele und Gratisproben|Gutscheine|Preisvergleich|Produktsuchmaschinen',
  'Religion und Spiritualität|Alternative Religionen|Atheismus und Agnostizismus|Buddhismus|Katholizismus|Christentum|Hinduismus|Islam|Judentum|Heilige der Letzten Tage|Heidentum und Wicca',
  'Ohne Kategorie',
  'Nicht standardgemäße Inhalte|Unmoderierte Nutzerinhalte|Extreme Gewaltdarstellungen|Pornografie|Vulgäre Inhalte|Hassinhalte|Im Aufbau|Bezahlte Klicks',
  'Illegale Inhalte|Illegale Inhalte|Raubkopien|Spyware und Schadsoftware|Urheberrechtsverletzungen',
]

export const deCategories: Record<string, string> = Object.fromEntries(
  ROWS.flatMap((row, at) =>
    row.split('|').map((name, child) => [`IAB${at + 1}${child === 0 ? '' : `-${child}`}`, name]),
  ),
)
