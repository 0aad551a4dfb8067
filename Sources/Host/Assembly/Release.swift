/// Which version of the program this is.
package enum Release {
    /// What `--version` prints.
    package static let version = "0.1.0"
    /// How we name ourselves to a service, which turns away whoever does not.
    package static let userAgent = "woodshed/\(version)"
}
