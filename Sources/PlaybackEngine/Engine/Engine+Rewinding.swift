/// Rendered audio that is taken back from the device, and what is put in its place. `OutputStage` says how it sounds.
extension Engine {
    /// Takes back all that the device has not taken: it plays on with what it has, or stops. Returns the number of the first frame that was taken back, nil
    /// if no device is open.
    @discardableResult func withdraw() -> Int64? {
        do throws(PlaybackError) { return try output.withdraw() } catch {
            outputLost(error)
            return nil
        }
    }

    /// Takes back what the device has not taken and renders it again, with the present settings.
    func renderAgain() {
        guard let taken = withdraw() else { return }
        output.replace(with: .again(timeline.value))
        rewind(to: taken)
        _ = fill()
        settle()
        publishTimeline(changed: true)
        _ = startIfReady()
    }

    /// Gives a held device what was put in place. If the device was quicker, everything is put in place again after the frames that it took; a device
    /// that is quicker three times is stopped for it.
    func settle() {
        var attempts = 1
        do throws(PlaybackError) {
            while let late = try output.release(isLastAttempt: attempts == 3) {
                attempts += 1
                putAgain(late)
            }
        } catch {
            return outputLost(error)
        }
        output.discardOld()
    }

    private func putAgain(_ late: LateSplice) {
        switch late.replacement {
        case .nothing: output.fadeAway()
        case .pause: output.pauseAgain(at: late.start)
        case .jump(let jump, let opening, let mark):
            timeline.removeAll(from: late.formerStart)
            renderer.reset()
            track.restore(mark)
            output.expect(jump)
            if let opening { open(opening.item, media: opening.media) }
            _ = fill()
        case .again(let former):
            timeline.restore(former)
            rewind(to: late.start)
            _ = fill()
        }
    }

    /// Returns rendering to output frame `taken`: nothing from there on has been or will be heard as it was rendered.
    func rewind(to taken: Int64) {
        output.rewind(to: taken)
        renderer.reset()
        guard let segment = timeline.rewind(to: taken) else { return publishTimeline(changed: true) }
        if let end = segment.end, end <= taken {
            // Audio that was ordered and has not arrived is ordered in the present direction. Between items the next start follows; backwards, the item that
            // has ended is read again.
            if let point = reading.resumePoint {
                readAgain(point.item, from: point.position)
            } else if !settings.isReverse {
                track.move(behindEndOf: segment.item)
            } else {
                readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
            }
        } else {
            let media = segment.mediaFrame(at: max(taken, segment.start)).rounded()
            // Audio is kept forwards only.
            if !settings.isReverse, segment.rate > 0, track.rewind(to: segment.item, position: Int64(media)) {
                output.beginAgain()
                beginSegment(of: segment.item, media: media)
            } else {
                timeline.rest(on: segment.item, media: media, rate: settings.effectiveRate, at: taken)
                readAgain(segment.item, from: Int64(media))
            }
        }
        publishTimeline(changed: true)
    }

    /// Discards what follows an item, and takes back what was rendered of it.
    func cut(after item: ItemID) {
        track.forgetCrossfadeDecision()
        guard track.truncate(after: item) else { return }
        if heardItem == item || timeline.segments.contains(where: { $0.item == item }) { renderAgain() }
    }
}
