// Apple's module of the audio session and the audio player, which programs also import without AVFoundation. The session changes players, so it is
// in AVFoundation.
@_exported public import AVFoundation
