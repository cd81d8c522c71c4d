// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onAttention } from '../../web/js/views/hooks.js';

/** Makes an element with one control, and returns what it reports. */
function attended() {
  const control = {}, document = { activeElement: /** @type {object | null} */ (null) };
  const element = Object.assign(new EventTarget(), { contains: (/** @type {unknown} */ other) => other === control });
  Object.assign(globalThis, { document });
  let isAttended = false;
  onAttention(/** @type {any} */ (element), (value) => (isAttended = value));
  /** @param {string} type @param {object} [more] */
  const send = async (type, more = {}) => {
    element.dispatchEvent(Object.assign(new Event(type), more));
    await Promise.resolve();
    return isAttended;
  };
  return { control, document, send };
}

test('an element with the focus is attended, also after a pointer has left it', async () => {
  const { control, document, send } = attended();
  document.activeElement = control;
  assert.equal(await send('focusin'), true);
  assert.equal(await send('pointerenter', { pointerType: 'mouse' }), true);
  assert.equal(await send('pointerleave', { pointerType: 'mouse' }), true);
  document.activeElement = null;
  assert.equal(await send('focusout'), false);
});

test('an element under a mouse is attended, also after the focus has left it', async () => {
  const { control, document, send } = attended();
  assert.equal(await send('pointerenter', { pointerType: 'mouse' }), true);
  document.activeElement = control;
  assert.equal(await send('focusin'), true);
  document.activeElement = null;
  assert.equal(await send('focusout'), true);
  assert.equal(await send('pointerleave', { pointerType: 'mouse' }), false);
});

test('a finger that touches an element does not attend to it', async () => {
  assert.equal(await attended().send('pointerenter', { pointerType: 'touch' }), false);
});
