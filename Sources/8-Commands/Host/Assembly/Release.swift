/// Which version of the program this is.
package enum Release {
    package static let version = "0.1.0"
    /// How we identify ourselves to the service, which rejects clients that do not.
    package static let userAgent = "woodshed/\(version)"
}
