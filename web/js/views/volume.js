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
    mute,
  });
  level.after(slider.hint);
  onPress(mute, () => remote.toggleMute());

  return {
    change: slider.change,
    render() {
      const { state } = remote.store;
      setEnabled(mute, !!state);
      level.disabled = !state;
      slider.render();
    },
  };
}
