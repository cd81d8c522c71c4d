// Apple's AVFoundation re-exports Core Media and Foundation.
@_exported public import CoreMedia
@_exported public import Foundation
