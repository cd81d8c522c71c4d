// @ts-check
import { hook, onPress, setEnabled } from './hooks.js';
import { mountVolumeSlider } from './volumeSlider.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Connects the controls of volume and mute of the player.
 * @param {Remote} remote
 */
export function mountVolume(remote) {
  const mute = hook('mute', HTMLButtonElement);
  const level = hook('volume', HTMLInputElement);
  const slider = mountVolumeSlider(level, {
    remote, read: () => remote.shownVolume(), write: (volume) => remote.setVolume(volume), isMuted: () => !!remote.store.state?.isMuted,
  });
  level.after(slider.hint);
  onPress(mute, () => remote.toggleMute());

  return {
    change: slider.change,
    render() {
      const { state } = remote.store;
      const volume = remote.shownVolume();
      setEnabled(mute, !!state);
      mute.setAttribute('aria-pressed', String(!!state?.isMuted));
      mute.dataset.level = state?.isMuted || volume === 0 ? 'off' : volume < 0.5 ? 'low' : 'high';
      level.disabled = !state;
      slider.render();
    },
  };
}
