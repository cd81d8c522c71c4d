import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Rates, channels and sample formats")
struct FormatTests {
    @Test("samples of every width are read exactly", arguments: [8, 16, 24])
    func widths(_ bits: Int) throws {
        let signal = TestSignal(frameCount: 9000)
        let reader = try Reading.open(TestMedia.shared.wave(signal, bits: bits))
        let scale = Float(sign: .plus, exponent: 1 - bits, significand: 1)
        #expect(try Reading.samples(reader) == signal.integers(bits: bits).map { Float($0) * scale })
        #expect(reader.info.bitsPerSample == bits)
        #expect(reader.info.format == AudioFormat(sampleRate: 44_100, channelLayout: .stereo))
    }

    @Test("32-bit integers are rounded to the nearest float; floats and doubles are unchanged", arguments: ["pcm_s32le", "pcm_f32le", "pcm_f64le"])
    func wide(_ codec: String) throws {
        let signal = TestSignal(frameCount: 9000)
        let reader = try Reading.open(TestMedia.shared.encoded(signal, bits: 24, as: codec, "wav", ["-c:a", codec]))
        #expect(try Reading.samples(reader) == signal.integers(bits: 24).map { Float($0) * 0x1p-23 })
        #expect(reader.info.bitsPerSample == (codec == "pcm_f64le" ? 64 : 32))
        #expect(reader.info.neededBits == ["pcm_s32le": 32, "pcm_f32le": 24, "pcm_f64le": 64][codec])
    }

    @Test("24-bit samples are exact through lossless codecs", arguments: ["flac", "alac", "wavpack"])
    func deepLossless(_ codec: String) throws {
        let signal = TestSignal(frameCount: 20_000)
        let format = codec == "flac" ? "s32" : "s32p"
        let ending = ["flac": "flac", "alac": "m4a", "wavpack": "wv"][codec] ?? ""
        let url = try TestMedia.shared.encoded(
            signal, bits: 24, as: codec, ending, ["-c:a", codec, "-sample_fmt", format, "-bits_per_raw_sample", "24"])
        let reader = try Reading.open(url)
        #expect(try Reading.samples(reader) == signal.integers(bits: 24).map { Float($0) * 0x1p-23 })
        #expect(reader.info.bitsPerSample == 24)
    }

    @Test("rates from 8 to 192 kHz are read exactly", arguments: [8000, 11_025, 16_000, 22_050, 32_000, 48_000, 88_200, 96_000, 176_400, 192_000])
    func rates(_ rate: Int) throws {
        let signal = TestSignal(sampleRate: rate, frameCount: 12_345)
        let reader = try Reading.open(TestMedia.shared.encoded(signal, as: "rates", "flac", ["-c:a", "flac"]))
        #expect(reader.info.format.sampleRate == rate)
        #expect(try Reading.samples(reader) == signal.integers(bits: 16).map { Float($0) * 0x1p-15 })
    }

    @Test("one to eight channels are read in order", arguments: 1...8)
    func channels(_ count: Int) throws {
        let signal = TestSignal(sampleRate: 48_000, channelCount: count, frameCount: 8000)
        for reader in [
            try Reading.open(TestMedia.shared.wave(signal)),
            try Reading.open(TestMedia.shared.encoded(signal, as: "channels", "flac", ["-c:a", "flac"])),
        ] {
            #expect(reader.info.format.channelCount == count)
            #expect(try Reading.samples(reader) == signal.integers(bits: 16).map { Float($0) * 0x1p-15 })
        }
    }

    @Test("channel layouts have FFmpeg's masks")
    func layouts() throws {
        let surround = TestSignal(sampleRate: 48_000, channelCount: 6, frameCount: 8000)
        let reader = try Reading.open(TestMedia.shared.encoded(surround, as: "layout", "ac3", ["-c:a", "ac3", "-b:a", "448k"]))
        #expect(reader.info.format.channelLayout.mask == 0x60F || reader.info.format.channelLayout.mask == 0x3F)
        #expect(reader.info.format.channelLayout.count == 6)
    }

