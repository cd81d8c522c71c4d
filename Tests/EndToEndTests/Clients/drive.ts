// Uses a player through a generated client: loads, plays, seeks, edits the queue, and checks errors.
//
// usage: node drive.js ADDRESS URL [TOKEN]      ADDRESS is the server's, URL a medium of ten seconds
import { Configuration, ItemApi, PlayerApi, Problem, QueueApi, ResponseError } from './tonearm';

declare const process: { argv: string[]; exitCode: number };

const [address, medium, token] = process.argv.slice(2);
const configuration = new Configuration({ basePath: address, accessToken: token });
const player = new PlayerApi(configuration);
const items = new ItemApi(configuration);
const queue = new QueueApi(configuration);

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

async function problem(request: Promise<unknown>): Promise<Problem> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ResponseError) return (await error.response.json()) as Problem;
    throw error;
  }
  throw new Error('it was not refused');
}

async function drive(): Promise<void> {
  // Load and play.
  const item = await items.putItem({ itemRequest: { url: medium, play: false }, wait: 10 });
  check(item.status === 'readyToPlay' && Math.abs((item.duration ?? 0) - 10) < 0.1, `loaded ${JSON.stringify(item)}`);
  let state = await player.play({ playRequest: { rate: 1 }, tonearmClient: 'generated' });
  check(state.rate === 1 && state.lastChange.origin === 'generated', `played ${JSON.stringify(state)}`);
  check(state.currentItem?.id === item.id, 'the current item is the one that was loaded');

  // Seek, and settings.
  check((await player.pause()).rate === 0, 'paused');
  const result = await player.seek({ seekRequest: { time: 4.5 } });
  check(result.finished && result.time === 4.5, `sought ${JSON.stringify(result)}`);
  state = await player.updatePlayer({ playerUpdate: { volume: 0.25, isMuted: true } });
  check(state.volume === 0.25 && state.isMuted, `updated ${JSON.stringify(state)}`);

  // A host time keeps its microseconds, also if the server has been up for months.
  for (;;) {
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const raw = (await (await fetch(`${address}/api/v1/player`, { headers })).json()) as { revision: number; anchor: { hostTime: number } };
    state = await player.getPlayer();
    if (raw.revision !== state.revision) continue;
    check(Math.abs(state.anchor.hostTime - raw.anchor.hostTime) < 1e-6, 'a host time lost digits');
    break;
  }

  // The queue; a repeated request is not performed again.
  const made = await queue.putQueue({ queueRequest: { entries: [{ url: medium }, { url: medium, title: 'Second' }] } });
  check(made.count === 2 && made.entries[1].title === 'Second', `queued ${JSON.stringify(made)}`);
  const idempotencyKey = `key-${Math.random()}`;
  for (let i = 0; i < 2; i += 1) await queue.addToQueue({ queueAddition: { entries: [{ url: medium }] }, idempotencyKey });
  check((await queue.getQueue()).count === 3, 'added once');
  check((await queue.nextEntry()).queue.index === 1, 'the next entry is current');
  check((await items.getItemDetails({ id: made.entries[1].id })).title === 'Second', 'details');
  check((await items.getWaveform({ id: made.entries[0].id, points: 50, wait: 60 })).maximum.length === 50, 'waveform');

  // Errors are problems.
  const beyond = await problem(player.seek({ seekRequest: { time: 1000 } }));
  check(beyond.type === '/problems/seek-out-of-range' && Math.abs((beyond.end ?? 0) - 10) < 0.1, JSON.stringify(beyond));
  const outside = await problem(items.putItem({ itemRequest: { url: 'file:///etc/passwd' } }));
  check(outside.status === 403 && outside.pointer === '/url', JSON.stringify(outside));
  const stale = await problem(player.updatePlayer({ playerUpdate: { volume: 1 }, ifMatch: '"x"' }));
  check(stale.status === 412, JSON.stringify(stale));
  console.log('ok');
}

drive().catch((error) => {
  console.log(`drive.ts: ${error}`);
  process.exitCode = 1;
});
