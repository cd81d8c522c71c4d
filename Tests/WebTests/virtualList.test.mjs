import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowForKey, rowsSeen, rowsShown, scrollFor } from '../../web/js/views/virtualList.js';

const part = (changes = {}) => ({ scroll: 0, height: 600, rowHeight: 60, count: 10_000, ...changes });

test('the visible rows and four beyond each edge are made', () => {
  assert.deepEqual(rowsShown(part()), { first: 0, end: 14 });
  assert.deepEqual(rowsShown(part({ scroll: 30 })), { first: 0, end: 15 });
  assert.deepEqual(rowsShown(part({ scroll: 6000 })), { first: 96, end: 114 });
});

test('the last rows are made at the end of the list, and no row after them', () => {
  assert.deepEqual(rowsShown(part({ scroll: 600_000 - 600 })), { first: 9986, end: 10_000 });
  assert.deepEqual(rowsShown(part({ scroll: 9e9 })), { first: 9986, end: 10_000 });
  assert.deepEqual(rowsShown(part({ scroll: -80 })), { first: 0, end: 14 });
});

test('a short list is made completely, an empty or hidden one not at all', () => {
  assert.deepEqual(rowsShown(part({ count: 3 })), { first: 0, end: 3 });
  assert.deepEqual(rowsShown(part({ count: 0 })), { first: 0, end: 0 });
  assert.deepEqual(rowsShown(part({ height: 0 })), { first: 0, end: 0 });
  assert.deepEqual(rowsSeen(part({ count: 0 })), { first: 0, last: -1 });
});

test('no more than 60 rows are made, unless more are visible', () => {
  for (const height of [100, 1500, 3000, 3400, 3600]) {
    const { first, end } = rowsShown(part({ height, scroll: 12_345 }));
    assert.ok(end - first <= 61, `${height} pixels: ${end - first} rows`);
    const seen = rowsSeen(part({ height, scroll: 12_345 }));
    assert.ok(first <= seen.first && end > seen.last);
  }
  const { first, end } = rowsShown(part({ height: 6000 }));
  assert.deepEqual([first, end], [0, 100]);
});

test('every visible pixel has a row, at any scroll position', () => {
  for (let scroll = 0; scroll < 5000; scroll += 7) {
    const { first, last } = rowsSeen(part({ scroll }));
    assert.ok(first * 60 <= scroll && (last + 1) * 60 >= scroll + 600, `at ${scroll}`);
    assert.ok((first + 1) * 60 > scroll && last * 60 < scroll + 600, `at ${scroll}: too many`);
  }
});

test('a scroll to a row moves as little as possible, or puts the row in the middle', () => {
  assert.equal(scrollFor(part({ scroll: 300 }), 7), 300);
  assert.equal(scrollFor(part({ scroll: 300 }), 2), 120);
  assert.equal(scrollFor(part({ scroll: 300 }), 30), 1260);
  assert.equal(scrollFor(part(), 100, true), 5730);
  assert.equal(scrollFor(part(), 0, true), 0);
  assert.equal(scrollFor(part(), 9999, true), 599_400);
  assert.equal(scrollFor(part({ count: 3 }), 2, true), 0);
});

test('the keys select rows within the list', () => {
  assert.equal(rowForKey('ArrowDown', 4, 10, 5), 5);
  assert.equal(rowForKey('ArrowDown', 9, 10, 5), 9);
  assert.equal(rowForKey('ArrowUp', 0, 10, 5), 0);
  assert.equal(rowForKey('PageDown', 4, 10, 5), 8);
  assert.equal(rowForKey('PageUp', 1, 10, 5), 0);
  assert.equal(rowForKey('Home', 4, 10, 5), 0);
  assert.equal(rowForKey('End', 4, 10, 5), 9);
  assert.equal(rowForKey('x', 4, 10, 5), null);
  assert.equal(rowForKey('End', 0, 0, 5), null);
});