    /// Further containers and codecs, which are only played once. The formats of `Encoding` have thorough tests.
    static let others: [(String, String, [String])] = [
        ("flac24", "flac", ["-sample_fmt", "s32", "-bits_per_raw_sample", "24"]), ("opus-mka", "mka", ["-c:a", "libopus", "-ar", "48000"]),
        ("vorbis-mka", "mka", ["-c:a", "libvorbis"]), ("mp3-mka", "mka", ["-c:a", "libmp3lame"]), ("wavpack-mka", "mka", ["-c:a", "wavpack"]),
        ("pcm-mka", "mka", ["-c:a", "pcm_s16le"]), ("flac-mp4", "mp4", ["-c:a", "flac", "-strict", "-2"]),
        ("mp3-mp4", "mp4", ["-c:a", "libmp3lame"]),
        ("opus-mp4", "mp4", ["-c:a", "libopus", "-ar", "48000", "-strict", "-2"]), ("pcm-mov", "mov", ["-c:a", "pcm_s16le"]),
        ("fragmented", "mp4", ["-c:a", "aac", "-aac_pns", "0", "-movflags", "frag_keyframe+empty_moov", "-frag_duration", "500000"]),
        ("mp3-avi", "avi", ["-c:a", "libmp3lame"]), ("mp3-flv", "flv", ["-c:a", "libmp3lame"]), ("mp3-nut", "nut", ["-c:a", "libmp3lame"]),
        ("flac-nut", "nut", ["-c:a", "flac"]),
        ("mp2", "mp2", ["-c:a", "mp2"]), ("mp2-ts", "ts", ["-c:a", "mp2"]), ("mp2-ps", "mpg", ["-c:a", "mp2"]),
        ("mp3-ts", "ts", ["-c:a", "libmp3lame"]),
        ("adpcm", "wav", ["-c:a", "adpcm_ima_wav"]), ("mulaw", "wav", ["-c:a", "pcm_mulaw"]), ("wmav1", "wma", ["-c:a", "wmav1"]),
        ("wmav2-wav", "wav", ["-c:a", "wmav2"]),
        ("dts", "dts", ["-c:a", "dca", "-strict", "-2"]), ("truehd", "thd", ["-c:a", "truehd", "-strict", "-2"]),
        ("w64", "w64", ["-c:a", "pcm_s16le"]),
        ("g723", "wav", ["-c:a", "g723_1", "-ar", "8000", "-ac", "1", "-b:a", "6300"]), ("lpcm", "vob", ["-c:a", "pcm_dvd", "-ar", "48000"]),
        ("rf64", "wav", ["-c:a", "pcm_s16le", "-rf64", "always"]), ("aifc", "aiff", ["-c:a", "pcm_s24be"]), ("voc", "voc", ["-c:a", "pcm_s16le"]),
        ("mp3-low", "mp3", ["-c:a", "libmp3lame", "-b:a", "8k", "-ac", "1", "-ar", "16000"]),
        ("adpcm-ms", "wav", ["-c:a", "adpcm_ms"]), ("adpcm-swf", "flv", ["-c:a", "adpcm_swf"]),
        ("yamaha", "wav", ["-c:a", "adpcm_yamaha"]), ("yamaha-mka", "mka", ["-c:a", "adpcm_yamaha"]),
        ("g722", "wav", ["-c:a", "g722", "-ac", "1", "-ar", "16000"]), ("g722-au", "au", ["-c:a", "g722", "-ac", "1", "-ar", "16000"]),
        ("g722-mka", "mka", ["-c:a", "g722", "-ac", "1", "-ar", "16000"]), ("g726", "wav", ["-c:a", "g726", "-ac", "1", "-ar", "8000"]),
        ("dfpwm", "wav", ["-c:a", "dfpwm", "-ac", "1"]), ("adx", "adx", ["-c:a", "adpcm_adx"]),
        ("ima4-caf", "caf", ["-c:a", "adpcm_ima_qt"]), ("ima4-aifc", "aiff", ["-c:a", "adpcm_ima_qt"]),
        ("ima4-mov", "mov", ["-c:a", "adpcm_ima_qt"]), ("ima-apm", "apm", ["-c:a", "adpcm_ima_apm", "-ar", "22050", "-ac", "1"]),
        ("mp3-freeform", "mp3", ["-c:a", "libmp3lame", "-b:a", "32k", "-ac", "1", "-write_xing", "0"]),
    ]

