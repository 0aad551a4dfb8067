import Glibc

/// The attributes of an element; valid only during its callback.
struct XMLAttributes {
    /// Names and values in turn, ended by a null.
    let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    /// A value; `nil` if there is none with that name.
    subscript(name: String) -> String? {
        value(name).map { String(cString: $0) }
    }

    /// A value's first number; NaN if it is not a number or missing.
    func number(_ name: String) -> Double {
        withBytes(name) { bytes in
            var scanner = NumberScanner(bytes)
            return scanner.next() ?? .nan
        } ?? .nan
    }

    /// Calls `body` with a value's bytes, of which there may be many.
    func withBytes<Result>(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        guard let value = value(name) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: value, count: strlen(value))
        return bytes.withMemoryRebound(to: UInt8.self, body)
    }

    private func value(_ name: String) -> UnsafePointer<CChar>? {
        guard var place = list else { return nil }
        while let key = place[0], let value = place[1] {
            if strcmp(key, name) == 0 { return value }
            place += 2
        }
        return nil
    }
}
