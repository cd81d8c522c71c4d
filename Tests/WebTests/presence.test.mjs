import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchPresence } from '../../web/js/presence.js';
import { makeTicker } from '../../web/js/ticker.js';
import { FakeTimers } from './fakes.mjs';

/** A page whose visibility the test changes, and what was told. */
function rig() {
  const told = [];
  const timers = new FakeTimers();
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
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

test('a page hidden for a minute lets it go, and is right at once when it is seen again', () => {
  const { told, timers, show } = rig();
  show('hidden');
  timers.advance(61);
  show('visible');
  assert.deepEqual(told, ['hidden', 'left', 'seen']);
});

test('the network and the back-forward cache wake it too', () => {
  const { told, view } = rig();
  for (const type of ['online', 'pagehide', 'pageshow']) view.dispatchEvent(new Event(type));
  assert.deepEqual(told, ['seen', 'left', 'seen']);
});

test('frames are asked for only while the time moves and is seen', () => {
  const asked = new Map();
  let next = 1;
  const now = { isMoving: false, isSeen: true, drawn: 0 };
  const ticker = makeTicker(() => now.isMoving, () => (now.drawn += 1), {
    request: (action) => (asked.set(next, action), next++),
    cancel: (frame) => asked.delete(frame),
    areSeen: () => now.isSeen,
  });
  const repaint = () => {
    for (const [frame, action] of [...asked]) {
      asked.delete(frame);
      action();
    }
  };
  ticker.check();
  assert.equal(asked.size, 0); // paused
  now.isMoving = true;
  ticker.check();
  ticker.check();
  assert.equal(asked.size, 1); // once for each repaint, however often the state changes
  repaint();
  repaint();
  assert.equal(now.drawn, 2);
  now.isSeen = false;
  ticker.check();
  assert.equal(asked.size, 0); // hidden: even the frame under way is taken back
  now.isSeen = true;
  ticker.check();
  now.isMoving = false;
  repaint();
  assert.deepEqual([now.drawn, asked.size], [3, 0]); // the last frame shows where it stopped
});