    @Test("a seek is exact in every other container (R-SEEK-18)", arguments: others)
    func seeks(_ name: String, _ ending: String, _ arguments: [String]) throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100 * 4), as: "other-\(name)", ending, arguments)
        var reader = try Reading.open(url)
        let early = reader.duration, channels = reader.info.format.channelCount
        let whole = try Reading.samples(reader)
        let total = whole.count / channels
        #expect(!early.isExact || early == reader.duration, "only what reading confirms may be called exact")
        #expect(reader.duration == .exact(frames: Int64(total), sampleRate: reader.info.format.sampleRate))
        #expect(Double(total) / Double(reader.info.format.sampleRate) > 3.9)
        var random = SeededGenerator(seed: 21)
        for number in 0..<8 {
            if number % 3 == 2 { reader = try Reading.open(url) }
            let target = number == 1 ? total - 50 : Int.random(in: 0..<total, using: &random)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let count = min(4000, total - target)
            let heard = try Reading.samples(reader, limit: count)
            #expect(heard.count == count * channels, "seek \(number) to \(target)")
            let difference = SampleComparison.difference(heard, whole, from: target * channels)
            #expect(difference <= 0x1p-15, "seek \(number) to \(target)")
        }
    }

    @Test("the packet without bytes after the last frame of FLAC in NUT is not damage")
    func emptyPacket() throws {
        let signal = TestSignal(frameCount: 44_100 * 4)
        let reader = try Reading.open(TestMedia.shared.encoded(signal, as: "other-flac-nut", "nut", ["-c:a", "flac"]))
        let isEqual = try Reading.samples(reader) == signal.integers(bits: 16).map { Float($0) * 0x1p-15 }
        #expect(isEqual && reader.skippedPackets == 0)
    }

    @Test(
        "a seek after silence is exact for decoders with long memory (R-SEEK-18)",
        arguments: [("g726", "wav"), ("adpcm_adx", "adx")])
    func pauses(_ codec: String, _ ending: String) throws {
        let signal = TestSignal(sampleRate: 8000, channelCount: 1, frameCount: 8000 * 12)
        let pauses = ["-af", "volume=enable='gt(mod(t,3),0.3)':volume=0:eval=frame"]
        let url = try TestMedia.shared.encoded(signal, as: "pauses-\(codec)", ending, pauses + ["-c:a", codec])
        let whole = try Reading.samples(Reading.open(url))
        for burst in 1..<4 {
            let target = burst * 24_000, reader = try Reading.open(url)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            #expect(try Reading.samples(reader, limit: 2400) == Array(whole[target..<(target + 2400)]))
        }
    }

    @Test("a movie's best audio is played, without its pictures")
    func movie() throws {
        let signal = TestSignal(frameCount: 44_100 * 2)
        let picture = ["-f", "lavfi", "-i", "testsrc=d=2:s=64x64:r=10", "-map", "0:a", "-map", "1:v", "-c:v", "mpeg4"]
        for (name, ending) in [("movie", "mp4"), ("movie", "mkv"), ("movie", "mov")] {
            let reader = try Reading.open(TestMedia.shared.encoded(signal, as: name, ending, picture + ["-c:a", "alac"]))
            #expect(try Reading.samples(reader) == signal.integers(bits: 16).map { Float($0) * 0x1p-15 })
            #expect(reader.info.codecName == "alac")
        }
    }
}
