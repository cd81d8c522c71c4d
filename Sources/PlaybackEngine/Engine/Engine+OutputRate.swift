/// The choice of the output's sample rate: which rate the device is asked for, and when (`OutputRate`).
extension Engine {
    /// Returns the format in which an item of the format `wanted` is played. Its rate is the fixed rate, if one was chosen; otherwise the item's own
    /// rate, if the device may be asked for it or has no rate of its own; otherwise the present rate of the device.
    func playable(_ wanted: AudioFormat) -> AudioFormat {
        let present = outputRate.asksDevice && mayAsk(for: wanted.sampleRate) ? nil : output.deviceRate
        return wanted.playable(on: output.speakers, at: outputRate.fixed ?? present)
    }

    var outputRate: OutputRate { settings.outputRates.rate(of: output.description?.id) }

    private func mayAsk(for rate: Int) -> Bool {
        guard let id = output.description?.id, let present = output.deviceRate else { return true }
        return present == rate || !outputs.refusedRates.contains(rate, by: id, at: present)
    }

    /// Records that the device kept its rate, although it was opened for the rate `asked`. If another program played on the device, nothing is
    /// recorded, because the device may take the rate after that program has ended.
    func noteRefusal(of asked: Int) {
        guard outputRate.asksDevice, !output.isShared, let id = output.description?.id, let present = output.deviceRate, present != asked
        else { return }
        outputs.refusedRates.note(asked, by: id, at: present)
    }

    /// Whether the device has to be opened at another rate for the audio of an item that begins after a cut.
    func needsOtherRate(_ item: ItemID) -> Bool {
        guard output.isOpen, output.deviceRate != nil || outputRate.fixed != nil, let wanted = facts.format(of: item) else { return false }
        return playable(wanted).sampleRate != output.format.sampleRate
    }

    /// Whether `item` follows the end of another item, and the device has to be opened at another rate before the audio of `item` is rendered
    /// (R-LNX-46).
    func awaitsRate(of item: ItemID) -> Bool {
        guard outputRate == .item, let last = timeline.segments.last, last.reachesEndOfItem, last.item != item, !track.isCrossfaded(into: item) else {
            return false
        }
        return needsOtherRate(item)
    }

    /// Opens the device again at the rate of the next item, after all audio of the preceding item was heard. Returns false if the next item needs no
    /// other rate, or if audio of the preceding item has not been heard yet. `changeRateAtJoint` is called again at each underrun: a sound server
    /// reports one when it has taken the last frame, and another after that frame was heard.
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

    /// Opens the device again for an item of the format `wanted`, and orders the item's audio from output frame `start` on. If the device does not
    /// take the item's rate, it is opened once more at the device's own rate.
    private func changeRate(for wanted: AudioFormat, at start: Int64) {
        let asked = playable(wanted).sampleRate
        change(to: AudioFormat(sampleRate: asked, channelLayout: output.format.channelLayout), at: start, by: .opened)
        guard output.isOpen else { return }
        noteRefusal(of: asked)
        guard let format = formatOfDevice, let start = withdrawStopping() else { return }
        change(to: format, at: start, by: .opened)
    }
}
