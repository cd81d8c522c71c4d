import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientName, setClientName } from '../../web/js/link/identity.js';
import './fakes.mjs';

/** Lets the page have a storage, or none. */
function store(values = new Map()) {
  globalThis.localStorage = { getItem: (name) => values.get(name) ?? null, setItem: (name, value) => values.set(name, value) };
}
const PHONE = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36';

test('a browser is named after its device, with a number that stays', () => {
  store();
  const name = clientName(PHONE);
  assert.match(name, /^Phone \d\d \(web\)$/);
  assert.equal(clientName('something else'), name);
});

test('devices are told apart', () => {
  const agents = new Map([
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148', 'Phone'], ['Mozilla/5.0 (iPad; CPU OS 18_0) Mobile/15E148', 'Tablet'],
    ['Mozilla/5.0 (Linux; Android 15; Tab) Chrome/140.0 Safari/537.36', 'Tablet'], ['Mozilla/5.0 (SMART-TV; Linux) TV Safari', 'TV'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0', 'Computer'],
  ]);
  for (const [agent, device] of agents) {
    store();
    assert.equal(clientName(agent).split(' ')[0], device, agent);
  }
});

test('the user chooses the name; without one, the name of the device is used again', () => {
  store();
  setClientName('  Kitchen tablet ');
  assert.equal(clientName(PHONE), 'Kitchen tablet');
  setClientName('x'.repeat(100));
  assert.equal(clientName(PHONE).length, 40);
  setClientName('');
  assert.match(clientName(PHONE), /^Phone/);
});

test('without storage the name lasts as long as the page', () => {
  globalThis.localStorage = undefined;
  assert.equal(clientName(PHONE), clientName(PHONE));
});
