import Glibc
public import PlaybackEngine

extension PlayerState {
    /// The way of the current item's audio from its medium to the device: everything that the player and the sound server do to the samples.
    public struct SignalPath: Sendable, Hashable {
        /// The format of samples: their rate in frames per second, and the number of channels.
        public struct Format: Sendable, Hashable {
            public var sampleRate: Int
            public var channels: Int
            public init(sampleRate: Int, channels: Int) { (self.sampleRate, self.channels) = (sampleRate, channels) }
        }

        /// The format of the medium.
        public var source: Format
        /// The codec of the medium.
        public var codec: String
        /// The bit depth of the medium, 24 for floats of 32 bits; nil if it is unknown, or if the codec is lossy.
        public var bitsPerSample: Int?
        /// The format in which the output receives the audio, as 32-bit floats.
        public var output: Format
        /// The format in which the device plays; nil if the output has no device, or if its format is unknown.
        public var device: DeviceFormat?
        /// Whether the device has as many channels as the output, but for speakers at other places, so that the sound server mixes the channels.
        public var isRemixed: Bool
        /// The amplification by loudness tags, in decibels; 0 if there is none.
        public var loudnessGain: Double
        /// The attenuation for headroom, in decibels, at most 0; 0 if there is none.
        public var headroomGain: Double
        /// The algorithm that changes the speed; nil at the rate 1, and while no rate is requested.
        public var timePitchAlgorithm: PitchAlgorithm?
        /// The duration of crossfades, in seconds.
        public var crossfade: Double
        /// The factor of the player's volume; 0 if it is muted.
        public var volume: Double

        /// Whether the player converts the sample rate.
        public var isResampled: Bool { source.sampleRate != output.sampleRate }
        /// Whether the output has fewer channels than the medium.
        public var isMixedDown: Bool { output.channels < source.channels }
        /// Whether the samples of the medium have more bits than those in the player.
        public var isRounded: Bool { (bitsPerSample ?? 0) > AudioFormat.precision }
        /// Whether the output receives exactly the samples of the medium.
        public var isUnchanged: Bool {
            source == output && !isRounded && loudnessGain == 0 && headroomGain == 0 && timePitchAlgorithm == nil && volume == 1
        }

        public init(
            source: Format, codec: String = "", bitsPerSample: Int? = nil, output: Format, device: DeviceFormat? = nil, isRemixed: Bool = false,
            loudnessGain: Double = 0, headroomGain: Double = 0, timePitchAlgorithm: PitchAlgorithm? = nil, crossfade: Double = 0,
            volume: Double = 1
        ) {
            self.isRemixed = isRemixed
            (self.source, self.codec, self.bitsPerSample, self.output, self.device) = (source, codec, bitsPerSample, output, device)
            self.headroomGain = headroomGain
            (self.loudnessGain, self.timePitchAlgorithm, self.crossfade, self.volume) = (loudnessGain, timePitchAlgorithm, crossfade, volume)
        }
    }
}

extension PlayerState.SignalPath {
    /// A change of the samples between the medium and the device. The cases are in the order in which the changes happen.
    public enum Step: Sendable, Hashable {
        /// The player mixes the channels into another number of channels.
        case mix(from: Int, to: Int)
        /// The player converts the sample rate.
        case resample(from: Int, to: Int)
        /// The player multiplies the samples by the gain of the loudness tags, in decibels.
        case loudness(Double)
        /// The player attenuates the samples, so that they stay below full scale. The gain is in decibels, below 0.
        case headroom(Double)
        /// The player mixes the end of an item with the beginning of the next, for a duration in seconds.
        case crossfade(Double)
        /// The player changes the speed.
        case timeStretch(PitchAlgorithm)
        /// The sound server multiplies the samples by the player's volume.
        case volume(Double)
        /// The sound server converts the sample rate, because the device or the server's clock has another rate.
        case serverResample(from: Int, to: Int)
        /// The sound server mixes the channels into those of the device.
        case serverMix(from: Int, to: Int)
        /// The samples are rounded to this number of bits, without dither. The player rounds media of more bits to those of its floats. The sound
        /// server rounds to the bits of the device; the player rounds to the bits of the WAV file that it writes.
        case round(to: Int)
        /// The player rounds the samples to the bits of the WAV file that it writes. It adds noise before (dither), so that the
        /// rounding does not distort.
        case dither(to: Int)
    }

