// Apple's AVFoundation exports these modules too, so programs need not import them.
@_exported public import CoreMedia
@_exported public import Foundation
