import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ceiling, VolumeGuard } from '../../web/js/volumeGuard.js';
import { FakeTimers } from './fakes.mjs';

function make() {
  const timers = new FakeTimers();
  const guard = new VolumeGuard(() => {}, timers);
  /** Performs a gesture from a volume to another one, and returns the volume that it reaches. */
  const gesture = (from, ...to) => {
    guard.begin(from);
    const reached = to.map((wanted) => guard.limit(wanted)).at(-1);
    guard.end(reached);
    return reached;
  };
  return { timers, guard, gesture };
}

test('a gesture reaches 70 %, from there a quarter more, and at most 85 %', () => {
  assert.deepEqual([0, 0.3, 0.5, 0.55, 0.6, 0.8].map((before) => Math.round(ceiling(before) * 100)), [70, 70, 75, 80, 85, 85]);
});

test('above 85 % no gesture raises the volume', () => {
  assert.equal(ceiling(0.9), 0.9);
});

test('a far raise stops, and the second gesture goes on', () => {
  const { guard, gesture } = make();
  assert.equal(gesture(0.2, 1), 0.7);
  assert.equal(guard.isAsking, true);
  assert.equal(gesture(0.7, 1), 1);
  assert.equal(guard.isAsking, false);
});

test('a drag that goes on against the limit is one gesture', () => {
  const { gesture } = make();
  assert.equal(gesture(0.2, 0.8, 0.9, 1), 0.7);
});

test('without a second gesture the question ends', () => {
  const { timers, guard, gesture } = make();
  gesture(0.2, 1);
  timers.advance(10);
  assert.equal(guard.isAsking, false);
  assert.equal(gesture(0.7, 1), 0.85);
});

test('after a confirmed raise further steps need no confirmation', () => {
  const { gesture } = make();
  gesture(0.85, 0.9);
  assert.equal(gesture(0.85, 0.9), 0.9);
  assert.equal(gesture(0.9, 0.95), 0.95);
});

test('a gesture that lowers the volume never asks', () => {
  const { guard, gesture } = make();
  assert.equal(gesture(1, 0.2), 0.2);
  assert.equal(guard.isAsking, false);
});

test('steps that add up to a limit are not above it', () => {
  const { guard, gesture } = make();
  gesture(0.8, 0.8 + 0.05);
  assert.equal(guard.isAsking, false);
});
