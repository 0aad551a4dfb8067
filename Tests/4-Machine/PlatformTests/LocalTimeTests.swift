import Glibc
import Platform
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LocalTimeTests {
    /// Each zone has its own process, since a process has only one time zone.
    @Test func eveningInTheWestIsThatDay() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "MST7", 1)
            // 2026-11-26T02:30:00Z
            exit(LocalTime.date(nanosecondsSinceEpoch: 1_795_660_200_000_000_000) == "2026-11-25" ? 0 : 1)
        }
        await #expect(processExitsWith: .success) {
            setenv("TZ", "UTC", 1)
            exit(LocalTime.date(nanosecondsSinceEpoch: 1_795_660_200_000_000_000) == "2026-11-26" ? 0 : 1)
        }
    }
}
