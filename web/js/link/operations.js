// @ts-check
/**
 * The operations of the contract that the page uses, by `operationId`: the method and the path of the HTTP request, below `api/v1/`. Over a WebSocket
 * the `operationId` is the name of the command.
 * @type {Record<string, string>}
 */
const OPERATIONS = {
  getPlayer: 'GET player', updatePlayer: 'PATCH player', getClock: 'GET clock', play: 'POST player/play',
  pause: 'POST player/pause', seek: 'POST player/seek', setLoop: 'PUT player/loop', clearLoop: 'DELETE player/loop',
  getQueue: 'GET queue', putQueue: 'PUT queue', addToQueue: 'POST queue', clearQueue: 'DELETE queue', nextEntry: 'POST queue/next',
  previousEntry: 'POST queue/previous', removeEntries: 'POST queue/remove', moveEntries: 'POST queue/move',
  clearUpcoming: 'POST queue/clear-upcoming', undoEdit: 'POST queue/undo', redoEdit: 'POST queue/redo', removeEntry: 'DELETE queue/{id}',
  moveEntry: 'POST queue/{id}/move', playEntry: 'POST queue/{id}/play', getItemDetails: 'GET items/{id}', getChapters: 'GET items/{id}/chapters',
  getLyrics: 'GET items/{id}/lyrics', getWaveform: 'GET items/{id}/waveform', listLibrary: 'GET library', listOutputs: 'GET outputs',
  updateOutput: 'PATCH outputs/{output}', setOutput: 'PUT output', setSleepTimer: 'PUT sleep-timer', cancelSleepTimer: 'DELETE sleep-timer',
  getServer: 'GET ../v1',
};
/** The changes whose results the page uses. After other changes, the new state arrives as an event, so their results are not requested. */
const NEEDED = ['setOutput', 'updateOutput', 'seek'];

/**
 * The types of the events that the page receives. Events of other types would cost bytes at each change of the entry, and contain nothing new: the
 * position is computed from the anchor, the state has the output and the session, and the events of the queue have the tags. A stream of Server-Sent
 * Events has heartbeats too; a socket is pinged.
 */
export const TYPES = [
  'state', 'stateChange', 'rateDidChange', 'didPlayToEndTime', 'failedToPlayToEndTime', 'queue', 'entryFailed', 'buffer', 'heartbeat',
];

/** @typedef {Record<string, any>} Arguments  the path variables, the query parameters and the members of the body together */

/**
 * Whether an operation changes something, so that it must not be carried out twice.
 * @param {string} operation
 */
export function isChange(operation) {
  return !OPERATIONS[operation]?.startsWith('GET');
}

/** Whether the result of an operation is not used. @param {string} operation */
export function omitsResult(operation) {
  return isChange(operation) && !NEEDED.includes(operation);
}

/**
 * Returns the HTTP request of an operation.
 * @param {string} operation
 * @param {Arguments} values
 * @returns {{method: string, path: string, body: object | undefined}}
 */
export function requestOf(operation, values = {}) {
  const known = OPERATIONS[operation];
  if (known === undefined) throw new TypeError(`The table of operations has no ${operation}.`);
  const [method = '', template = ''] = known.split(' ');
  const rest = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_, name) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const hasBody = method !== 'GET' && method !== 'DELETE';
  if (hasBody) return { method, path, body: Object.fromEntries(rest) };
  const query = [...rest].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return { method, path: query ? `${path}?${query}` : path, body: undefined };
}
