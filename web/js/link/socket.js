// @ts-check
import { Refusal } from './api.js';
import { omitsResult } from './operations.js';
/** @typedef {import('./commands.js').Message} Message */
/**
 * @typedef {object} Listener  the functions that a connection calls; it calls none after it was closed by `close`
 * @property {() => void} opened
 * @property {(event: {type: string, data: any, id?: string}) => void} event
 * @property {(id: string, error: unknown, answer?: import('./api.js').Answer) => void} answered
 * @property {() => void} closed the connection could not be opened, or has ended
 */
/** @typedef {{kind: 'socket' | 'stream', send: (message: Message) => void, close: () => void}} Connection */

/** The value of `WebSocket.readyState` of an open connection. */
const OPEN = 1;

/**
 * Opens a WebSocket, which carries events and commands in their order. It does not count among the six connections that a browser opens to one
 * server.
 * @param {string} address
 * @param {Listener} listener
 * @param {{client: () => string, makeSocket?: (address: string) => WebSocket}} parts `client` returns the name of this client
 * @returns {Connection}
 */
export function openSocket(address, listener, { client, makeSocket = (url) => new WebSocket(url) }) {
  const socket = makeSocket(address);
  socket.onopen = () => listener.opened();
  socket.onclose = () => listener.closed();
  socket.onmessage = ({ data }) => receive(parse(data), listener);
  return {
    kind: 'socket',
    send({ id, operation, values, ifMatch, idempotencyKey, notAfter }) {
      const message = {
        id, command: operation, arguments: values, ifMatch, idempotencyKey, notAfter, client: client(),
        omitsResult: omitsResult(operation) || undefined,
      };
      if (socket.readyState === OPEN) socket.send(JSON.stringify(message));
    },
    close() {
      socket.onopen = socket.onclose = socket.onmessage = null;
      socket.close();
    },
  };
}

/** @param {any} message @param {Listener} listener */
function receive(message, listener) {
  if (typeof message?.event === 'string') return listener.event({ type: message.event, data: message.data, id: message.id });
  if (typeof message?.id !== 'string') return; // The message is not one of this server.
  if (message.problem) return listener.answered(message.id, new Refusal(message.problem.status, message.problem));
  listener.answered(message.id, null, { answer: message.result, tag: message.entityTag ?? null });
}

/** @param {unknown} data @returns {any} */
function parse(data) {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
