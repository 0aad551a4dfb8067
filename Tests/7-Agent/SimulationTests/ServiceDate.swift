import Model

/// A time in the form of a server's `Date` header.
enum ServiceDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    static func text(_ sinceEpoch: Duration) -> String {
        let parts = "\(Timestamp(sinceEpoch: .seconds(sinceEpoch.components.seconds)))".split { "-T:Z".contains($0) }.map(String.init)
        let day = days[Int(sinceEpoch.components.seconds / 86_400 % 7)]
        return "\(day), \(parts[2]) \(months[(Int(parts[1]) ?? 1) - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    }
}
