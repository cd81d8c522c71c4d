// @ts-check
/** The queue of the player as the views show it. */
export class QueueModel extends EventTarget {
  count = 0;
  revision = 0;
  /** @type {string | undefined} */
  currentId;
  /** @type {string | undefined} */
  nextId;

  /** @param {import('../remote.js').Remote} remote */
  constructor(remote) {
    super();
    void remote;
  }

  /** @param {number} index @returns {any} */
  at(index) {
    return void index;
  }
  /** @param {string} id */
  indexOf(id) {
    void id;
    return -1;
  }
  use() {}
  release() {}
}
