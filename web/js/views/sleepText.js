// @ts-check
import { formatTime } from '../format.js';
import { t } from '../lang/lang.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {{kind: string, hostTime?: number, remainingItems?: number}} SleepTimer */

/**
 * Returns the sleep timer in few words; empty if it is off.
 * @param {Remote} remote
 */
export function describeSleep(remote) {
  const timer = /** @type {SleepTimer | undefined} */ (remote.store.state?.sleepTimer);
  switch (timer?.kind) {
    case 'time':
      return formatTime(Math.max(0, Math.ceil((timer.hostTime ?? 0) - remote.clock.hostNow())));
    case 'endOfItem':
    case 'endOfChapter':
      return t(`now.sleep.${timer.kind}`);
    case 'items':
      return t('now.sleep.items', { count: timer.remainingItems ?? 1 });
    default:
      return '';
  }
}
