// Apple's AVFoundation brings Core Media's names with it.
@_exported public import CoreMedia
