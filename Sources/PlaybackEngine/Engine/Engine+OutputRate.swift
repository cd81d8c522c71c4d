/// The sample rate that the device is asked for, and the time at which it is asked (`OutputRate`).
extension Engine {
    /// The format in which audio of the format `wanted` is played. Its rate is the one that the user has fixed; otherwise that of `wanted`, if the
    /// device may be asked for it or has no rate of its own; otherwise the device's.
    func playable(_ wanted: AudioFormat) -> AudioFormat {
        let present = outputRate.asksDevice && mayAsk(for: wanted.sampleRate) ? nil : output.deviceRate
        return wanted.playable(on: output.speakers, at: outputRate.fixed ?? present)
    }

    var outputRate: OutputRate { settings.outputRates.rate(of: output.description?.id) }

    private func mayAsk(for rate: Int) -> Bool {
        guard let id = output.description?.id, let present = output.deviceRate else { return true }
        return present == rate || !wantedOutput.refusedRates.contains(rate, by: id, at: present)
    }

    /// Records that the device refused a rate, unless another program played, because the device may take the rate after that program has ended.
    func noteRefusal(of asked: Int) {
        guard outputRate.asksDevice, !output.isShared, let id = output.description?.id, let present = output.deviceRate, present != asked
        else { return }
        wantedOutput.refusedRates.note(asked, by: id, at: present)
    }

    func needsOtherRate(_ item: ItemID) -> Bool {
        guard output.isOpen, output.deviceRate != nil || outputRate.fixed != nil, let wanted = facts.format(of: item) else { return false }
        return playable(wanted).sampleRate != output.format.sampleRate
    }

    /// Whether the device has to be opened at another rate before `item`, which follows another one (R-LNX-46).
    func awaitsRate(of item: ItemID) -> Bool {
        guard outputRate == .item, let last = timeline.segments.last, last.reachesEndOfItem, last.item != item, !tape.isCrossfaded(into: item) else {
            return false
        }
        return needsOtherRate(item)
    }

    /// Changes the rate after all audio of the preceding item was heard. Returns false if no other rate is needed, or some audio was not heard yet.
    /// Called at each underrun: a sound server reports one when it has taken the last frame, and another after that frame was heard.
    @discardableResult func changeRateAtJoint() -> Bool {
        guard output.fadeEnd == nil, let ring = output.ring, ring.endFrame <= timeline.heardFrame, case .start(let item, _)? = tape.next,
            awaitsRate(of: item), let wanted = facts.format(of: item), let start = withdrawStopping()
        else { return false }
        changeRate(for: wanted, at: start)
        return true
    }

    /// Changes the rate if the heard item now needs another one.
    func outputRateDidChange() {
        guard output.isOpen, !timeline.segments.isEmpty, let item = heardItem, needsOtherRate(item), let wanted = facts.format(of: item),
            let start = withdrawStopping()
        else { return }
        changeRate(for: wanted, at: start)
    }

    /// Opens the device at the rate for `wanted`, and orders the audio from output frame `start` on. If the device does not take the rate, it is
    /// opened once more at its own rate.
    private func changeRate(for wanted: AudioFormat, at start: Int64) {
        let asked = playable(wanted).sampleRate
        change(to: AudioFormat(sampleRate: asked, channelLayout: output.format.channelLayout), at: start, by: .opened)
        guard output.isOpen else { return }
        noteRefusal(of: asked)
        guard let format = formatOfDevice, let start = withdrawStopping() else { return }
        change(to: format, at: start, by: .opened)
    }
}
