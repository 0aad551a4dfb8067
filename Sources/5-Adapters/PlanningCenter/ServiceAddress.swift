/// An address at the service, split after its origin.
struct ServiceAddress: Hashable, Sendable {
    /// Scheme, host and port in lower case, without the scheme's usual port.
    let origin: String
    /// The path and query, beginning with a slash.
    let rest: String

    var text: String { origin + rest }

    /// Reads an http or https address; `nil` for anything unusual, such as a user name in it.
    init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 && $0 != "\\" && $0 != "#" }),
            let colon = text.firstRange(of: "://")
        else { return nil }
        let scheme = text[..<colon.lowerBound].lowercased()
        let tail = text[colon.upperBound...]
        let end = tail.firstIndex { $0 == "/" || $0 == "?" } ?? tail.endIndex
        var authority = tail[..<end].lowercased()
        let usualPort: String
        switch scheme {
        case "https": usualPort = ":443"
        case "http": usualPort = ":80"
        default: return nil
        }
        if authority.hasSuffix(usualPort) { authority.removeLast(usualPort.count) }
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains("%") else { return nil }
        origin = "\(scheme)://\(authority)"
        rest = tail[end...].hasPrefix("/") ? String(tail[end...]) : "/" + tail[end...]
    }

    /// Reads an address that the service gave, complete or beginning with a slash.
    init?(_ text: String, at base: ServiceAddress) {
        self.init(text.hasPrefix("/") && !text.hasPrefix("//") ? base.origin + text : text)
    }

    /// A part of a path or query, encoded so that nothing in it can end it or lead out of it; `nil` if that is impossible.
    static func encoded(_ text: String) -> String? {
        // Dots keep their meaning even when they are encoded.
        guard !text.isEmpty, text != ".", text != ".." else { return nil }
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_.~".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
