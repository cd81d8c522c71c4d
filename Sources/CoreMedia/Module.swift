// Apple's CoreMedia exports this module too. On Linux it exports Dispatch.
@_exported public import Foundation
