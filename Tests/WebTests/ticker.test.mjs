import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTicker } from '../../web/js/ticker.js';
import { FakeTimers } from './fakes.mjs';

/** Returns a ticker whose repaints, timers and conditions the test controls. `pause` is the time that `draw` returns, in seconds. */
function rig() {
  const asked = new Map();
  const timers = new FakeTimers();
  const now = { isMoving: true, isSeen: true, drawn: 0, pause: 0 };
  let next = 1;
  const frames = { request: (action) => (asked.set(next, action), next++), cancel: (frame) => asked.delete(frame), areSeen: () => now.isSeen };
  const draw = () => {
    now.drawn += 1;
    return now.pause;
  };
  const ticker = makeTicker(() => now.isMoving, draw, { frames, timers });
  const repaint = () => {
    for (const [frame, action] of [...asked]) {
      asked.delete(frame);
      action();
    }
  };
  return { asked, timers, now, ticker, repaint };
}

test('while nothing moves, no repaint is requested', () => {
  const { asked, timers, now, ticker } = rig();
  now.isMoving = false;
  ticker.check();
  assert.deepEqual([asked.size, timers.count], [0, 0]);
});

test('fast movement is drawn at each repaint, once, however often the state changes', () => {
  const { asked, now, ticker, repaint } = rig();
  ticker.check();
  ticker.check();
  assert.equal(asked.size, 1);
  repaint();
  repaint();
  assert.equal(now.drawn, 2);
});

test('slow movement is drawn when its appearance changes, and not late', () => {
  const { asked, timers, now, ticker, repaint } = rig();
  now.pause = 0.5;
  ticker.check();
  repaint();
  assert.equal(asked.size, 0);
  timers.advance(0.48);
  assert.equal(asked.size, 0);
  timers.advance(0.01); // The timer fires after 0.49 s, shortly before the change that is due after 0.5 s.
  assert.equal(asked.size, 1);
});

test('a change of state does not wait for the pause to end', () => {
  const { asked, timers, now, ticker, repaint } = rig();
  now.pause = 100;
  ticker.check();
  repaint();
  ticker.check();
  assert.deepEqual([asked.size, timers.count], [1, 0]);
});

test('a hidden page cancels even the pending repaint, and continues when it is visible', () => {
  const { asked, timers, now, ticker, repaint } = rig();
  ticker.check();
  now.isSeen = false;
  ticker.check();
  assert.deepEqual([asked.size, timers.count], [0, 0]);
  now.isSeen = true;
  ticker.check();
  repaint();
  assert.equal(now.drawn, 1);
});

test('the last repaint shows the final position', () => {
  const { asked, now, ticker, repaint } = rig();
  ticker.check();
  now.isMoving = false;
  repaint();
  assert.deepEqual([now.drawn, asked.size], [1, 0]);
});
