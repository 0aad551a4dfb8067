import JSON
package import Model

/// Far above the present limits for input, so that values stored by older programs without limits can still be read.
private let storedLimits = JSONLimits(bytes: 1 << 30, depth: 1000, values: 50_000_000)

/// Values that the catalogue stores as JSON in one column. The keys are sorted, so that equal values are equal text.
package enum StoredJSON {
    package static func write(_ value: some Encodable, in database: Database) throws(LibraryError) -> String {
        do {
            return String(decoding: try JSONWriter.encode(value), as: UTF8.self)
        } catch {
            throw .database(path: database.path, message: "\(error)", code: 0)
        }
    }

    package static func read<Value: Decodable>(_ type: Value.Type, _ text: String, in database: Database) throws(LibraryError) -> Value {
        do {
            return try JSONReader.decode(type, from: Array(text.utf8), limits: storedLimits)
        } catch {
            throw .damaged(path: database.path, message: "\(error)")
        }
    }
}

/// The places among a plan's items of the items that are stored for its set of one evening: beyond any place of the plan's own items.
package enum TonightPlaces {
    package static let first = 1_000_000
}

/// Marks as the catalogue stores them: JSON with sorted keys, so that equal marks are equal text.
package enum MarksText {
    package static func write(_ marks: [Mark], of layer: LayerID) throws(LibraryError) -> String {
        do {
            return String(decoding: try JSONWriter.encode(marks), as: UTF8.self)
        } catch {
            throw .unreadableMarks(layer, "\(error)")
        }
    }

    /// Identifies a text of marks: equal texts have equal versions.
    package static func version(of text: String) -> Digest { SHA256.digest(of: text) }

    package static func read(_ text: String, of layer: LayerID) throws(LibraryError) -> [Mark] {
        do {
            return try JSONReader.decode([Mark].self, from: Array(text.utf8), limits: storedLimits)
        } catch {
            throw .unreadableMarks(layer, "\(error)")
        }
    }
}

/// The sizes of the pages that marks were made on, stored as JSON so that SQL can query them.
package enum SheetsText {
    /// Returns `nil` if no sizes are known.
    package static func write(_ sheets: [PageIndex: PageGeometry], in database: Database) throws(LibraryError) -> String? {
        guard !sheets.isEmpty else { return nil }
        let entries = sheets.sorted { $0.key < $1.key }.map { [Double($0.key.value), $0.value.width, $0.value.height] }
        return try StoredJSON.write(entries, in: database)
    }

    package static func read(_ text: String?, in database: Database) throws(LibraryError) -> [PageIndex: PageGeometry] {
        guard let text else { return [:] }
        var sheets: [PageIndex: PageGeometry] = [:]
        for entry in try StoredJSON.read([[Double]].self, text, in: database) where entry.count == 3 {
            guard let page = Int(exactly: entry[0]) else { continue }
            sheets[PageIndex(page)] = PageGeometry(width: entry[1], height: entry[2])
        }
        return sheets
    }
}

/// Times and other numbers of which the catalogue keeps one value each.
package enum Stamp: String {
    /// When the service last answered a poll completely; usually updated at most once an hour.
    case poll
    /// Times on which this machine's clock and the service's agreed: `watched` still waits for confirmation, and `settled` is the
    /// last time that was confirmed, at least a day later.
    case watched, settled
    /// How far this machine's clock is ahead of the service's.
    case clockAhead = "clock ahead"
    /// The numbers that distinguish this catalogue from its older copies.
    case generation
    case formerGeneration = "former generation"
    /// The number of a backup that holds everything that was known when its catalogue had to be given up.
    case complete
    /// The time of the backup that this catalogue was restored from; zero if it is not known.
    case restored
    /// How many charts were next to this catalogue when it was created, because the former catalogue was lost.
    case begunAnew = "begun anew"
    /// Set while the links of an earlier catalogue have not been taken over yet.
    case begun
    /// When links were last made.
    case linked
    /// When the service first listed too few of the coming plans; removed once it lists enough, or once the doubt has lasted an hour.
    case listDoubted = "list doubted"
    case refusalNotified = "refusal told"
}

extension Database {
    package func number(_ stamp: Stamp) throws(LibraryError) -> Int? {
        try row("SELECT at FROM stamps WHERE name = ?", [.text(stamp.rawValue)]) { $0.integer(0) }
    }

    package func time(_ stamp: Stamp) throws(LibraryError) -> Timestamp? {
        try number(stamp).map { Timestamp(nanoseconds: Int64($0)) }
    }

    /// Sets a stamp; `nil` removes it.
    package func set(_ stamp: Stamp, to number: Int?) throws(LibraryError) {
        guard let number else {
            try run("DELETE FROM stamps WHERE name = ?", [.text(stamp.rawValue)])
            return
        }
        try run(
            "INSERT INTO stamps (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
            [.text(stamp.rawValue), .integer(number)])
    }

    package func set(_ stamp: Stamp, to time: Timestamp) throws(LibraryError) { try set(stamp, to: Int(time.nanoseconds)) }
}
