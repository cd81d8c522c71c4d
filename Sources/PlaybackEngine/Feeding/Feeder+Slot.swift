import CoreMedia

extension Feeder {
    /// Performs work that may block for long. A newer order of the engine interrupts the work, but only if the reader can seek: after an interrupt,
    /// its position is undefined until a seek.
    func interruptibly<Result>(_ index: Int, _ work: () throws(PlaybackError) -> Result) throws(PlaybackError) -> Result {
        guard slots[index].isSeekable else { return try work() }
        interrupts.beginWork(slots[index].interrupt)
        defer { interrupts.endWork() }
        return try work()
    }

    /// The index of the next item that has not failed; nil if none follows.
    func follower(of index: Int) -> Int? { slots.indices.first { $0 > index && !slots[$0].hasFailed } }

    /// An item that the feeder reads now or later, and the state of its reader.
    struct Slot {
        var request: LoadRequest
        let interrupt: Interrupt
        var isOpening = false
        var reader: (any AudioReader)?
        /// Whether the reader can seek, so that reading can continue after an interrupt.
        var isSeekable = false
        var hasFailed = false
        /// The format in which the reader delivers audio; nil if it has not been set.
        var format: AudioFormat?
        /// Whether the reading of the item has begun for the newest order.
        var isBegun = false
        /// Whether the reader may have moved from the item's start. A reader that has moved must seek, even to position 0.
        var hasMoved = false
        var isEnded = false
        var position: Int64 = 0
        var end: Int64 = .max
        /// The media position at which reverse playback of the item ends, in frames: the last frame that is played.
        var reverseEnd: Int64 = 0
        /// The loop of the item, in frames; nil if the item does not repeat.
        var loop: LoopFrames?
        var loopAudio = LoopAudio()
        var knownDuration: MediaDuration = .unknown
        private var knownSkips = 0
        /// Whether the positions of the reader's audio are only estimated, as the last notice to the engine stated.
        private(set) var isPositionEstimated = false
        /// The preceding item whose last frames were computed with the beginning of this item; nil if there is none.
        private var joined: ItemID?
        var item: ItemID { request.item }

        /// Whether the last frames of the preceding item may be computed with the beginning of this item: only if the item is played from its
        /// beginning, and its reader can seek back to it.
        var canBeJoined: Bool { isSeekable && request.startTime == .zero }
        /// The media position at which forward reading ends, or turns to the start of the loop, in frames.
        var forwardLimit: Int64 { loop.map { position < $0.end ? min(end, $0.end) : end } ?? end }
        /// The media position at which reverse reading ends, or turns to the end of the loop, in frames.
        var reverseLimit: Int64 { loop.map { position > $0.start ? max(reverseEnd, $0.start) : reverseEnd } ?? reverseEnd }
        /// Keeps a block, if it belongs to the loop, for the next passes. The blocks of the first pass are kept too, so that all passes have the same
        /// samples: if a decoder depends on all earlier packets (AAC), samples that are decoded after a seek may differ in their last bits.
        mutating func keep(_ block: AudioBlock) {
            guard let loop, !loopAudio.isComplete else { return }
            var part = block
            if block.position <= loop.start, loop.start < block.end {
                loopAudio.beginTurn()
                part = block.split(at: Int(loop.start - block.position)).1
            }
            loopAudio.keep(part, isLast: part.end == loop.end)
        }

        /// Returns a notice for each fact of `reader` that differs from the last notice of it: the duration, the number of skipped packets, and
        /// whether the positions are estimated.
        mutating func takeNotices(of reader: any AudioReader) -> [FeederNotice] {
            var notices: [FeederNotice] = []
            if reader.duration != knownDuration { notices.append(.durationChanged(item, reader.duration)) }
            if reader.skippedPackets != knownSkips { notices.append(.packetsSkipped(item, reader.skippedPackets)) }
            if reader.isPositionEstimated != isPositionEstimated { notices.append(.positionEstimated(item, reader.isPositionEstimated)) }
            (knownDuration, knownSkips, isPositionEstimated) = (reader.duration, reader.skippedPackets, reader.isPositionEstimated)
            return notices
        }

        /// Whether reading has reached the position at which the loop turns.
        func isAtTurn(isReverse: Bool) -> Bool { loop.map { isReverse ? position == $0.start : position == $0.end } ?? false }

        /// Shortens the loop to the medium's end, because the medium is shorter than its container states. Returns false if the item has no loop, or
        /// if the shortened loop would be too short.
        mutating func endLoop(sampleRate: Int) -> Bool {
            guard let loop, position < loop.end, let shorter = loop.ending(atMost: position, sampleRate: sampleRate) else { return false }
            self.loop = shorter
            loopAudio = LoopAudio()
            return true
        }

        /// Records that the item is read after the item `former`; `isJoined` means that the last frames of `former` depend on the beginning of this
        /// item. If the beginning was used for another item before, the reader's format is set again, and it seeks to its start before it reads.
        mutating func begin(after former: ItemID, isJoined: Bool = false) {
            if joined.map({ $0 != former }) == true { (format, hasMoved, joined) = (nil, true, nil) }
            if isJoined { joined = former }
        }

        /// Lets the reader of the preceding item return its last frames, which depend on the beginning of this item. If the reader of this item has
        /// moved, it seeks to its start first.
        func finish(_ former: any AudioReader) throws(PlaybackError) {
            if hasMoved { _ = try reader?.seek(to: 0, before: 0, after: 0) }
            try former.finish(with: reader)
        }

        /// Notes the reader of the opened medium.
        mutating func open(_ reader: any AudioReader) {
            self.reader = reader
            isSeekable = reader.info.isSeekable
            knownDuration = reader.duration
        }

        /// Notes the format in which the reader delivers audio from now on.
        mutating func adopt(_ format: AudioFormat) {
            // If the output format changes after the first read, because another device was opened, the reader has to seek before the next read.
            if self.format != nil { hasMoved = true }
            self.format = format
            end = FrameCount.frames(of: request.forwardEndTime, sampleRate: format.sampleRate) ?? .max
            reverseEnd = max(0, FrameCount.frames(of: request.reverseEndTime, sampleRate: format.sampleRate) ?? 0)
            prepareLoop(sampleRate: format.sampleRate)
        }

        /// Computes the frames of the requested loop, and discards the kept audio of the former loop.
        mutating func prepareLoop(sampleRate: Int) {
            loopAudio = LoopAudio()
            loop = isSeekable ? LoopFrames(request.loop, sampleRate: sampleRate, limit: end) : nil
        }

        init(_ request: LoadRequest, interrupt: Interrupt) {
            self.request = request
            self.interrupt = interrupt
        }
    }
}
