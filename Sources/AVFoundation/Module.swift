// Apple's AVFoundation exports these modules too, so programs need not import them. What Apple's Foundation has for networks is a module of its own on
// Linux.
@_exported public import CoreMedia
@_exported public import Foundation
@_exported public import FoundationNetworking
