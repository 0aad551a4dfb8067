public import Model

/// The only date format that HTTP/1.1 servers send: `Sun, 06 Nov 1994 08:49:37 GMT`.
public enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses a date; `nil` for any other text.
    public static func parse(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT", words[1].count == 2,
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        return Timestamp("\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z")
    }
}
