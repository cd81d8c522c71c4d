import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchPresence } from '../../web/js/link/presence.js';
import { FakeTimers } from './fakes.mjs';

/** Returns a fake page whose visibility the test changes, and the calls of the callbacks. */
function rig(visibilityState = 'visible') {
  const told = [];
  const timers = new FakeTimers();
  const page = Object.assign(new EventTarget(), { visibilityState });
  const view = new EventTarget();
  watchPresence({ seen: () => told.push('seen'), hidden: () => told.push('hidden'), left: () => told.push('left') }, { page, view, timers });
  const show = (visibilityState) => {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  return { told, timers, show, view };
}

test('a page hidden for a moment keeps its connection', () => {
  const { told, timers, show } = rig();
  show('hidden');
  timers.advance(59);
  show('visible');
  timers.advance(120);
  assert.deepEqual(told, ['hidden', 'seen']);
});

test('a page hidden for a minute releases its connection, and is updated at once when it is visible again', () => {
  const { told, timers, show } = rig();
  show('hidden');
  timers.advance(61);
  show('visible');
  assert.deepEqual(told, ['hidden', 'left', 'seen']);
});

test('a network that returns and the back-forward cache are reported too', () => {
  const { told, view } = rig();
  for (const type of ['online', 'pagehide', 'pageshow']) view.dispatchEvent(new Event(type));
  assert.deepEqual(told, ['seen', 'left', 'seen']);
});

test('a page that was opened in the background and is never shown releases its connection after a minute', () => {
  const { told, timers } = rig('hidden');
  timers.advance(59);
  assert.deepEqual(told, []);
  timers.advance(2);
  assert.deepEqual(told, ['left']);
});
