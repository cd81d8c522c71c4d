import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API, queueRevision, Refusal, Unreachable } from '../../web/js/link/api.js';

/** Returns an API, and the requests that it sends. Each request receives the response that the test sets. */
function rig(answer, base = 'http://player.local:7711/') {
  const requests = [];
  const api = new API(base, async (url, options) => {
    requests.push({ url: url.href, ...options });
    return answer();
  });
  return { api, requests };
}
const json = (status, body) => () => new Response(JSON.stringify(body), { status });

test('a command names its client and sends JSON', async () => {
  const { api, requests } = rig(json(200, { ok: true }));
  assert.deepEqual((await api.command('updatePlayer', { volume: 0.5 })).answer, { ok: true });
  const [{ url, method, headers, body }] = requests;
  assert.equal(url, 'http://player.local:7711/api/v1/player');
  assert.equal(method, 'PATCH');
  assert.equal(headers['Tonearm-Client'], 'web');
  assert.equal(headers['Content-Type'], 'application/json');
  assert.deepEqual(JSON.parse(body), { volume: 0.5 });
});

test('every command has a body, because the server accepts nothing but JSON', async () => {
  const { api, requests } = rig(json(200, {}));
  await api.command('play');
  await api.command('seek', { time: 12.5 });
  await api.command('putQueue', { entries: [{ url: 'file:///music/a.flac' }], play: true });
  await api.command('undoEdit', {}, { ifMatch: '"queue:e1:5"' });
  assert.deepEqual(requests.map(({ method, url, body }) => [method, new URL(url).pathname, body]), [
    ['POST', '/api/v1/player/play', '{}'],
    ['POST', '/api/v1/player/seek', '{"time":12.5}'],
    ['PUT', '/api/v1/queue', '{"entries":[{"url":"file:///music/a.flac"}],"play":true}'],
    ['POST', '/api/v1/queue/undo', '{}'],
  ]);
  assert.equal(requests.at(-1).headers['If-Match'], '"queue:e1:5"');
});

test('a name of any script is sent as bytes, because a header field contains nothing else', async () => {
  const requests = [];
  const api = new API('http://a/', async (_, { headers }) => (requests.push(headers), new Response('{}')), () => 'هاتف 27');
  await api.command('play');
  assert.equal(Buffer.from(requests[0]['Tonearm-Client'], 'latin1').toString('utf8'), 'هاتف 27');
});

test('path variables and query parameters are put into the address, and a response has its tag', async () => {
  const { api, requests } = rig(() => new Response('{}', { headers: { ETag: '"queue:e1:6.8f2b61d0-gz"' } }));
  assert.equal((await api.command('moveEntry', { id: 'a/b', index: 3 })).tag, '"queue:e1:6.8f2b61d0-gz"');
  await api.command('removeEntry', { id: 'e1' });
  await api.command('getQueue', { offset: 0, limit: 100, around: undefined });
  assert.deepEqual(requests.map(({ method, url, body }) => [method, url.slice(url.indexOf('v1/') + 3), body]), [
    ['POST', 'queue/a%2Fb/move', '{"index":3}'],
    ['DELETE', 'queue/e1', undefined],
    ['GET', 'queue?offset=0&limit=100', undefined],
  ]);
});

test('an operation that the table does not have is a bug of the page', async () => {
  await assert.rejects(rig(json(200, {})).api.command('getMetrics'), TypeError);
});

test('only a tag of the item or of the queue has a revision of the queue', () => {
  assert.deepEqual(queueRevision('"queue:5f0c:3"'), { epoch: '5f0c', revision: 3 });
  assert.deepEqual(queueRevision('W/"queue:5f0c:3.ab"'), { epoch: '5f0c', revision: 3 });
  for (const tag of [null, '', '"5f0c:3"', '"player:5f0c:3"', '"queue:5f0c"', '"queue::3"', '"queue:5f0c:x3"', `"queue:5f0c:${'9'.repeat(16)}"`]) {
    assert.equal(queueRevision(tag), null, String(tag));
  }
});

test('the API is relative to the page, also below a prefix', async () => {
  const { api, requests } = rig(json(200, {}), 'https://home.example/tonearm/');
  await api.command('getClock');
  assert.equal(requests[0].url, 'https://home.example/tonearm/api/v1/clock');
  assert.match(api.eventsAddress('stream', ''), /^https:\/\/home\.example\/tonearm\/api\/v1\/events\?state=changes&types=state,[\w,]*,heartbeat$/);
  assert.match(api.eventsAddress('socket', 'e1:7'), /^wss:\/\/home\.example\/tonearm\/api\/v1\/socket\?state=changes&types=.*&lastEventId=e1%3A7$/);
});

test('ids and paths are encoded', async () => {
  const { api, requests } = rig(json(200, {}));
  await api.command('listLibrary', { path: 'Music/50% & more?' });
  assert.equal(requests[0].url, 'http://player.local:7711/api/v1/library?path=Music%2F50%25%20%26%20more%3F');
  assert.equal(api.artworkAddress('../x', 512), 'http://player.local:7711/api/v1/items/..%2Fx/artwork?size=512');
  assert.equal(api.artworkAddress('x', 512, 'a b'), 'http://player.local:7711/api/v1/items/x/artwork?size=512&epoch=a%20b');
  assert.equal(api.artworkAddress('x'), 'http://player.local:7711/api/v1/items/x/artwork');
});

test('a problem becomes a refusal with its detail', async () => {
  const { api } = rig(json(409, { type: '/problems/no-item', title: 'No item', status: 409, detail: 'There is nothing to seek in.' }));
  await assert.rejects(api.command('seek', { time: 1 }), (error) => error instanceof Refusal && error.status === 409 && error.message === 'There is nothing to seek in.');
});

test('an error without a problem document is a refusal with its status', async () => {
  const { api } = rig(() => new Response('<html>Bad Gateway</html>', { status: 502 }));
  await assert.rejects(api.command('play'), (error) => error instanceof Refusal && /502/.test(error.message));
});

test('a response without a body is accepted', async () => {
  const { api } = rig(() => new Response(null, { status: 204 }));
  assert.equal((await api.command('pause')).answer, undefined);
});

test('a network failure is not a refusal', async () => {
  const { api } = rig(() => {
    throw new TypeError('Failed to fetch');
  });
  await assert.rejects(api.command('play'), Unreachable);
});
