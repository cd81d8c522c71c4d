/// The choice of the output's sample rate: which rate the device is asked for, and when (`OutputRate`).
extension Engine {
    /// Returns the format in which an item of the format `wanted` is played: at the item's own rate if the device may be asked for it, otherwise at the
    /// present rate of the device.
    func playable(_ wanted: AudioFormat) -> AudioFormat {
        let present = outputRate.asksDevice && mayAsk(for: wanted.sampleRate) ? nil : output.deviceRate
        return wanted.playable(on: output.speakers, at: outputRate.fixed ?? present)
    }

    var outputRate: OutputRate { settings.outputRates.rate(of: output.description?.id) }

    private func mayAsk(for rate: Int) -> Bool {
        guard let id = output.description?.id, let present = output.deviceRate else { return true }
        return present == rate || !outputs.refusedRates.contains(rate, by: id, at: present)
    }

    /// Records that the device has kept its rate although it was opened for the rate `asked`, unless another program played on it, which may end.
    func noteRefusal(of asked: Int) {
        guard outputRate.asksDevice, !output.isShared, let id = output.description?.id, let present = output.deviceRate, present != asked
        else { return }
        outputs.refusedRates.note(asked, by: id, at: present)
    }

    /// Whether an item that follows a cut is played at another rate than the present one.
    func needsOtherRate(_ item: ItemID) -> Bool {
        guard output.isOpen, output.deviceRate != nil || outputRate.fixed != nil, let wanted = facts.format(of: item) else { return false }
        return playable(wanted).sampleRate != output.format.sampleRate
    }

    /// Whether the device has to be opened in another rate before the audio of `item` is rendered, which follows the end of another item (R-LNX-46).
    func awaitsRate(of item: ItemID) -> Bool {
        guard outputRate == .item, let last = timeline.segments.last, last.reachesEndOfItem, last.item != item, !track.isCrossfaded(into: item) else {
            return false
        }
        return needsOtherRate(item)
    }

    /// Opens the device again in the rate of the next item, after all audio of the item before it was heard. Returns false if there is nothing to do.
    /// An underrun is reported when a server has taken the last frame, and again after that frame was heard.
    @discardableResult func changeRateAtJoint() -> Bool {
        guard output.fadeEnd == nil, let ring = output.ring, ring.endFrame <= timeline.heardFrame, case .start(let item, _)? = track.next,
            awaitsRate(of: item), let wanted = facts.format(of: item), let start = withdrawStopping()
        else { return false }
        changeRate(for: wanted, at: start)
        return true
    }

    /// Opens the device again if the new choice of the rate requires another rate for the item that is heard.
    func outputRateDidChange() {
        guard output.isOpen, !timeline.segments.isEmpty, let item = heardItem, needsOtherRate(item), let wanted = facts.format(of: item),
            let start = withdrawStopping()
        else { return }
        changeRate(for: wanted, at: start)
    }

    /// Opens the device again for an item of the format `wanted`, with its audio from output frame `start` on. If the device does not take the item's
    /// rate, it is opened once more in its own.
    private func changeRate(for wanted: AudioFormat, at start: Int64) {
        let asked = playable(wanted).sampleRate
        change(to: AudioFormat(sampleRate: asked, channelLayout: output.format.channelLayout), at: start, by: .opened)
        guard output.isOpen else { return }
        noteRefusal(of: asked)
        guard let format = formatOfDevice, let start = withdrawStopping() else { return }
        change(to: format, at: start, by: .opened)
    }
}
