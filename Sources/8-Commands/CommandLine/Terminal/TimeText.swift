package import Model
import Platform

/// Times and durations as people say them.
package enum TimeText {
    /// Local time, for example `Sun 22 Nov 10:30 CET`.
    package static func minute(_ time: Timestamp) -> String { LocalTime.minute(nanosecondsSinceEpoch: time.nanoseconds) }

    /// The local date: `2026-11-22`.
    package static func date(_ time: Timestamp) -> String { LocalTime.date(nanosecondsSinceEpoch: time.nanoseconds) }

    /// The local time of day: `10:30`.
    package static func clock(_ time: Timestamp) -> String { LocalTime.clock(nanosecondsSinceEpoch: time.nanoseconds) }

    /// A duration in a single unit: `less than a minute`, `5 min`, `3 h`, `2 days`.
    package static func span(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        switch seconds {
        case ..<60: return "less than a minute"
        case ..<(2 * 3600): return "\(seconds / 60) min"
        case ..<(2 * 86400): return "\(seconds / 3600) h"
        default: return "\(seconds / 86400) days"
        }
    }
}
