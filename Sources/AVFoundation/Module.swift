// Apple's AVFoundation brings Core Media's and Foundation's names with it.
@_exported public import CoreMedia
@_exported public import Foundation
