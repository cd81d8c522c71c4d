import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Late, NotLoaded } from '../../web/js/late.js';

/** A loader whose attempts have the given results; an error is a failure. */
function makeLate(results, { isReachable = true, ...more } = {}) {
  const calls = [];
  const load = async () => {
    calls.push('load');
    const result = results.shift();
    if (result instanceof Error) throw result;
    return result;
  };
  return { calls, late: new Late({ load, isReachable: async () => isReachable, loaded: (parts) => calls.push(parts), ...more }) };
}

test('the later parts are loaded once, and reported before they are used', async () => {
  const { late, calls } = makeLate(['parts']);
  assert.equal(late.parts, null);
  assert.deepEqual(await Promise.all([late.load(), late.load()]), ['parts', 'parts']);
  assert.equal(await late.load(), 'parts');
  assert.equal(late.parts, 'parts');
  assert.deepEqual(calls, ['load', 'parts']);
});

test('if the server cannot be reached, the failure says so, and the next call tries again', async () => {
  const { late } = makeLate([new TypeError('no network'), 'parts'], { isReachable: false });
  await assert.rejects(late.load(), (error) => error instanceof NotLoaded && error.reason === 'unreachable');
  assert.equal(late.parts, null);
  assert.equal(await late.load(), 'parts');
});

test('if the server answers but does not have the file, the page is outdated', async () => {
  const { late } = makeLate([new TypeError('404')], { isReachable: true });
  await assert.rejects(late.load(), { reason: 'outdated' });
});

test('a file that does not arrive in time counts as not loaded', async () => {
  const timers = { start: (action) => (queueMicrotask(action), 1), stop() {} };
  const late = new Late({ load: () => new Promise(() => {}), isReachable: async () => false, timers });
  await assert.rejects(late.load(), { reason: 'unreachable' });
});
