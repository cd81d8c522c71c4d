// Apple's AVFoundation re-exports Core Media and Foundation, so programs need not import these two modules themselves.
@_exported public import CoreMedia
@_exported public import Foundation
