import CRubberBand

/// The one owner of a Rubber Band state.
final class Stretcher {
    private let state: RubberBandState

    /// Rubber Band promises a state for any arguments; what it does with a rate or a channel count that it is not meant for is its own affair.
    init(sampleRate: Int, channelCount: Int, options: Int32, ratio: Double, block: Int) {
        state = rubberband_new(UInt32(sampleRate), UInt32(channelCount), options, ratio, 1)
        rubberband_set_max_process_size(state, UInt32(block))
    }

    deinit { rubberband_delete(state) }

    /// Frames of silence to give before the first of the sound.
    var startPad: Int { Int(rubberband_get_preferred_start_pad(state)) }
    /// Output frames that then lie before the first of the sound.
    var startDelay: Int { Int(rubberband_get_start_delay(state)) }
    /// Input frames without which there is no output now.
    var required: Int { Int(rubberband_get_samples_required(state)) }

    /// Output frames for each input frame, from the next window on.
    func change(ratio: Double) { rubberband_set_time_ratio(state, ratio) }

    func process(_ planes: Planes, frames: Int) {
        planes.withInput { rubberband_process(state, $0, UInt32(frames), 0) }
    }

    /// Fetches up to `limit` frames; returns how many.
    func retrieve(_ planes: Planes, upTo limit: Int) -> Int {
        let frames = min(Int(rubberband_available(state)), limit)
        guard frames > 0 else { return 0 }
        return planes.withOutput { Int(rubberband_retrieve(state, $0, UInt32(frames))) }
    }
}
