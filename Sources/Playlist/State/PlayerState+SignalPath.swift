import Glibc
public import PlaybackEngine

extension PlayerState {
    /// The way of the current item's audio from its medium to the output: everything that the player does to the samples. What a sound server or a
    /// device does after that is not part of it.
    public struct SignalPath: Sendable, Hashable {
        /// The format of samples: their rate in frames per second, and the number of channels.
        public struct Format: Sendable, Hashable {
            public var sampleRate: Int
            public var channels: Int
            public init(sampleRate: Int, channels: Int) { (self.sampleRate, self.channels) = (sampleRate, channels) }
        }

        /// The format of the medium.
        public var source: Format
        /// The bit depth of the medium; nil if it is unknown, or if the codec is lossy.
        public var bitsPerSample: Int?
        /// The format in which the output receives the audio, as 32-bit floats.
        public var output: Format
        /// The amplification by loudness tags, in decibels; 0 if there is none.
        public var loudnessGain: Double
        /// The algorithm that changes the speed; nil at the rate 1, and while no rate is requested.
        public var timePitchAlgorithm: PitchAlgorithm?
        /// The factor of the player's volume; 0 if it is muted.
        public var volume: Double

        public var isResampled: Bool { source.sampleRate != output.sampleRate }
        /// Whether the output has fewer channels than the medium.
        public var isMixedDown: Bool { output.channels < source.channels }
        /// Whether the output receives exactly the samples of the medium.
        public var isUnchanged: Bool { source == output && loudnessGain == 0 && timePitchAlgorithm == nil && volume == 1 }

        public init(
            source: Format, bitsPerSample: Int? = nil, output: Format, loudnessGain: Double = 0, timePitchAlgorithm: PitchAlgorithm? = nil,
            volume: Double = 1
        ) {
            (self.source, self.bitsPerSample, self.output) = (source, bitsPerSample, output)
            (self.loudnessGain, self.timePitchAlgorithm, self.volume) = (loudnessGain, timePitchAlgorithm, volume)
        }
    }
}

extension PlayerState.SignalPath {
    /// The way of a medium's audio to an output.
    /// - Parameters:
    ///   - info: The facts about the medium.
    ///   - output: The format of the open output.
    ///   - state: The state with the settings that change samples.
    init(_ info: MediaInfo, to output: AudioFormat, _ state: PlayerState) {
        let factor = LoudnessTags(info).factor(state.loudnessNormalization)
        self.init(
            source: Format(sampleRate: info.format.sampleRate, channels: info.format.channelCount), bitsPerSample: info.bitsPerSample,
            output: Format(sampleRate: output.sampleRate, channels: output.channelCount),
            loudnessGain: factor == 1 ? 0 : (2000 * log10(Double(factor))).rounded() / 100,
            timePitchAlgorithm: state.rate == 0 || state.rate == 1 ? nil : state.audioTimePitchAlgorithm,
            volume: state.isMuted ? 0 : state.volume)
    }
}
