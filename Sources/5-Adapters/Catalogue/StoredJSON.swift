import FoundationEssentials

/// Values that the catalogue stores as one piece, as JSON with sorted keys, so that equal values are equal text.
package enum StoredJSON {
    package static func write(_ value: some Encodable, in database: Database) throws(LibraryError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .database(path: database.path, message: "\(error)", code: 0)
        }
    }

    package static func read<Value: Decodable>(_ type: Value.Type, _ text: String, in database: Database) throws(LibraryError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw .damaged(path: database.path, message: "\(error)")
        }
    }
}
