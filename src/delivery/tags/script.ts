// The text of GET /tag.js. It finds the script elements that carry data-source (itself, and any other tag on the
// page that has not been served), and puts an iframe of /ad.html in their place. Plain old JavaScript, no globals,
// no inline code or style text in the page: a policy that lets the script and its frame load is enough. Where the page
// has a consent platform, what the visitor chose there goes along.

import { createHash } from 'node:crypto'

export const TAG_SCRIPT = `(function () {
  'use strict';
  var NAMES = ['source', 'size', 'country', 'region', 'city', 'lat', 'lon', 'cat', 'device', 'gender', 'age'];
  var DONE = 'data-marquee';

  function isTag(script) {
    return script && script.src && script.getAttribute('data-source') && !script.hasAttribute(DONE) &&
      /\\/tag\\.js(?:[?#]|$)/.test(script.src);
  }

  function pageUrl() {
    var here = window.location;
    if (/^https?:$/.test(here.protocol)) return here.origin + here.pathname;
    return /^https?:/.test(document.referrer) ? document.referrer.split(/[?#]/)[0] : '';
  }

  function address(script, consent) {
    var query = [];
    NAMES.forEach(function (name) {
      var value = script.getAttribute('data-' + name);
      if (value) query.push(name + '=' + encodeURIComponent(value));
    });
    if (consent) {
      query.push('gdpr=' + (consent.gdprApplies ? 1 : 0));
      if (consent.tcString) query.push('gdpr_consent=' + encodeURIComponent(consent.tcString));
    }
    var page = script.getAttribute('data-page') || pageUrl();
    if (page) query.push('page=' + encodeURIComponent(page.slice(0, 1000)));
    return script.src.split(/[?#]/)[0].slice(0, -'tag.js'.length) + 'ad.html?' + query.join('&');
  }

  // The page's consent platform (IAB TCF 2), where there is one: the visitor's choice, or after a second none, which
  // is no consent where the platform has said that consent is needed.
  function withConsent(done) {
    var isDone = false;
    var unchosen = null;
    function finish(consent) {
      if (isDone) return;
      isDone = true;
      done(consent);
    }
    if (typeof window.__tcfapi !== 'function') return finish(null);
    window.setTimeout(function () { finish(unchosen); }, 1000);
    try {
      window.__tcfapi('addEventListener', 2, function (consent, isFine) {
        var isUsable = isFine && consent && typeof consent.gdprApplies === 'boolean' &&
          (!consent.gdprApplies || /^(?:tcloaded|useractioncomplete)$/.test(consent.eventStatus));
        if (isFine && consent && consent.gdprApplies === true) unchosen = { gdprApplies: true };
        if (!isUsable || isDone) return;
        if (consent.listenerId) window.__tcfapi('removeEventListener', 2, function () {}, consent.listenerId);
        finish(consent);
      });
    } catch (error) {
      finish(null);
    }
  }

  function resize(frame, width, height) {
    frame.width = String(width);
    frame.height = String(height);
    frame.style.width = width + 'px';
    frame.style.height = height + 'px';
    frame.style.display = width > 0 && height > 0 ? 'inline-block' : 'none';
  }

  function place(script) {
    script.setAttribute(DONE, 'done');
    var size = /^\\s*(\\d{1,4})x(\\d{1,4})/i.exec(script.getAttribute('data-size') || '');
    if (!size) return;
    var frame = document.createElement('iframe');
    frame.title = 'Advertisement';
    frame.setAttribute('scrolling', 'no');
    frame.setAttribute('frameborder', '0');
    frame.referrerPolicy = 'strict-origin-when-cross-origin';
    frame.style.border = '0';
    frame.style.maxWidth = '100%';
    frame.style.verticalAlign = 'bottom';
    resize(frame, Number(size[1]), Number(size[2]));
    window.addEventListener('message', function (event) {
      var said = event.data;
      if (event.source !== frame.contentWindow || !said || said.marquee !== 'size') return;
      if (said.width >= 0 && said.width < 10000 && said.height >= 0 && said.height < 10000) {
        resize(frame, Number(said.width), Number(said.height));
      }
    });
    var target = script.getAttribute('data-target');
    var home = target ? document.getElementById(target) : null;
    if (home) home.appendChild(frame);
    else if (script.parentNode && script.parentNode !== document.head) {
      script.parentNode.insertBefore(frame, script.nextSibling);
    } else if (document.body) document.body.appendChild(frame);
    withConsent(function (consent) { frame.src = address(script, consent); });
  }

  if (isTag(document.currentScript)) place(document.currentScript);
  Array.prototype.slice.call(document.querySelectorAll('script[data-source]')).filter(isTag).forEach(place);
})();
`

export const TAG_SCRIPT_HEADERS: Record<string, string> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  etag: `"${createHash('sha256').update(TAG_SCRIPT).digest('base64url').slice(0, 22)}"`,
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
}
