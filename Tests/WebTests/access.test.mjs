import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeShared, takeToken, tokenIn } from '../../web/js/access.js';
import { API, Refusal } from '../../web/js/link/api.js';

/** Takes the token out of the address of a fake page. Returns the token and the page's fake history. */
function bar(hash, pathname = '/', search = '') {
  const history = { state: { kept: 1 }, shown: null, replaceState(state, _, url) { this.shown = { state, url }; } };
  return { history, token: takeToken({ hash, pathname, search }, history) };
}

test('the token is removed from the address, and nothing else is', () => {
  const { token, history } = bar('#token=abc-_.~', '/music/', '?source=pwa');
  assert.equal(token, 'abc-_.~');
  assert.deepEqual(history.shown, { state: { kept: 1 }, url: '/music/?source=pwa' });
  const other = bar('#a=1&token=x%2By&b');
  assert.equal(other.token, 'x+y');
  assert.equal(other.history.shown.url, '/#a=1&b');
});

test('a plus sign is kept, and text that is not encoded is taken verbatim', () => {
  assert.equal(bar('#token=a+b').token, 'a+b');
  assert.equal(bar('#token=100%').token, '100%');
});

test('an address without a token is unchanged', () => {
  for (const hash of ['', '#', '#top', '#mytoken=x', '#tokens']) {
    const { token, history } = bar(hash);
    assert.equal(token, null);
    assert.equal(history.shown, null);
  }
});

test('the token is sent to the server in a body, never in an address', async () => {
  const requests = [];
  const api = new API('http://player.local/', async (url, options) => {
    requests.push({ url: url.href, ...options });
    return new Response(null, { status: 204 });
  });
  await api.logIn('secret-secret-secret');
  assert.equal(requests[0].url, 'http://player.local/api/v1/login');
  assert.deepEqual(JSON.parse(requests[0].body), { token: 'secret-secret-secret' });
});

test('every 401 response is reported as unauthorized, and no other is', async () => {
  let status = 401;
  let told = 0;
  const api = new API('http://player.local/', async () => new Response('{"detail":"No."}', { status }));
  api.unauthorized = () => (told += 1);
  await assert.rejects(api.command('getClock'), Refusal);
  assert.equal(told, 1);
  for (status of [403, 404, 429]) await assert.rejects(api.command('getClock'), Refusal);
  assert.equal(told, 1);
});

test('a 401 response to a request sent before the login is not reported', async () => {
  let told = 0;
  let refuse = () => {};
  const api = new API('http://player.local/', (url) =>
    url.pathname.endsWith('/login')
      ? Promise.resolve(new Response(null, { status: 204 }))
      : new Promise((resolve) => { refuse = () => resolve(new Response('{}', { status: 401 })); }));
  api.unauthorized = () => (told += 1);
  const early = assert.rejects(api.command('getClock'), Refusal);
  await api.logIn('secret-secret-secret');
  refuse();
  await early;
  assert.equal(told, 0);
  const late = assert.rejects(api.command('getClock'), Refusal);
  refuse();
  await late;
  assert.equal(told, 1);
});

test('the token is found in a typed text, in the whole printed link, and in a line around the link', () => {
  const cases = [
    ['abc', 'abc'], ['  abc\n', 'abc'], ['http://10.0.0.2:7711/#token=abc', 'abc'], ['Remote: http://10.0.0.2:7711/#token=abc (open it)', 'abc'],
    ['#token=a%2Bb%3D', 'a+b='], ['http://x/#/queue&token=abc&y=1', 'abc'], ['#token=50%', '50%'], ['token=abc', 'token=abc'], ['', ''], [' ', ''],
    ['http://x/', 'http://x/'],
  ];
  for (const [text, token] of cases) assert.equal(tokenIn(text), token, text);
});

/** Takes what was shared out of the address of a fake page. */
function shared(search, hash = '') {
  const history = { state: null, url: null, replaceState(state, _, url) { this.url = url; } };
  return { text: takeShared({ hash, pathname: '/music/', search }, history), url: history.url };
}

test('the addresses in what another app shares are taken, each once, and nothing of it stays in the address', () => {
  const found = shared('?text=Hear+https%3A%2F%2Fa.example%2Fx.mp3+now&title=T', '#/queue');
  assert.deepEqual(found, { text: 'https://a.example/x.mp3', url: '/music/#/queue' });
  const several = shared('?url=https%3A%2F%2Fa.example%2F1&text=https%3A%2F%2Fa.example%2F1%0Ahttp%3A%2F%2Fb.example%2F2');
  assert.equal(several.text, 'https://a.example/1\nhttp://b.example/2');
  assert.deepEqual(shared('?text=javascript%3Aalert(1)'), { text: '', url: '/music/' });
});

test('an address in which nothing is shared stays, and a shared text is limited', () => {
  assert.deepEqual(shared('?source=pwa'), { text: '', url: null });
  assert.equal(shared(`?url=https%3A%2F%2Fa.example%2F${'a'.repeat(20_000)}`).text.length, 10_000);
});
