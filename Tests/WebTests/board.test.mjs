import assert from 'node:assert/strict';
import { test } from 'node:test';
import './fakes.mjs';
import { Board } from '../../web/js/state/board.js';

/** A queue whose entries are read, except the numbers of `unread`. */
class Queue extends EventTarget {
  revision = 1;
  constructor(count, unread = []) {
    super();
    this.entries = Array.from({ length: count }, (_, index) => {
      return unread.includes(index) ? undefined : { id: `e${index}`, title: `Title ${index}`, url: '/x' };
    });
  }
  get count() {
    return this.entries.length;
  }
  get isComplete() {
    return !this.entries.includes(undefined);
  }
  at(index) {
    return this.entries[index];
  }
  indexOf(id) {
    return this.entries.findIndex((entry) => entry && entry.id === id);
  }
  edit(change) {
    change(this.entries);
    this.revision += 1;
    this.dispatchEvent(new Event('change'));
  }
}

const shown = (board) => Array.from({ length: board.count }, (_, row) => board.entry(row)?.id ?? '-').join(' ');

test('a lifted entry is shown at its new row, and its row is found', () => {
  const board = new Board(new Queue(5));
  assert.ok(board.lift(3));
  board.moveTo(1);
  assert.equal(shown(board), 'e0 e3 e1 e2 e4');
  assert.deepEqual(['e3', 'e1', 'e4'].map((id) => board.rowOf(id)), [1, 2, 4]);
  assert.ok(board.isLiftedEntry('e3'));
  board.moveTo(99);
  assert.equal(board.move.to, 4);
  board.endMove();
  assert.equal(shown(board), 'e0 e1 e2 e3 e4');
});

test('a dropped entry stays at its new row until the queue has changed', () => {
  const queue = new Queue(5);
  const board = new Board(queue);
  board.lift(0);
  board.moveTo(2);
  assert.ok(board.drop());
  assert.equal(shown(board), 'e1 e2 e0 e3 e4');
  queue.dispatchEvent(new Event('change'));
  assert.equal(shown(board), 'e1 e2 e0 e3 e4');
  queue.edit((list) => list.splice(2, 0, ...list.splice(0, 1)));
  assert.equal(board.move, null);
  assert.equal(shown(board), 'e1 e2 e0 e3 e4');
});

test('an entry that is dropped where it was is no move', () => {
  const board = new Board(new Queue(3));
  board.lift(1);
  assert.equal(board.drop(), false);
  assert.equal(board.move, null);
});

test('a lifted entry follows the edits of others, and is dropped if it is removed', () => {
  const queue = new Queue(5);
  const board = new Board(queue);
  board.lift(3);
  board.moveTo(0);
  queue.edit((list) => list.splice(1, 1));
  assert.equal(shown(board), 'e3 e0 e2 e4');
  queue.edit((list) => list.splice(2, 1));
  assert.equal(board.isLifted, false);
  assert.equal(shown(board), 'e0 e2 e4');
});

test('a selected entry is lifted with all selected ones, in their order', () => {
  const board = new Board(new Queue(6));
  for (const row of [4, 1, 3]) board.toggle(row);
  board.lift(3);
  assert.deepEqual(board.lifted, ['e1', 'e3', 'e4']);
  assert.equal(shown(board), 'e0 e2 e1 e3 e4 e5');
});

test('a range is selected from the last selected row, and removed entries are no longer selected', () => {
  const queue = new Queue(6);
  const board = new Board(queue);
  board.toggle(4);
  board.selectTo(2);
  assert.deepEqual(board.inOrder(board.selected), ['e2', 'e3', 'e4']);
  board.selectTo(5);
  assert.deepEqual(board.inOrder(board.selected), ['e4', 'e5']);
  queue.edit((list) => list.splice(4, 1));
  assert.deepEqual([...board.selected], ['e5']);
});

test('a filter shows the matching entries with their positions, and new ones as they are read', () => {
  const queue = new Queue(30, [12]);
  const board = new Board(queue);
  board.setFilter('title 1');
  assert.equal(board.count, 11);
  assert.equal(board.indexOf(1), 10);
  assert.equal(board.rowOf('e11'), 2);
  assert.equal(board.rowOf('e2'), -1);
  assert.equal(board.lift(0), false);
  queue.edit((list) => (list[12] = { id: 'e12', title: 'Title 12', url: '/x' }));
  assert.equal(board.count, 12);
  board.setFilter(' ');
  assert.equal(board.count, 30);
});

test('a filter finds words without regard to case and accents, in any order, and files without a title by their name', () => {
  const queue = new Queue(4, [1]);
  const titles = [{ title: 'Für Elise' }, null, { title: 'Élan', artist: 'Furor' }, { title: undefined, url: 'file:///m/%3Cb%3EBold.flac' }];
  queue.edit((list) => titles.forEach((more, index) => more && Object.assign(list[index], more)));
  const board = new Board(queue);
  const find = (text) => {
    board.setFilter(text);
    return Array.from({ length: board.count }, (_, row) => board.indexOf(row));
  };
  assert.deepEqual(find('FUR'), [0, 2]);
  assert.deepEqual(find('furor élan'), [2]);
  assert.deepEqual(find('<b>'), [3]);
  assert.deepEqual(find('none'), []);
});

test('an entry that has not been read cannot be lifted or selected', () => {
  const board = new Board(new Queue(3, [1]));
  assert.equal(board.lift(1), false);
  board.toggle(1);
  assert.equal(board.selected, null);
});
