// @ts-check
import { date, list, number, t } from './lang/lang.js';
/** @typedef {import('./store.js').Format} Format */

/** The displayed text for an unknown or endless duration. */
export const NO_TIME = '–:––';
const MINUS = '−';

/**
 * Formats a time: `0:05`, `4:00`, `1:02:03`. The time is rounded down to whole seconds, so that a second is counted after it has been heard.
 * @param {number | undefined} seconds
 */
export function formatTime(seconds) {
  if (seconds === undefined || !Number.isFinite(seconds)) return NO_TIME;
  const whole = Math.floor(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? MINUS : '';
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return sign + (h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`);
}

/**
 * Formats a position, with the sign `≈` before a position that is only estimated: `≈1:02`.
 * @param {number} seconds
 * @param {boolean} [isEstimated]
 */
export const formatPosition = (seconds, isEstimated) => (isEstimated ? '≈' : '') + formatTime(seconds);

/**
 * Formats the remaining time of an item, as `−2:55`. It is the displayed duration minus the displayed position, both in whole seconds. So the
 * remaining time and the position change at the same moment, and always add up to the duration.
 * @param {number} position
 * @param {number | undefined} duration
 */
export function formatRemaining(position, duration) {
  if (duration === undefined || !Number.isFinite(duration)) return NO_TIME;
  return `${MINUS}${formatTime(Math.max(0, Math.floor(duration) - Math.floor(position)))}`;
}

/**
 * Returns the second line of an entry: its artist, and the day on which an episode was published.
 * @param {import('./store.js').Item} item
 */
export function formatOrigin({ artist = '', publicationDate }) {
  const day = publicationDate ? date(new Date(publicationDate), { dateStyle: 'medium' }) : '';
  return artist && day ? `${artist} · ${day}` : artist || day;
}

/**
 * Formats a time in words, for screen readers: `1 minute 5 seconds`.
 * @param {number} seconds
 */
export function speakTime(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = /** @type {const} */ ([[Math.floor(whole / 3600), 'hour'], [Math.floor(whole / 60) % 60, 'minute'], [whole % 60, 'second']]);
  const words = parts.filter(([count], index) => count !== 0 || (whole === 0 && index === 2))
    .map(([count, unit]) => number(count, { style: 'unit', unit, unitDisplay: 'long' }));
  return list(words, { type: 'unit', style: 'narrow' });
}

/**
 * Formats a position and a duration in words, as `1 minute 5 seconds of 4 minutes`.
 * @param {number} position
 * @param {number | undefined} duration
 */
export function speakPosition(position, duration) {
  return duration === undefined ? speakTime(position) : t('shell.positionOf', { position: speakTime(position), duration: speakTime(duration) });
}

/**
 * Formats a rate of playback, as `1.5×`.
 * @param {number} rate
 */
export function formatRate(rate) {
  return `${signed(Math.round(rate * 1000) / 1000)}×`;
}

/**
 * Formats a volume, as `40%` or `40 %`.
 * @param {number} volume the volume, 0…1
 */
export function formatVolume(volume) {
  return number(Math.round(volume * 100) / 100, { style: 'percent' });
}

/** The usual names of codecs, by FFmpeg's names. */
const CODECS = new Map([
  ['aac', 'AAC'], ['ac3', 'AC-3'], ['alac', 'Apple Lossless'], ['ape', 'Monkey’s Audio'], ['dts', 'DTS'], ['eac3', 'E-AC-3'], ['flac', 'FLAC'],
  ['mp2', 'MP2'], ['mp3', 'MP3'], ['opus', 'Opus'], ['speex', 'Speex'], ['tta', 'TTA'], ['vorbis', 'Vorbis'], ['wavpack', 'WavPack'],
  ['wmav2', 'WMA'], ['wmalossless', 'WMA Lossless'],
]);
const CHANNELS = new Map([[6, '5.1'], [8, '7.1']]);

/** @param {number} count */
function channelsOf(count) {
  return CHANNELS.get(count) ?? (count === 2 ? t('shell.stereo') : t('shell.channels', { count }));
}

/** @param {string} codec FFmpeg's short name of the codec */
function nameCodec(codec) {
  if (codec.startsWith('pcm_')) return 'PCM';
  if (codec.startsWith('dsd_')) return 'DSD';
  return CODECS.get(codec) ?? codec.toUpperCase();
}

/**
 * Formats a number, with the minus sign in place of a hyphen.
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
const signed = (value, options) => number(value, options).replace('-', MINUS);

/**
 * Formats a value with its unit. A no-break space keeps both on one line.
 * @param {number} value
 * @param {string} name the symbol of the unit
 * @param {Intl.NumberFormatOptions} [options]
 */
export const unit = (value, name, options) => `${signed(value, options)}\u00a0${name}`;

/** @param {number} hertz */
export const kilohertz = (hertz) => unit(Math.round(hertz / 10) / 100, 'kHz');

/**
 * Formats an audio format, as `FLAC · 44.1 kHz · 16 bit · stereo · 812 kbit/s`.
 * @param {Format | undefined} format
 */
export function describeFormat(format) {
  if (!format) return '';
  const parts = [
    nameCodec(format.codec ?? ''),
    format.sampleRate > 0 && kilohertz(format.sampleRate),
    format.bitsPerSample && unit(format.bitsPerSample, 'bit'),
    format.channels > 0 && channelsOf(format.channels),
    format.bitRate && unit(Math.round(format.bitRate / 1000), 'kbit/s'),
  ];
  return parts.filter(Boolean).join('\u00a0· ');
}

/**
 * Returns the title of an item or an entry, or the last part of its address.
 * @param {{title?: string, stationName?: string, url: string} | undefined} item
 */
export function titleOf(item) {
  if (!item) return '';
  return item.title || item.stationName || nameOf(item.url) || t('shell.untitled');
}

/**
 * Returns the last part of an address or path, decoded from percent-encoding.
 * @param {string} address
 */
export function nameOf(address) {
  const path = address.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return decoded(name);
}

/**
 * Returns a text decoded from percent-encoding. U+FFFD replaces bytes that are not UTF-8.
 * @param {string} text
 */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = text.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
    return new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
  }
}
