/// How long to wait before trying again when nothing announces the end of a problem: 15 seconds, then twice as long each
/// time.
package enum GrowingPause {
    private static let first = Duration.seconds(15)
    private static let longest = Duration.seconds(600)

    /// The wait after this many failures in a row.
    package static func after(_ failures: Int) -> Duration {
        failures < 1 ? .zero : min(first * (1 << min(failures - 1, 10)), longest)
    }
}
