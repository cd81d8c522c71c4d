/** A link whose connections, network and clocks the test plays. */
import { Refusal, Unreachable } from '../../web/js/link/api.js';
import { Link } from '../../web/js/link/link.js';
import { FakeTimers, settle } from './fakes.mjs';

export function rig({ isMoving = true } = {}) {
  const timers = new FakeTimers();
  const network = { isUp: true, socketsWork: true, hasToken: true };
  const connections = [];
  const statuses = [];
  const messages = [];
  const sleep = { seconds: 0 };
  let probes = 0;
  let keys = 0;

  /** Makes a connection that the test answers; `sent` are the commands. */
  function connect(kind, lastEventId, listener) {
    const connection = {
      kind, lastEventId, sent: [], isClosed: false,
      send: (message) => connection.sent.push(message),
      close: () => (connection.isClosed = true),
      opens: () => listener.opened(),
      fails: () => listener.closed(),
      tells: (type, data = {}, id) => listener.event({ type, data, id }),
      answers: (message, answer = {}, error = null) => listener.answered(message.id, error, { answer, tag: null }),
      /** Answers the newest ping. */
      pongs: (hostTime = 1000) => connection.answers(connection.last('getClock'), { hostTime }),
      last: (operation) => connection.sent.filter((message) => message.operation === operation).at(-1),
    };
    connections.push(connection);
    return connection;
  }
  const link = new Link({
    connect, timers, isMoving: () => isMoving, now: () => timers.now, wallClock: () => timers.now + sleep.seconds, makeKey: () => `k${(keys += 1)}`,
    probe: async () => {
      probes += 1;
      if (!network.isUp) throw new Unreachable();
      if (!network.hasToken) throw new Refusal(401, {});
    },
  });
  link.addEventListener('status', ({ detail }) => statuses.push(detail.status));
  link.addEventListener('message', ({ detail }) => messages.push(detail));

  const newest = () => connections.at(-1);
  /** Advances the time in small steps, so that promises are settled between timers. */
  async function pass(seconds) {
    for (let step = 0; step < Math.round(seconds * 10); step += 1) {
      timers.advance(0.1);
      await settle();
    }
  }
  /** Opens the link with one working connection. */
  function connected() {
    link.open();
    newest().opens();
    newest().pongs();
    return newest();
  }
  return { link, timers, network, connections, statuses, messages, sleep, newest, pass, connected, probes: () => probes };
}
