// tag.js in a simulated page: where it puts its frames, what it passes on, and what it leaves alone.

import { describe, expect, test } from 'vitest'
import { type ConsentPlatform, frames, Node, page, TAG } from '../../../test/support/tag-page.ts'
import { TAG_SCRIPT, TAG_SCRIPT_HEADERS } from './script.ts'

describe('tag.js', () => {
  test('puts a frame of the right size after its own script element and passes on what the tag says', () => {
    const { body, scripts, run } = page([
      {
        src: TAG,
        'data-source': 'KEY&1',
        'data-size': '300x250',
        'data-city': 'Trois-Rivières',
        'data-age': '27',
      },
      { src: 'https://elsewhere.example.com/other.js' },
    ])
    run(scripts[0] as Node)
    const [frame] = frames(body)
    expect(body.children.indexOf(frame as Node)).toBe(1)
    const url = new URL(frame?.src as string)
    expect(url.origin + url.pathname).toBe('https://ads.example.net/marquee/ad.html')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      source: 'KEY&1',
      size: '300x250',
      city: 'Trois-Rivières',
      age: '27',
      page: 'https://news.example.com/story',
    })
    expect(frame?.style).toMatchObject({ width: '300px', height: '250px', border: '0' })
  })

  describe('if the page has a consent platform', () => {
    const oneTag = () => [{ src: TAG, 'data-source': 'K', 'data-size': '300x250' }]
    const pageWithTcf = (tcfapi: ConsentPlatform) => page(oneTag(), { platforms: { __tcfapi: tcfapi } })
    const consentIn = (body: Node) =>
      frames(body).map(({ src }) => {
        const { searchParams } = new URL(src)
        return [searchParams.get('gdpr'), searchParams.get('gdpr_consent')]
      })

    test('the visitor’s choice is passed on once it is made, and later choices change nothing', () => {
      const tell: ((...said: unknown[]) => void)[] = []
      const commands: string[] = []
      const { body, scripts, run, ringTimers } = pageWithTcf((command, _, listener) => {
        commands.push(command)
        if (command === 'addEventListener') tell.push(listener)
      })
      run(scripts[0] as Node)
      expect(frames(body)).toEqual([])
      tell[0]!({ gdprApplies: true, eventStatus: 'cmpuishown', tcString: 'not yet', listenerId: 1 }, true)
      expect(frames(body)).toEqual([])
      tell[0]!(
        { gdprApplies: true, eventStatus: 'useractioncomplete', tcString: 'CP+x', listenerId: 1 },
        true,
      )
      expect(consentIn(body)).toEqual([['1', 'CP+x']])
      tell[0]!(
        { gdprApplies: true, eventStatus: 'useractioncomplete', tcString: 'other', listenerId: 1 },
        true,
      )
      ringTimers()
      expect(consentIn(body)).toEqual([['1', 'CP+x']])
      expect(commands).toEqual(['addEventListener', 'removeEventListener'])
    })

    test('a visitor to whom no consent rule applies is marked as such', () => {
      const { body, scripts, run } = pageWithTcf((_, __, listener) =>
        listener({ gdprApplies: false, listenerId: 0 }, true),
      )
      run(scripts[0] as Node)
      expect(consentIn(body)).toEqual([['0', null]])
    })

    test('a visitor who has not chosen within a second has not consented', () => {
      const { body, scripts, run, ringTimers } = pageWithTcf((_, __, listener) =>
        listener({ gdprApplies: true, eventStatus: 'cmpuishown', tcString: 'not yet', listenerId: 1 }, true),
      )
      run(scripts[0] as Node)
      ringTimers()
      expect(consentIn(body)).toEqual([['1', null]])
    })

    test.each([
      ['never answers', () => {}],
      ['fails', (_: string, __: number, listener: (...said: unknown[]) => void) => listener(null, false)],
      [
        'throws',
        () => {
          throw new Error('broken')
        },
      ],
    ] as [string, ConsentPlatform][])('one that %s delays the ad by at most a second', (_, tcfapi) => {
      const { body, scripts, run, ringTimers } = pageWithTcf(tcfapi)
      run(scripts[0] as Node)
      ringTimers()
      expect(consentIn(body)).toEqual([[null, null]])
    })

    const CONSENT = ['gdpr', 'gdpr_consent', 'gpp', 'gpp_sid', 'us_privacy']
    const allConsentIn = (body: Node) =>
      frames(body).map(({ src }) => [...new URL(src).searchParams].filter(([name]) => CONSENT.includes(name)))

    test('a choice in GPP is passed on once it is ready, and its listener is removed', () => {
      const commands: string[] = []
      let tell: (event: unknown) => void = () => {}
      const { body, scripts, run, ringTimers } = page(oneTag(), {
        platforms: {
          __gpp: (command: string, listener: (event: unknown) => void) => {
            commands.push(command)
            if (command === 'addEventListener') tell = listener
          },
        },
      })
      run(scripts[0] as Node)
      const say = (signalStatus: string, gppString: string) =>
        tell({ listenerId: 7, pingData: { signalStatus, gppString, applicableSections: [7, 8] } })
      say('not ready', 'old')
      expect(frames(body)).toEqual([])
      for (const text of ['DBAB~B', 'later']) say('ready', text)
      ringTimers()
      expect(allConsentIn(body)).toEqual([
        [
          ['gpp_sid', '7,8'],
          ['gpp', 'DBAB~B'],
        ],
      ])
      expect(commands).toEqual(['addEventListener', 'removeEventListener'])
    })

    test('a choice in US Privacy is passed on, and every platform of a page is waited for', () => {
      let tell: (consent: unknown, isFine: boolean) => void = () => {}
      const { body, scripts, run } = page(oneTag(), {
        platforms: {
          __uspapi: (_: string, __: number, done: (choice: unknown, isFine: boolean) => void) =>
            done({ version: 1, uspString: '1YYN' }, true),
          __tcfapi: (_: string, __: number, listener: typeof tell) => {
            tell = listener
          },
          __gpp: () => {
            throw new Error('broken')
          },
        },
      })
      run(scripts[0] as Node)
      expect(frames(body)).toEqual([])
      tell({ gdprApplies: false }, true)
      expect(allConsentIn(body)).toEqual([
        [
          ['us_privacy', '1YYN'],
          ['gdpr', '0'],
        ],
      ])
    })

    test('sections that apply are passed on even if there is no choice within a second', () => {
      const { body, scripts, run, ringTimers } = page(oneTag(), {
        platforms: {
          __gpp: (_: string, listener: (event: unknown) => void) =>
            listener({ pingData: { signalStatus: 'not ready', gppString: 'old', applicableSections: [7] } }),
        },
      })
      run(scripts[0] as Node)
      ringTimers()
      expect(allConsentIn(body)).toEqual([[['gpp_sid', '7']]])
    })
  })

  test('several tags on a page get one frame each, however often the script runs', () => {
    const { body, scripts, run } = page([
      { src: TAG, 'data-source': 'K', 'data-size': '300x250' },
      { src: `${TAG}?v=2`, 'data-source': 'K', 'data-size': '728x90' },
    ])
    run(scripts[0] as Node)
    run(scripts[1] as Node)
    expect(frames(body).map(frame => frame.style.width)).toEqual(['300px', '728px'])
    expect(body.children.map(child => frames(body).includes(child))).toEqual([false, true, false, true])
  })

  test('works if the current script is unknown', () => {
    const { body, run } = page([{ src: TAG, 'data-source': 'K', 'data-size': '300x250' }])
    run(null)
    expect(frames(body)).toHaveLength(1)
  })

  test('ignores scripts of others, and says in the console what is wrong with its own', () => {
    const { body, scripts, said, run } = page([
      { src: 'https://other.example.com/widget.js', 'data-source': 'K', 'data-size': '300x250' },
      { src: TAG, 'data-source': 'K' },
      { src: TAG, 'data-source': 'K', 'data-size': 'large' },
      { src: TAG, 'data-size': '300x250' },
      { src: TAG },
    ])
    for (const script of [null, scripts[3], scripts[4]]) run(script as Node)
    expect(frames(body)).toEqual([])
    expect(said).toEqual([
      'marquee: data-size must be a size such as 300x250; this tag has ""',
      'marquee: data-size must be a size such as 300x250; this tag has "large"',
      'marquee: a tag has no data-source, the public key of the site',
    ])
  })

  test.each([
    ['300 x 250', '300x250'],
    ['300X250', '300x250'],
    [' 300×250 ', '300x250'],
    ['300x250 , 728 x 90', '300x250,728x90'],
    ['300x250px', '300x250'],
  ])('reads a size as people write it: %j', (written, meant) => {
    const { body, run } = page([{ src: TAG, 'data-source': 'K', 'data-size': written }])
    run(null)
    expect(new URL(frames(body)[0]!.src).searchParams.get('size')).toBe(meant)
  })

  test('marquee.refresh() asks for new ads, everywhere or in one place, in frames of their own', () => {
    const { body, homes, scripts, run, say, said, window } = page(
      [
        { src: TAG, 'data-source': 'K', 'data-size': '300x250', 'data-target': 'slot' },
        { src: TAG, 'data-source': 'K', 'data-size': '728x90' },
      ],
      { homes: ['slot', 'other'] },
    )
    run(scripts[0] as Node)
    run(scripts[1] as Node)
    const slot = homes.get('slot') as Node
    const [first, second] = [frames(slot)[0], frames(body)[0]]
    say({ source: first!.contentWindow, data: { marquee: 'size', width: 0, height: 0 } })
    window.marquee!.refresh('slot')
    expect(frames(slot)).toHaveLength(1)
    expect(frames(slot)[0]).not.toBe(first)
    expect(frames(slot)[0]!.style.display).toBe('inline-block')
    expect(frames(body)).toEqual([second])
    window.marquee!.refresh()
    expect(frames(body)).toHaveLength(1)
    expect(frames(body)[0]).not.toBe(second)
    const before = [...frames(slot), ...frames(body)]
    window.marquee!.refresh('other')
    window.marquee!.refresh('nowhere')
    expect([...frames(slot), ...frames(body)]).toEqual(before)
    expect(said).toEqual(['marquee: refresh: there is no element with the id "nowhere"'])
    // An element that is gone gets no ad, and one that was rendered again gets one again.
    body.children.splice(body.children.indexOf(slot), 1)
    homes.delete('slot')
    window.marquee!.refresh()
    expect(frames(slot)).toEqual([before[0]])
    expect(said.at(-1)).toBe('marquee: there is no element with the id "slot" (data-target); there is no ad')
    const anew = new Node({ id: 'slot' })
    homes.set('slot', anew)
    body.appendChild(anew)
    window.marquee!.refresh('slot')
    expect(frames(anew)).toHaveLength(1)
  })

  test('a misspelt attribute is told with the right one, and those of other programs are left alone', () => {
    const { scripts, run, said } = page([
      {
        src: TAG,
        'data-source': 'K',
        'data-sise': '300x250',
        'data-contry': 'CA',
        'data-fallbakc': 'house',
        'data-targets': 'slot',
        'data-cookieconsent': 'marketing',
        'data-nscript': 'afterInteractive',
        'data-lon': '1',
      },
    ])
    run(scripts[0] as Node)
    expect(said).toEqual([
      'marquee: data-sise is not an attribute of a tag; did you mean data-size?',
      'marquee: data-contry is not an attribute of a tag; did you mean data-country?',
      'marquee: data-fallbakc is not an attribute of a tag; did you mean data-fallback?',
      'marquee: data-targets is not an attribute of a tag; did you mean data-target?',
      'marquee: data-size must be a size such as 300x250; this tag has ""',
    ])
  })

  test('with data-watch, an element that appears later or is rendered again gets its ad automatically', () => {
    const { body, homes, scripts, run, said, mutate } = page(
      [{ src: TAG, 'data-source': 'K', 'data-size': '300x250', 'data-target': 'slot', 'data-watch': '' }],
      {},
    )
    run(scripts[0] as Node)
    expect(frames(body)).toEqual([])
    for (let time = 0; time < 2; time++) {
      const slot = new Node({ id: 'slot' })
      homes.set('slot', slot)
      body.appendChild(slot)
      mutate()
      mutate()
      expect(frames(slot)).toHaveLength(1)
      body.children.splice(body.children.indexOf(slot), 1)
      homes.delete('slot')
      mutate()
    }
    expect(said).toEqual([])
  })

  test('the page keeps a variable named marquee, and an element with that id is ignored', () => {
    const own = { refresh: () => {} }
    const taken = page([{ src: TAG, 'data-source': 'K', 'data-size': '300x250' }], { marquee: own })
    taken.run(null)
    expect(frames(taken.body)).toHaveLength(1)
    expect([taken.window.marquee === own, taken.said.length]).toEqual([true, 1])
    const named = page([{ src: TAG, 'data-source': 'K', 'data-size': '300x250' }], {
      marquee: { nodeType: 1 },
    })
    named.run(null)
    expect([typeof named.window.marquee?.refresh, named.said]).toEqual(['function', []])
  })

  test('data-target names another place; the ad of a tag in the head is put into the body', () => {
    const named = page([{ src: TAG, 'data-source': 'K', 'data-size': '300x250', 'data-target': 'slot' }], {
      homes: ['slot'],
    })
    named.run(named.scripts[0] as Node)
    expect(frames(named.homes.get('slot') as Node)).toHaveLength(1)
    const inHead = page([{ src: TAG, 'data-source': 'K', 'data-size': '300x250' }], { inHead: true })
    inHead.run(inHead.scripts[0] as Node)
    expect(frames(inHead.body)).toHaveLength(1)
  })

  test('the frame takes the size of its ad, closes without one, and listens to nobody else', () => {
    const { body, scripts, run, say } = page([
      { src: TAG, 'data-source': 'K', 'data-size': '300x250,728x90' },
    ])
    run(scripts[0] as Node)
    const frame = frames(body)[0] as Node
    say({ source: {}, data: { marquee: 'size', width: 1, height: 1 } })
    say({ source: frame.contentWindow, data: { marquee: 'size', width: 1e9, height: 1 } })
    say({ source: frame.contentWindow, data: null })
    expect(frame.style.width).toBe('300px')
    say({ source: frame.contentWindow, data: { marquee: 'size', width: 728, height: 90 } })
    expect(frame.style).toMatchObject({ width: '728px', height: '90px', display: 'inline-block' })
    say({ source: frame.contentWindow, data: { marquee: 'size', width: 0, height: 0 } })
    expect(frame.style.display).toBe('none')
  })

  test('without an ad, a tag of one size keeps its place, unless it collapses or has a fallback', () => {
    const { body, homes, scripts, run, say, said, window } = page(
      [
        { src: TAG, 'data-source': 'K', 'data-size': '300x250' },
        { src: TAG, 'data-source': 'K', 'data-size': '300x250', 'data-collapse': '' },
        { src: TAG, 'data-source': 'K', 'data-size': '300x250', 'data-fallback': 'house' },
        { src: TAG, 'data-source': 'K', 'data-size': '300x250', 'data-fallback': 'nobody' },
      ],
      { homes: ['house'] },
    )
    run(scripts[0] as Node)
    const made = frames(body)
    for (const { contentWindow } of made)
      say({ source: contentWindow, data: { marquee: 'size', width: 0, height: 0 } })
    expect(made.map(({ style }) => [style.display, style.visibility])).toEqual([
      ['inline-block', 'hidden'],
      ['none', undefined],
      ['none', undefined],
      ['inline-block', 'hidden'],
    ])
    expect(said).toEqual(['marquee: there is no element with the id "nobody" (data-fallback)'])
    const house = homes.get('house') as Node
    expect([house.hidden, body.children.indexOf(made[2]!) - body.children.lastIndexOf(house)]).toEqual([
      false,
      1,
    ])
    window.marquee!.refresh()
    expect(house.hidden).toBe(true)
  })

  test('contains nothing that a strict content policy forbids', () => {
    expect(TAG_SCRIPT).not.toMatch(/\beval\b|new Function|innerHTML|document\.write|cssText|javascript:/)
    expect(TAG_SCRIPT_HEADERS['content-type']).toBe('text/javascript; charset=utf-8')
  })
})
