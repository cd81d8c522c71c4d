import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStill, playlistFile, sourceOf, targetOf, totalDuration } from '../../web/js/state/arrangement.js';

const after = (count, move) => Array.from({ length: count }, (_, index) => sourceOf(move, index));

test('a move is shown as the server will carry it out', () => {
  assert.deepEqual(after(5, null), [0, 1, 2, 3, 4]);
  assert.deepEqual(after(5, { moved: [3], to: 0 }), [3, 0, 1, 2, 4]);
  assert.deepEqual(after(5, { moved: [1], to: 4 }), [0, 2, 3, 4, 1]);
  assert.deepEqual(after(6, { moved: [0, 2, 5], to: 1 }), [1, 0, 2, 5, 3, 4]);
  assert.deepEqual(after(6, { moved: [0, 2, 5], to: 3 }), [1, 3, 4, 0, 2, 5]);
});

test('the index after a move and the present index are inverse, for every move of a short list', () => {
  const count = 6;
  for (let set = 1; set < 2 ** count; set += 1) {
    const moved = [0, 1, 2, 3, 4, 5].filter((index) => set & (1 << index));
    for (let to = 0; to <= count - moved.length; to += 1) {
      const order = after(count, { moved, to });
      assert.deepEqual([...order].sort(), [0, 1, 2, 3, 4, 5], JSON.stringify({ moved, to }));
      assert.deepEqual(order.slice(to, to + moved.length), moved);
      for (const [index, source] of order.entries()) assert.equal(targetOf({ moved, to }, source), index);
      assert.equal(isStill({ moved, to }), order.every((source, index) => source === index));
    }
  }
});

const entry = (more) => ({ id: 'e1', url: 'file:///music/a%20b.flac', status: 'unknown', ...more });

test('the total duration is known only if that of every entry is', () => {
  assert.equal(totalDuration([entry({ duration: 1.5 }), entry({ duration: 2 })]), 3.5);
  assert.equal(totalDuration([entry({ duration: 1.5 }), undefined]), null);
  assert.equal(totalDuration([entry({})]), null);
  assert.equal(totalDuration([]), 0);
});

test('a playlist file has one line for each medium, whatever its title or path contains', () => {
  const hostile = entry({ url: 'file:///music/a%0A%23b.flac', title: 'two\nlines\r#EXTM3U', artist: 'A', duration: 61.6 });
  const radio = entry({ url: 'https://radio.example/x?y#z', title: 'Radio' });
  const text = playlistFile([entry(), hostile, undefined, radio, entry({ url: 'file:///%FF.mp3' })]);
  assert.equal(text, [
    '#EXTM3U', '/music/a b.flac', '#EXTINF:62,A - two lines #EXTM3U', 'file:///music/a%0A%23b.flac', '#EXTINF:-1,Radio',
    'https://radio.example/x?y#z', 'file:///%FF.mp3', '',
  ].join('\n'));
});
