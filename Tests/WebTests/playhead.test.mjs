import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playhead, positionAt } from '../../web/js/playhead.js';
import { playerState } from './fakes.mjs';

test('the position is anchor time plus elapsed host time at the anchor rate', () => {
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: 1 }, 1003.5, 240), 15.5);
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: 1.5 }, 1004, 240), 18);
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: -2 }, 1004, 240), 4);
});

test('a paused anchor does not move', () => {
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: 0 }, 99999, 240), 12);
});

test('the position stays inside the item', () => {
  assert.equal(positionAt({ time: 230, hostTime: 1000, rate: 1 }, 1020, 240), 240);
  assert.equal(positionAt({ time: 3, hostTime: 1000, rate: -1 }, 1020, 240), 0);
  assert.equal(positionAt({ time: 230, hostTime: 1000, rate: 1 }, 1020, undefined), 250);
});

test('in a loop the position turns at the end of the part, in reverse at its start', () => {
  const loop = { start: 10, end: 14 };
  assert.equal(positionAt({ time: 8, hostTime: 1000, rate: 1 }, 1005, 240, loop), 13);
  assert.equal(positionAt({ time: 8, hostTime: 1000, rate: 1 }, 1006, 240, loop), 10);
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: 2 }, 1010, 240, loop), 12);
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: -1 }, 1003, 240, loop), 13);
});

test('a position after the loop is not affected by it', () => {
  assert.equal(positionAt({ time: 14, hostTime: 1000, rate: 1 }, 1005, 240, { start: 10, end: 14 }), 19);
  assert.equal(positionAt({ time: 9, hostTime: 1000, rate: -1 }, 1005, 240, { start: 10, end: 14 }), 4);
});

test('an anchor in the future does not move yet', () => {
  assert.equal(positionAt({ time: 12, hostTime: 1000, rate: 1 }, 999, 240), 12);
});

test('between two anchors the shown time never steps back when the clock estimate is refined', () => {
  let host = 1005;
  const playhead = new Playhead(() => host);
  const state = playerState({ rate: 1, anchor: { time: 0, hostTime: 1000, rate: 1 } });
  assert.equal(playhead.position(state), 5);
  host = 1004.98; // The estimate of the server's clock was refined by 20 ms, without any time passing.
  assert.equal(playhead.position(state), 5);
  host = 1005.1;
  assert.ok(Math.abs(playhead.position(state) - 5.1) < 1e-9);
});

test('after a clock was stopped, the actual time is shown although it steps back', () => {
  let host = 1100;
  const playhead = new Playhead(() => host);
  const state = playerState({ rate: 1, anchor: { time: 0, hostTime: 1000, rate: 1 } });
  assert.equal(playhead.position(state), 100);
  host = 1040; // The server's machine slept for a minute, and its clock stood still, so the estimate was a minute too late.
  assert.equal(playhead.position(state), 40);
});

test('in reverse the shown time never steps forward', () => {
  let host = 1005;
  const playhead = new Playhead(() => host);
  const state = playerState({ rate: -1, anchor: { time: 100, hostTime: 1000, rate: -1 } });
  assert.equal(playhead.position(state), 95);
  host = 1004.9;
  assert.equal(playhead.position(state), 95);
  host = 1006;
  assert.equal(playhead.position(state), 94);
});

test('a new anchor may have any position', () => {
  const playhead = new Playhead(() => 1005);
  assert.equal(playhead.position(playerState({ anchor: { time: 100, hostTime: 1000, rate: 1 } })), 105);
  assert.equal(playhead.position(playerState({ anchor: { time: 3, hostTime: 1005, rate: 1 } })), 3);
});

test('without an item the time is 0', () => {
  const playhead = new Playhead(() => 1005);
  assert.equal(playhead.position(null), 0);
  assert.equal(playhead.position(playerState({ currentItem: undefined, anchor: { time: 9, hostTime: 0, rate: 1 } })), 0);
});
