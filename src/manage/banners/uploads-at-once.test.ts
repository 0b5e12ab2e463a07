// How many uploads are read at once: each is in memory as a whole, for as long as its sender takes.

import { type ClientRequest, request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture, until } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
let url: string
let image: Buffer
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
  image = await picture(300, 250)
})
afterAll(() => service?.close())

/** Sends the beginning of an image, and no more. */
function slowUpload({ cuid, key, token }: Advertiser): ClientRequest {
  const sending = request(`${url}/creative?cuid=${cuid}`, {
    method: 'POST',
    headers: {
      'x-access-key': key,
      'x-access-token': token,
      'content-type': 'image/png',
      'content-length': image.length,
    },
  })
  sending.on('error', () => {})
  sending.write(image.subarray(0, 10))
  return sending
}

it('further ones of a customer are refused before they are sent; others are not kept waiting', async () => {
  const [ann, bob] = [await newAdvertiser(service), await newAdvertiser(service)]
  const upload = (who: Advertiser) => who.call('POST', '/creative', image, { 'content-type': 'image/png' })
  const statuses: number[] = []
  const slow = Array.from({ length: 14 }, () => {
    const sending = slowUpload(ann)
    sending.on('response', answer => void statuses.push(answer.resume().statusCode!))
    return sending
  })
  await until(async () => (statuses.length >= 2 ? true : null))
  const another = await upload(ann)
  expect([another.status, another.body.reason]).toEqual([429, 'too_many_at_once_of_customer'])
  expect((await upload(bob)).status).toBe(201)
  expect(statuses).toEqual([429, 429])
  for (const sending of slow) sending.destroy()
  await until(async () => ((await upload(ann)).status === 201 ? true : null))
  for (let i = 0; i < 15; i++) expect((await upload(ann)).status).toBe(201)
})
