/// How long to wait for something to pass that nothing tells the end of: a quarter of a minute, then twice as long each time.
package enum GrowingPause {
    private static let first = Duration.seconds(15)
    private static let longest = Duration.seconds(600)

    /// The wait after so many failures in a row.
    package static func after(_ failures: Int) -> Duration {
        failures < 1 ? .zero : min(first * (1 << min(failures - 1, 10)), longest)
    }
}
