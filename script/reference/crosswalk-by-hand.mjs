// Cases of the crosswalk to ISO 3166-2 that neither a code nor a name settles, decided by hand from the standard.

/** Countries whose codes were given to other regions in a later edition: for them, only names count. */
export const RENUMBERED = new Set(['IR'])

/** Region of iso3166-2-db → today's code; null if it was dissolved or has no single successor. */
export const REGION_BY_HAND = {
  'AF-ORU': 'URU',
  'AZ-NV': 'NX',
  'BH-19': '17',
  'CN-15': 'NM',
  'CN-54': 'XZ',
  'CZ-712': '71',
  'EE-44': '45',
  'EE-49': '50',
  'EE-51': '52',
  'EE-57': '56',
  'EE-59': '60',
  'EE-65': '64',
  'EE-67': '68',
  'EE-70': '71',
  'EE-78': '79',
  'EE-82': '81',
  'EE-86': '87',
  'ES-LO': 'RI',
  'ES-MU': 'MC',
  'ES-PM': 'IB',
  'FR-COR': '20R',
  'GN-LA': 'L',
  'IN-DD': 'DH',
  'IN-DN': 'DH',
  'IR-01': '03',
  'IR-08': '14',
  'IR-13': '11',
  'IR-18': '17',
  'KH-3': '6',
  'KH-6': '3',
  'KR-22': '50',
  'KZ-ALA': '75',
  'KZ-ALM': '19',
  'KZ-YUZ': '61',
  'TD-23': 'BO',
}

/** GeoNames admin1 → today's code, if iso3166-2-db does not know the admin1 code or has it wrong. */
export const ADMIN_BY_HAND = {
  'BH/17': '14',
  'BW/12': 'CH',
  'BW/13': 'FR',
  'BW/14': 'GA',
  'BW/16': 'LO',
  'BW/17': 'SP',
  'CG/15': '16',
  'CL/18': 'NB',
  'GH/12': 'AF',
  'GH/13': 'BO',
  'GH/14': 'BE',
  'ID/39': 'PB',
  'IN/41': 'LA',
  'KZ/1537272': '79',
  'LV/31': '113',
  'MA/EH': '12',
  'NO/21': '50',
  'NO/30': '30',
  'NO/34': '34',
  'NO/38': '38',
  'NO/42': '42',
  'NO/46': '46',
  'NO/54': '54',
  'NZ/F1': 'GIS',
  'QA/14': 'SH',
  'SL/05': 'NW',
  'ST/02': '01',
  'TZ/30': '29',
  'TZ/32': '31',
  'TW/01': 'KIN',
  'TW/02': 'KHH',
  'YE/16': 'SN',
}
for (const n of ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12']) {
  // For Morocco the source mixes the names of the old and the new regions.
  REGION_BY_HAND[`MA-${n}`] = null
  ADMIN_BY_HAND[`MA/${n}`] = n
}
for (const n of [1, 2, 3, 4, 5, 6, 7]) ADMIN_BY_HAND[`NP/${n}`] = `P${n}`
// Madagascar's 22 regions are parts of the six provinces that ISO lists; the first digit says which one.
const MADAGASCAR = { 1: 'T', 2: 'F', 3: 'A', 4: 'M', 5: 'U', 7: 'D' }
for (const [digit, province] of Object.entries(MADAGASCAR)) {
  for (const n of [1, 2, 3, 4, 5]) ADMIN_BY_HAND[`MG/${digit}${n}`] = province
}

/**
 * Admin1 codes that span several ISO regions ('Central Serbia', 'Taiwan'): decided city by city; the rest is left out.
 */
export const SPANNING = new Set(['RS/SE', 'TW/03', 'TW/04', 'PS/WE', 'PS/GZ'])
export const CITY_BY_HAND = {
  'RS/Belgrade': '00',
  'RS/Zemun': '00',
  'RS/Niš': '20',
  'RS/Kragujevac': '12',
  'RS/Čačak': '17',
  'RS/Leskovac': '23',
  'RS/Kraljevo': '18',
  'RS/Novi Pazar': '18',
  'RS/Kruševac': '19',
  'RS/Užice': '16',
  'RS/Smederevo': '10',
  'RS/Valjevo': '09',
  'TW/Taipei': 'TPE',
  'TW/Banqiao': 'NWT',
  'TW/Taichung': 'TXG',
  'TW/Tainan': 'TNN',
  'TW/Hsinchu': 'HSZ',
  'TW/Taoyuan City': 'TAO',
  'TW/Keelung': 'KEE',
  'TW/Hualien City': 'HUA',
  'TW/Yuanlin': 'CHA',
  'TW/Taitung City': 'TTT',
  'TW/Nantou': 'NAN',
  'TW/Douliu': 'YUN',
  'TW/Yilan': 'ILA',
  'PS/Gaza': 'GZA',
  'PS/Khān Yūnis': 'KYS',
  'PS/Hebron': 'HBN',
  'PS/Nablus': 'NBS',
  'PS/Bethlehem': 'BTH',
  'SS/Juba': 'EC',
  'SS/Wau': 'BW',
  'SS/Malakal': 'NU',
}
