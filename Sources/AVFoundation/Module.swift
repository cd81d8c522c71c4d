// As Apple's AVFoundation does, so programs need not import these modules.
@_exported public import CoreMedia
@_exported public import Foundation
