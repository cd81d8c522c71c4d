// Apple's AVFoundation re-exports Core Media and Foundation, so programs need no import of their own.
@_exported public import CoreMedia
@_exported public import Foundation
