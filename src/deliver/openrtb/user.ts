// The visitor of a bid request: agent, device, gender, age and the key for frequency caps.

import { ageBandOfBirthYear } from '../audience/demography.ts'
import { type Agent, deviceOf, handheldOf } from '../audience/device.ts'
import type { UserSigns } from '../audience/user.ts'
import type { AgeBand, Device, Gender } from '../targeting/request.ts'
import { addressOf } from './geo.ts'
import { type Fields, fieldsOf, numberOf, textOf } from './read.ts'

const LONGEST_UA = 2048
const LONGEST_ID = 1024

export function agentOf(device: Fields | null): Agent {
  const sua = device && fieldsOf(device.sua)
  const platform = sua && fieldsOf(sua.platform)
  const mobile = sua?.mobile
  return {
    ua: device && textOf(device.ua, LONGEST_UA),
    hintMobile: mobile === 1 || mobile === true ? true : mobile === 0 || mobile === false ? false : null,
    hintPlatform: platform && textOf(platform.brand, 64),
  }
}

/** By AdCOM's device types; televisions, set-top boxes and billboards are not among our devices. */
export function deviceOfRequest(device: Fields | null, agent: Agent): Device | null {
  switch (device?.devicetype) {
    case 1:
      return handheldOf(agent)
    case 2:
      return 'desktop'
    case 4:
      return 'mobile'
    case 5:
      return 'tablet'
    case 3:
    case 6:
    case 7:
    case 8:
      return null
    default:
      return deviceOf(agent)
  }
}

export function genderOf(user: Fields | null): Gender | null {
  const gender = user?.gender
  if (gender === 'M' || gender === 'm') return 'male'
  return gender === 'F' || gender === 'f' ? 'female' : null
}

export function ageOf(user: Fields | null, nowMs: number): AgeBand | null {
  const birthYear = user && numberOf(user.yob)
  return birthYear === null ? null : ageBandOfBirthYear(birthYear, nowMs)
}

export function userSignsOf(user: Fields | null, device: Fields | null, agent: Agent): UserSigns {
  return {
    userId: user && textOf(user.id, LONGEST_ID),
    buyerId: user && textOf(user.buyeruid, LONGEST_ID),
    advertisingId: device && textOf(device.ifa, LONGEST_ID),
    cookieId: null,
    cookieFirstKey: null,
    ip: addressOf(device),
    ua: agent.ua,
  }
}
