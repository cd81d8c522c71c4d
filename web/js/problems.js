// @ts-check
import { t } from './lang/lang.js';
import { Refusal, Unreachable } from './link/api.js';

/** The texts for what the user can do about a problem, by its kind (the end of its `type`). */
const STEPS = new Map([
  ['precondition-failed', 'changed'], ['current-entry-changed', 'changed'], ['item-replaced', 'changed'], ['entry-not-found', 'gone'],
  ['item-not-found', 'gone'], ['outside-media-roots', 'roots'], ['too-many-entries', 'full'], ['queue-too-large', 'full'],
  ['item-not-ready', 'later'], ['command-expired', 'later'],
  ['waveform-not-ready', 'later'], ['output-unavailable', 'output'], ['output-not-found', 'output'],
]);

/**
 * Returns a sentence about an error, and what the user can do. It states only what is known: for example, not that a request without a response had
 * no effect.
 * @param {unknown} error
 */
export function describeError(error) {
  if (error instanceof Unreachable) return t(error.wasSent ? 'link.unknown' : 'link.notSent');
  if (!(error instanceof Refusal)) return t('link.pageFailed');
  const kind = error.problem.type?.split('/').at(-1) ?? '';
  const step = STEPS.get(kind) ?? (error.status === 429 || error.status >= 500 ? 'later' : undefined);
  const text = error.problem.detail || error.problem.title || t('link.refused', { status: String(error.status) });
  return step ? `${text} ${t(`link.step.${step}`)}` : text;
}

/** Returns whether another attempt may succeed after an error. @param {unknown} error */
export function canRepeat(error) {
  return error instanceof Unreachable || (error instanceof Refusal && (error.status === 429 || error.status >= 500));
}
