package import Model

/// The sizes of the pages that marks were made on, as the catalogue stores them: as JSON, so that SQL can query it.
package enum SheetsText {
    /// `nil` if no sizes are known.
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