    /// The difference between the samples that the device plays and the samples of the medium.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// The device plays the samples of the medium.
        case bitPerfect
        /// The device plays the audio of the medium in another form: in other samples, at another rate or in other channels.
        case converted
        /// The audio itself was changed: its level, its speed, or the transition from one item to the next.
        case altered
    }

    public var steps: [Step] {
        var steps: [Step] = isRounded ? [.round(to: AudioFormat.precision)] : []
        if source.channels != output.channels { steps.append(.mix(from: source.channels, to: output.channels)) }
        if isResampled { steps.append(.resample(from: source.sampleRate, to: output.sampleRate)) }
        if loudnessGain != 0 { steps.append(.loudness(loudnessGain)) }
        if headroomGain != 0 { steps.append(.headroom(headroomGain)) }
        if crossfade > 0 { steps.append(.crossfade(crossfade)) }
        if let timePitchAlgorithm { steps.append(.timeStretch(timePitchAlgorithm)) }
        if volume != 1 { steps.append(.volume(volume)) }
        guard let device else { return steps }
        var rate = output.sampleRate
        for next in [device.clockRate ?? rate, device.sampleRate] where next != rate {
            steps.append(.serverResample(from: rate, to: next))
            rate = next
        }
        if device.channels != output.channels || isRemixed { steps.append(.serverMix(from: output.channels, to: device.channels)) }
        if let bits = device.bitsPerSample, bits < neededBits(of: steps) {
            steps.append(device.dither == .none ? .round(to: bits) : .dither(to: bits))
        }
        return steps
    }

    /// The number of bits that represent the samples after `steps` without rounding. The samples become 32-bit floats, which need 24 bits, if the
    /// codec is lossy, and at each step except one: if the server copies a mono stream to several channels, the samples of the medium do not change.
    private func neededBits(of steps: [Step]) -> Int {
        guard let bitsPerSample, steps.allSatisfy({ if case .serverMix(1, _) = $0 { true } else { false } }) else { return AudioFormat.precision }
        return bitsPerSample
    }

    /// The reason of a verdict: a kind of step, or a property of the medium.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case mix, resample, loudness, headroom, crossfade, timeStretch, volume, serverResample, serverMix, round, dither
        /// The codec is lossy.
        case lossyCodec
        /// The medium has more bits than the samples in the player.
        case bitDepth
    }

    /// A verdict, and the first reason for it; the reason is nil for `bitPerfect`.
    public struct Judgement: Sendable, Hashable {
        public var verdict: Verdict
        public var reason: Reason?
        public init(_ verdict: Verdict, because reason: Reason? = nil) { (self.verdict, self.reason) = (verdict, reason) }
    }

    /// The judgement about the whole way from the medium to the device. A mono medium that is copied to both channels keeps its samples.
    public var judgement: Judgement {
        var reason: Reason? = isRounded ? .bitDepth : isLossless ? nil : .lossyCodec
        for step in steps {
            switch step {
            case .loudness, .headroom, .crossfade, .timeStretch, .volume: return Judgement(.altered, because: step.kind)
            case .serverMix(from: 1, to: 2), .mix(from: 1, to: 2): break
            case .mix, .resample, .serverResample, .serverMix, .round, .dither: reason = reason ?? step.kind
            }
        }
        return Judgement(reason == nil ? .bitPerfect : .converted, because: reason)
    }

    /// Whether the decoded samples are exactly those that were encoded.
    public var isLossless: Bool { bitsPerSample != nil }

    /// The way of a medium's audio to an output.
    /// - Parameters:
    ///   - info: The facts about the medium.
    ///   - output: The format of the open output.
    ///   - device: The format of the output's device; nil if it has none.
    ///   - state: The state with the settings that change samples.
    ///   - headroom: The attenuation that keeps samples below full scale.
    init(_ info: MediaInfo, to output: AudioFormat, on device: DeviceFormat?, _ state: PlayerState, headroom: Headroom = .off) {
        let tags = LoudnessTags(info)
        func decibels(_ factor: Float) -> Double { factor == 1 ? 0 : (2000 * log10(Double(factor))).rounded() / 100 }
        self.init(
            source: Format(sampleRate: info.format.sampleRate, channels: info.format.channelCount), codec: info.codecName,
            bitsPerSample: info.neededBits, output: Format(sampleRate: output.sampleRate, channels: output.channelCount), device: device,
            isRemixed: device?.layout.map { $0.count > 1 && $0.count == output.channelCount && $0 != output.channelLayout } ?? false,
            loudnessGain: decibels(tags.factor(state.loudnessNormalization)),
            headroomGain: decibels(tags.reduction(headroom, after: state.loudnessNormalization)),
            timePitchAlgorithm: state.rate == 0 || state.rate == 1 ? nil : state.audioTimePitchAlgorithm, crossfade: state.crossfadeDuration,
            volume: state.isMuted ? 0 : state.volume)
    }
}

extension PlayerState.SignalPath.Step {
    /// The kind of the step, without its values.
    public var kind: PlayerState.SignalPath.Reason {
        switch self {
        case .mix: .mix
        case .resample: .resample
        case .loudness: .loudness
        case .headroom: .headroom
        case .crossfade: .crossfade
        case .timeStretch: .timeStretch
        case .volume: .volume
        case .serverResample: .serverResample
        case .serverMix: .serverMix
        case .round: .round
        case .dither: .dither
        }
    }
}
