import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueActs } from '../../web/js/views/queueActs.js';

/** The acts on a queue at revision 5, with the commands that they send; `answer` answers the oldest one. */
function makeActs() {
  const queue = { order: 'display', epoch: 'e', revision: 5, count: 3, entries: [{ id: 'a', url: 'file:///a' }], indexOf: () => 0 };
  const sent = [];
  const waiting = [];
  const remote = {
    queue, store: {},
    edit: (send) => send(),
    command(operation, values, options = {}) {
      sent.push([operation, options.ifMatch]);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  const answer = (revision) => waiting.shift()({ answer: {}, tag: `"queue:e:${revision}.0"` });
  return { acts: queueActs(remote, {}), queue, sent, answer };
}

test('a move to an index is carried out only if the queue is the one that the page shows; a move to the next place always', () => {
  const { acts, sent } = makeActs();
  void acts.move(['a'], { index: 2 });
  const other = makeActs();
  void other.acts.move(['a'], { position: 'next' });
  assert.deepEqual([sent, other.sent], [[['moveEntries', '"queue:e:5"']], [['moveEntries', undefined]]]);
});

test('until the page shows its own last edit, a move has no condition', async () => {
  const { acts, queue, sent, answer } = makeActs();
  const first = acts.move(['a'], { index: 2 });
  void acts.move(['a'], { index: 1 }).catch(() => {});
  answer(6);
  await first;
  answer(7);
  await new Promise(setImmediate);
  void acts.move(['a'], { index: 0 });
  queue.revision = 7;
  answer(8);
  await new Promise(setImmediate);
  queue.revision = 8;
  void acts.move(['a'], { index: 2 });
  assert.deepEqual(sent.map(([, condition]) => condition), ['"queue:e:5"', undefined, undefined, '"queue:e:8"']);
});
