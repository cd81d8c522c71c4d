// @ts-check
import { TYPES } from './operations.js';
import { realTimers } from './timers.js';
/** @typedef {import('./api.js').API} API */
/** @typedef {import('./socket.js').Connection} Connection */
/** @typedef {import('./socket.js').Listener} Listener */
/** @typedef {import('./timers.js').Timers} Timers */

/**
 * The longest time without an event on a working stream, in seconds. The server sends a heartbeat every 15 s. So a longer silence means that the
 * stream is dead, even if the browser reports it open.
 */
const SILENCE = 22;

/**
 * Opens a stream of Server-Sent Events, and sends commands as HTTP requests. It is used if no WebSocket can be opened, for example because of a
 * proxy. The browser's own reconnection is not used: it does not detect a stream that has ended silently, and does not reconnect after an
 * error status.
 * @param {string} address
 * @param {Listener} listener
 * @param {{api: API, makeSource?: (address: string) => EventSource, timers?: Timers}} parts
 * @returns {Connection}
 */
export function openStream(address, listener, { api, makeSource = (url) => new EventSource(url), timers = realTimers }) {
  const source = makeSource(address);
  let isOpen = true;
  let watchdog = timers.start(fail, SILENCE);

  function fail() {
    if (!isOpen) return;
    close();
    listener.closed();
  }
  function close() {
    isOpen = false;
    timers.stop(watchdog);
    source.close();
  }
  /** @param {MessageEvent} event */
  function receive({ type, data, lastEventId }) {
    if (!isOpen) return;
    timers.stop(watchdog);
    watchdog = timers.start(fail, SILENCE);
    try {
      listener.event({ type, data: JSON.parse(data), id: lastEventId || undefined });
    } catch (error) {
      // Data that are not JSON are not an event of this server. If a change of the state was lost, the next change reveals the gap.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  source.onopen = () => isOpen && listener.opened();
  source.onerror = fail;
  for (const type of TYPES) source.addEventListener(type, (event) => receive(/** @type {MessageEvent} */ (event)));

  return {
    kind: 'stream',
    send({ id, operation, values, ifMatch, idempotencyKey, notAfter }) {
      api.command(operation, values, { ifMatch, idempotencyKey, notAfter }).then(
        (answer) => listener.answered(id, null, answer), (error) => listener.answered(id, error),
      );
    },
    close,
  };
}
