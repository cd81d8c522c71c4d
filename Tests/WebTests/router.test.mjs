import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragmentOf, parseRoute, Router } from '../../web/js/router.js';

/** A window whose address the test changes. */
class FakeWindow extends EventTarget {
  location = { hash: '' };
  goTo(hash) {
    this.location.hash = hash;
    this.dispatchEvent(new Event('hashchange'));
  }
}

test('each view has a fragment, and everything else is the view "now"', () => {
  for (const view of ['now', 'queue', 'library', 'search', 'settings']) assert.deepEqual(parseRoute(`#/${view}`), { view, path: '' });
  for (const fragment of ['', '#', '#/', '#queue', '#/Queue', '#/other', '#token=abc', '#/now/x', '#/queue/1']) {
    assert.equal(parseRoute(fragment).path, '');
  }
  for (const fragment of ['', '#', '#/other', '#token=abc', '#//queue']) assert.equal(parseRoute(fragment).view, 'now');
});

test('a path survives the address, whatever it contains', () => {
  for (const path of ['/music/Low Tide', '/m/100%', '/m/#1?&=', '/m/ليالي', '/m/“x”\n', 'a/../b', '%2F', '<script>']) {
    assert.deepEqual(parseRoute(fragmentOf('library', path)), { view: 'library', path });
    assert.deepEqual(parseRoute(fragmentOf('search', path)), { view: 'search', path });
  }
  assert.equal(fragmentOf('library', '/a b/c'), '#/library//a%20b/c');
});

test('a fragment that is not percent-encoded names the view without a path', () => {
  assert.deepEqual(parseRoute('#/library/50%'), { view: 'library', path: '' });
});

test('a chosen view is an address of the browser, and Back returns', () => {
  const window = new FakeWindow();
  const router = new Router(window);
  const seen = [];
  router.addEventListener('change', () => seen.push(router.route));
  router.go('library', '/a');
  assert.equal(window.location.hash, '#/library//a');
  window.dispatchEvent(new Event('hashchange')); // The browser's own event for the same change.
  router.go('library', '/a');
  window.goTo('#/queue');
  window.goTo('');
  assert.deepEqual(seen, [{ view: 'library', path: '/a' }, { view: 'queue', path: '' }, { view: 'now', path: '' }]);
});

test('an address that the page changes itself is read on request', () => {
  const window = new FakeWindow();
  window.location.hash = '#token=x&/queue';
  const router = new Router(window);
  window.location.hash = '#/queue';
  router.update();
  assert.equal(router.route.view, 'queue');
});
