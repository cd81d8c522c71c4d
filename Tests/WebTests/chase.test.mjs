import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chase } from '../../web/js/link/chase.js';
import { deferred, settle } from './fakes.mjs';

/** Returns a chase; the test ends each of its operations, with success or failure. */
function rig() {
  const sent = [];
  const told = [];
  const chase = new Chase(
    (value) => {
      const operation = deferred();
      sent.push({ value, ...operation });
      return operation.promise;
    },
    (value, reply) => told.push(['settled', value, reply]),
    (value, error) => told.push(['failed', value, error.message]),
  );
  return { chase, sent, told };
}

test('one operation is in flight, and only the newest wanted value follows it (R-SEEK-15)', async () => {
  const { chase, sent, told } = rig();
  for (const value of [1, 2, 3, 4, 5]) chase.want(value);
  assert.deepEqual(sent.map(({ value }) => value), [1]);
  sent[0].resolve('one');
  await settle();
  assert.deepEqual(sent.map(({ value }) => value), [1, 5]);
  assert.deepEqual(told, []);
  sent[1].resolve('five');
  await settle();
  assert.deepEqual(told, [['settled', 5, 'five']]);
});

test('a value wanted after the end is sent at once', async () => {
  const { chase, sent } = rig();
  chase.want(1);
  sent[0].resolve();
  await settle();
  chase.want(2);
  assert.deepEqual(sent.map(({ value }) => value), [1, 2]);
});

test('the failure of an older value does not stop the newest', async () => {
  const { chase, sent, told } = rig();
  chase.want(1);
  chase.want(2);
  sent[0].reject(new Error('no'));
  await settle();
  sent[1].resolve('ok');
  await settle();
  assert.deepEqual(told, [['settled', 2, 'ok']]);
});

test('the failure of the newest value is reported once, and the chase continues to work', async () => {
  const { chase, sent, told } = rig();
  chase.want(1);
  sent[0].reject(new Error('no'));
  await settle();
  assert.deepEqual(told, [['failed', 1, 'no']]);
  chase.want(2);
  sent[1].resolve('ok');
  await settle();
  assert.deepEqual(told.at(-1), ['settled', 2, 'ok']);
});

test('after cancel no result of older operations is reported', async () => {
  const { chase, sent, told } = rig();
  chase.want(1);
  chase.want(2);
  chase.cancel();
  sent[0].resolve('one');
  await settle();
  assert.equal(sent.length, 1);
  assert.deepEqual(told, []);
});

test('a value wanted after cancel, while the old operation is in flight, is sent, and its result is reported', async () => {
  const { chase, sent, told } = rig();
  chase.want(1);
  chase.cancel();
  chase.want(7);
  assert.equal(sent.length, 1);
  sent[0].resolve('one');
  await settle();
  assert.deepEqual(sent.map(({ value }) => value), [1, 7]);
  sent[1].resolve('seven');
  await settle();
  assert.deepEqual(told, [['settled', 7, 'seven']]);
});

test('a value wanted from within the completion is sent', async () => {
  const sent = [];
  const chase = new Chase(async (value) => sent.push(value), (value) => value < 3 && chase.want(value + 1), () => assert.fail());
  chase.want(1);
  await settle();
  assert.deepEqual(sent, [1, 2, 3]);
});
