// The text of GET /tag.js. It finds script elements with data-source, and puts an iframe of /ad.html after each, whose
// ad loads as soon as it is near the screen. A tag with one size keeps its place even without an ad, so that nothing
// moves. It is old JavaScript with one global (`marquee`), and needs only a content policy that allows the script and
// its frame. Errors go to the browser's console. The choices made in the page's consent platforms are passed on. It is
// sent without its comments.

import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export const TAG_SCRIPT = `(function () {
  'use strict';
  var NAMES = ['source', 'size', 'country', 'region', 'city', 'lat', 'lon', 'cat', 'device', 'gender', 'age'];
  var OTHERS = ['page', 'target', 'watch', 'collapse', 'fallback', 'marquee'];
  var DONE = 'data-marquee';
  // As people write it: 300x250, 300 x 250, 300×250; several separated by commas.
  var SIZE = /(\\d{1,4})\\s*[x×*]\\s*(\\d{1,4})/gi;
  // How far below (or above) the screen an ad is requested.
  var NEAR = '300px 0px';
  // The consent platforms of the IAB: TCF 2, GPP and US Privacy.
  var PLATFORMS = { __tcfapi: askTcf, __gpp: askGpp, __uspapi: askUsPrivacy };

  var marquee = window.marquee;
  // It may be an element with that id.
  if (marquee && marquee.nodeType) marquee = window.marquee = null;
  if (marquee && !marquee.places) say('window.marquee is something else in this page, so marquee.refresh() is not there');
  if (!marquee || !marquee.places) marquee = { places: [], refresh: refresh };
  if (!window.marquee) window.marquee = marquee;

  function say(problem) {
    if (window.console && window.console.error) window.console.error('marquee: ' + problem);
  }

  function isTag(script) {
    return script && script.src && !script.hasAttribute(DONE) && /\\/tag\\.js(?:[?#]|$)/.test(script.src);
  }

  // Other programs have attributes of their own, so only what is nearly one of ours is taken for a mistake.
  function checkSpelling(script) {
    if (!script.getAttributeNames) return;
    var known = NAMES.concat(OTHERS);
    script.getAttributeNames().forEach(function (attribute) {
      var name = attribute.slice('data-'.length);
      if (attribute.indexOf('data-') !== 0 || name.indexOf('attr-') === 0 || known.indexOf(name) >= 0) return;
      var meant = known.filter(function (one) { return one.length > 3 && isNearly(name, one); })[0];
      if (meant) say(attribute + ' is not an attribute of a tag; did you mean data-' + meant + '?');
    });
  }

  // One letter too many, too few or wrong, or two that follow each other exchanged.
  function isNearly(name, known) {
    var at = 0;
    while (at < known.length && name[at] === known[at]) at++;
    var a = name.slice(at), b = known.slice(at);
    return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) ||
      a === b.charAt(1) + b.charAt(0) + b.slice(2);
  }

  function sizesOf(text) {
    var sizes = [];
    text.replace(SIZE, function (_, width, height) { sizes.push([Number(width), Number(height)]); return ''; });
    return sizes;
  }

  function pageUrl() {
    var here = window.location;
    if (/^https?:$/.test(here.protocol)) return here.origin + here.pathname;
    return /^https?:/.test(document.referrer) ? document.referrer.split(/[?#]/)[0] : '';
  }

  function address(script, sizes, consent) {
    var query = [];
    NAMES.forEach(function (name) {
      var value = script.getAttribute('data-' + name);
      if (name === 'size') value = sizes.map(function (size) { return size.join('x'); }).join(',');
      if (value) query.push(name + '=' + encodeURIComponent(value));
    });
    // What the page says of itself: data-attr-section="sport".
    Array.prototype.forEach.call(script.attributes, function (attribute) {
      if (attribute.name.indexOf('data-attr-') !== 0 || !attribute.value) return;
      query.push('attr.' + encodeURIComponent(attribute.name.slice('data-attr-'.length)) + '=' +
        encodeURIComponent(attribute.value.slice(0, 1000)));
    });
    Object.keys(consent).forEach(function (name) { query.push(name + '=' + encodeURIComponent(consent[name])); });
    var page = script.getAttribute('data-page') || pageUrl();
    if (page) query.push('page=' + encodeURIComponent(page.slice(0, 1000)));
    return script.src.split(/[?#]/)[0].slice(0, -'tag.js'.length) + 'ad.html?' + query.join('&');
  }

  // Passes on the visitor's choices in the page's consent platforms, as query parameters. No choice within a second
  // means no consent if the platform has said that consent is needed.
  function withConsent(done) {
    var said = {};
    var isDone = false;
    var names = Object.keys(PLATFORMS).filter(function (name) { return typeof window[name] === 'function'; });
    var left = names.length;
    function finish() {
      if (isDone) return;
      isDone = true;
      done(said);
    }
    if (left === 0) return finish();
    window.setTimeout(finish, 1000);
    names.forEach(function (name) {
      var isAnswered = false;
      // Returns false if it has been answered before.
      function answer() {
        if (isAnswered) return false;
        isAnswered = true;
        left -= 1;
        if (left === 0) finish();
        return true;
      }
      try { PLATFORMS[name](said, answer); } catch (error) { answer(); }
    });
  }

  function askTcf(said, answer) {
    window.__tcfapi('addEventListener', 2, function (consent, isFine) {
      if (!isFine || !consent || typeof consent.gdprApplies !== 'boolean') return;
      said.gdpr = consent.gdprApplies ? 1 : 0;
      if (consent.gdprApplies && !/^(?:tcloaded|useractioncomplete)$/.test(consent.eventStatus)) return;
      if (consent.tcString) said.gdpr_consent = consent.tcString;
      if (answer() && consent.listenerId) {
        window.__tcfapi('removeEventListener', 2, function () {}, consent.listenerId);
      }
    });
  }

  function askGpp(said, answer) {
    window.__gpp('addEventListener', function (event) {
      var status = event && event.pingData;
      if (!status) return;
      if (status.applicableSections && status.applicableSections.length) {
        said.gpp_sid = status.applicableSections.join(',');
      }
      if (status.signalStatus !== 'ready') return;
      if (status.gppString) said.gpp = status.gppString;
      if (answer() && event.listenerId) window.__gpp('removeEventListener', function () {}, event.listenerId);
    });
  }

  function askUsPrivacy(said, answer) {
    window.__uspapi('getUSPData', 1, function (choice, isFine) {
      if (isFine && choice && choice.uspString) said.us_privacy = choice.uspString;
      answer();
    });
  }

  function resize(frame, width, height) {
    frame.width = String(width);
    frame.height = String(height);
    frame.style.width = width + 'px';
    frame.style.height = height + 'px';
    frame.style.display = 'inline-block';
  }

  function newFrame(size) {
    var frame = document.createElement('iframe');
    frame.title = 'Advertisement';
    frame.setAttribute('scrolling', 'no');
    frame.setAttribute('frameborder', '0');
    frame.referrerPolicy = 'strict-origin-when-cross-origin';
    frame.style.border = '0';
    frame.style.maxWidth = '100%';
    frame.style.verticalAlign = 'bottom';
    resize(frame, size[0], size[1]);
    return frame;
  }

  // The page's own content for a place without an ad.
  function showFallback(place, isShown) {
    var id = place.script.getAttribute('data-fallback');
    var fallback = id ? document.getElementById(id) : null;
    if (id && !fallback && isShown) say('there is no element with the id "' + id + '" (data-fallback)');
    if (!fallback) return false;
    if (isShown) place.frame.parentNode.insertBefore(fallback, place.frame);
    fallback.hidden = !isShown;
    return true;
  }

  function close(place) {
    var isReserved = place.sizes.length === 1 && !place.script.hasAttribute('data-collapse');
    if (showFallback(place, true) || !isReserved) place.frame.style.display = 'none';
    else place.frame.style.visibility = 'hidden';
  }

  function homeOf(script) {
    var target = script.getAttribute('data-target');
    return target ? document.getElementById(target) : null;
  }

  // The element in or next to which the frame of a place belongs; null: it is not in the page.
  function spotOf(place) {
    if (isInPage(place.frame)) return place.frame;
    var spot = place.script.getAttribute('data-target') ? homeOf(place.script) : place.script;
    return spot && isInPage(spot) ? spot : null;
  }

  function sayMissing(script, what) {
    say('there is no element with the id "' + script.getAttribute('data-target') + '" (data-target); ' + what);
  }

  function putIn(place) {
    var script = place.script;
    var home = homeOf(script);
    if (home) return void home.appendChild(place.frame);
    if (script.getAttribute('data-target')) sayMissing(script, 'the ad is shown at its script');
    if (script.parentNode && script.parentNode !== document.head) {
      script.parentNode.insertBefore(place.frame, script.nextSibling);
    } else if (document.body) document.body.appendChild(place.frame);
  }

  function whenNear(place, then) {
    if (!window.IntersectionObserver) return then();
    var observer = place.observer = new window.IntersectionObserver(function (entries) {
      if (!entries.some(function (entry) { return entry.isIntersecting; })) return;
      observer.disconnect();
      place.observer = null;
      then();
    }, { rootMargin: NEAR });
    observer.observe(place.frame);
  }

  function fill(place) {
    var frame = place.frame;
    place.isWaiting = true;
    whenNear(place, function () {
      withConsent(function (consent) {
        place.isWaiting = false;
        frame.src = address(place.script, place.sizes, consent);
      });
    });
  }

  function place(script) {
    script.setAttribute(DONE, 'done');
    checkSpelling(script);
    if (!script.getAttribute('data-source') && !script.getAttribute('data-size')) return;
    if (!script.getAttribute('data-source')) return say('a tag has no data-source, the public key of the site');
    var text = script.getAttribute('data-size') || '';
    var sizes = sizesOf(text);
    if (sizes.length === 0) return say('data-size must be a size such as 300x250; this tag has "' + text + '"');
    var made = { script: script, sizes: sizes, frame: newFrame(sizes[0]), observer: null, isWaiting: false };
    marquee.places.push(made);
    if (isWatched(made)) {
      watch();
      if (!spotOf(made)) return;
    }
    putIn(made);
    fill(made);
  }

  function isWatched(known) {
    return known.script.hasAttribute('data-watch');
  }

  // Fills places whose element the page has rendered again, or for the first time.
  function watch() {
    if (marquee.watcher || !window.MutationObserver) return;
    marquee.watcher = new window.MutationObserver(function () {
      marquee.places.forEach(function (known) {
        if (isWatched(known) && !isInPage(known.frame) && spotOf(known)) renew(known);
      });
    });
    marquee.watcher.observe(document.documentElement, { childList: true, subtree: true });
  }

  // Each ad gets a new frame, because a frame that changes its address would add to the reader's history.
  function renew(known) {
    var old = known.frame;
    if (known.observer) known.observer.disconnect();
    known.frame = newFrame(known.sizes[0]);
    showFallback(known, false);
    if (isInPage(old)) old.parentNode.replaceChild(known.frame, old);
    else putIn(known);
    fill(known);
  }

  // Loads new ads everywhere, or at this id or element. An element that was rendered again gets its ad again.
  function refresh(where) {
    var home = typeof where === 'string' ? document.getElementById(where) : where;
    if (where && !home) return say('refresh: there is no element with the id "' + where + '"');
    marquee.places = marquee.places.filter(function (known) {
      return spotOf(known) || known.script.getAttribute('data-target');
    });
    marquee.places.forEach(function (known) {
      var spot = spotOf(known);
      if (!spot) return home || isWatched(known) ? undefined : sayMissing(known.script, 'there is no ad');
      if (isInPage(known.frame) && known.isWaiting) return;
      if (!home || home === known.script || home.contains(spot)) renew(known);
    });
    placeAll();
  }

  function isInPage(node) {
    return document.documentElement.contains(node);
  }

  function placeAll() {
    Array.prototype.slice.call(document.querySelectorAll('script[data-source]')).filter(isTag).forEach(place);
  }

  if (!marquee.isListening) {
    marquee.isListening = true;
    window.addEventListener('message', function (event) {
      var said = event.data;
      if (!said || said.marquee !== 'size') return;
      if (!(said.width >= 0 && said.width < 10000 && said.height >= 0 && said.height < 10000)) return;
      marquee.places.forEach(function (known) {
        if (event.source !== known.frame.contentWindow) return;
        if (said.width > 0 && said.height > 0) resize(known.frame, Number(said.width), Number(said.height));
        else close(known);
      });
    });
  }
  if (isTag(document.currentScript)) place(document.currentScript);
  placeAll();
})();
`.replace(/^ *\/\/.*\n/gm, '')

/** The script in the encodings that browsers accept; made once. */
export const TAG_SCRIPT_BODIES: Record<'br' | 'gzip' | 'identity', Buffer> = {
  br: brotliCompressSync(TAG_SCRIPT),
  gzip: gzipSync(TAG_SCRIPT, { level: 9 }),
  identity: Buffer.from(TAG_SCRIPT),
}

export const TAG_SCRIPT_HEADERS: Record<string, string> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  vary: 'accept-encoding',
  etag: `"${createHash('sha256').update(TAG_SCRIPT).digest('base64url').slice(0, 22)}"`,
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
}
