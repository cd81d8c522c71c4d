// libpulse calls these functions on the mainloop's thread, with the mainloop's lock held. They are plain functions, because a closure would inherit
// the isolation of its context. The objects behind the pointers are alive, because `PulseConnection.close` ends libpulse's thread before anything is
// freed.
import CPulse

private func owner<Owner: AnyObject>(_ pointer: UnsafeMutableRawPointer?, as type: Owner.Type = Owner.self) -> Owner? {
    pointer.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
}

func pulseContextChanged(_ context: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseConnection.self)?.contextChanged()
}

func pulseStreamChanged(_ stream: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.stateChanged()
}

func pulseStreamWants(_ stream: OpaquePointer?, _ byteCount: Int, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.serverWantsFrames()
}

func pulseStreamStarted(_ stream: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.started()
}

func pulseStreamUnderflowed(_ stream: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.underflowed()
}

func pulseStreamMoved(_ stream: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.moved()
}

func pulseStreamSuspended(_ stream: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.suspended()
}

func pulseStreamRequested(
    _ stream: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ properties: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?
) {
    guard let name else { return }
    owner(pointer, as: PulseStream.self)?.requestArrived(String(cString: name))
}

func pulseStreamTimed(_ stream: OpaquePointer?, _ success: Int32, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.timingArrived(isValid: success != 0)
}

func pulseCommandAnswered(_ stream: OpaquePointer?, _ success: Int32, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.commandAnswered(isDone: success != 0)
}

func pulseUnderrunHeard(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?, _ event: OpaquePointer?, _ time: UnsafePointer<timeval>?, _ pointer: UnsafeMutableRawPointer?
) {
    owner(pointer, as: PulseStream.self)?.underrunWasHeard()
}

func pulseSinkFound(_ context: OpaquePointer?, _ sink: UnsafePointer<pa_sink_info>?, _ end: Int32, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseDevices.self)?.found(end == 0 ? sink?.pointee : nil, isLast: end != 0)
}

func pulseStreamWasMoved(_ context: OpaquePointer?, _ success: Int32, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseDevices.self)?.moveAnswered()
}

func pulseStreamDrained(_ stream: OpaquePointer?, _ success: Int32, _ pointer: UnsafeMutableRawPointer?) {
    owner(pointer, as: PulseStream.self)?.drained()
}

func pulseServerFound(_ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ pointer: UnsafeMutableRawPointer?) {
    guard let info = info?.pointee, let name = info.server_name else { return }
    owner(pointer, as: PulseStream.self)?.found(server: String(cString: name), defaultRate: Int(info.sample_spec.rate))
}

func pulseVolumeFound(_ context: OpaquePointer?, _ input: UnsafePointer<pa_sink_input_info>?, _ end: Int32, _ pointer: UnsafeMutableRawPointer?) {
    guard end == 0, let input = input?.pointee else { return }
    owner(pointer, as: StreamVolume.self)?.found(input.volume, isMuted: input.mute != 0)
}

func pulseStreamNoted(
    _ context: OpaquePointer?, _ type: pa_subscription_event_type_t, _ index: UInt32, _ pointer: UnsafeMutableRawPointer?
) {
    let kind = type.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    guard kind == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue else { return }
    let stream = owner(pointer, as: PulseStream.self)
    switch type.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue {
    case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue: stream?.noted(streamIndex: index)
    case PA_SUBSCRIPTION_EVENT_SINK.rawValue: stream?.noted(deviceIndex: index)
    default: break
    }
}

func pulseVolumeStepIsDue(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?, _ event: OpaquePointer?, _ time: UnsafePointer<timeval>?, _ pointer: UnsafeMutableRawPointer?
) {
    owner(pointer, as: StreamVolume.self)?.advance()
}
