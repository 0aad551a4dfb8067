public import JSON

extension JSONText {
    /// A time in UTC to the second, as in `2026-11-22T09:30:00Z`; null for `nil`. Fractions are left out, since some readers reject them.
    public static func time(_ time: Timestamp?) -> JSONText { maybe(time?.wholeSecond) }
}
