import Model
import Platform

/// An entry of a list that comes in pages. By their ids, repeated and missing entries are detected.
protocol ListEntry: Decodable, Sendable {
    /// The entry's id within the list.
    var listID: String { get }
}

extension Resource: ListEntry {
    var listID: String { id }
}

extension LayerResource: ListEntry {
    var listID: String { layer.id.text }
}

extension PlanningCenterClient {
    /// The most pages of a list. No plan has nearly 200 pages of 100 entries, so a longer list is a mistake.
    private static let mostPages = 200
    /// How often a list is read before the client gives up waiting for a stable result.
    private static let mostReadings = 4

    /// Returns all pages of a list, as the list was at one moment.
    ///
    /// Entries move between pages while others are added and removed. If an entry of the first page is deleted before the second is
    /// read, the entry at the border is on neither page; if another was added meanwhile, the total hides this. So a list of several
    /// pages is read again if its pages contradict each other or its entries are not the `known` ones. Other entries are accepted
    /// once two readings agree.
    ///
    /// A resource may be included on several pages. If the copies differ, the list is read again, too. If they still differ in the
    /// last reading, the copy on the last page counts.
    func list<Entry: ListEntry>(
        _ entry: Entry.Type, at first: WebAddress, what: String, known: Set<String> = []
    ) async throws(ServiceFailure) -> (data: [Entry], included: [Resource]) {
        var former: Set<String>?
        var fault: String?
        for number in 1...Self.mostReadings {
            let reading = try await reading(of: entry, at: first, what: what)
            let ids = Set(reading.data.map(\.listID))
            fault = reading.fault(ids: ids)
            if fault == nil {
                let isExpected = known.isEmpty || known == ids || former == ids
                let isAtOdds = reading.isAtOdds && number < Self.mostReadings
                guard reading.pages.count > 1, !isExpected || isAtOdds else { return (reading.data, reading.included) }
                former = ids
            } else {
                former = nil
            }
            // If the answers were kept, a "not modified" would bring the bad answers back even after the service is repaired.
            if fault != nil || reading.isAtOdds { forget(reading.pages) }
            if reading.pages.count == 1 { break }
        }
        throw .notUnderstood(what: what, why: fault ?? "its entries change each time that it is read")
    }

    private func forget(_ pages: Set<WebAddress>) {
        for page in pages { kept.forget(page) }
    }

    /// The result of one pass over a list's pages.
    private struct Reading<Entry: ListEntry> {
        var data: [Entry] = []
        /// The resources included with the entries, each once.
        private(set) var included: [Resource] = []
        private var places: [Reference: Int] = [:]
        /// True if two copies of an included resource differ.
        private(set) var isAtOdds = false
        var pages: Set<WebAddress>
        /// The total number of entries; several values if the pages disagree.
        var totals: Set<Int> = []

        init(at first: WebAddress) { pages = [first] }

        mutating func add(_ page: Document<Entry>) {
            data += page.data
            for resource in page.included {
                if let place = places[resource.reference] {
                    isAtOdds = isAtOdds || included[place] != resource
                    included[place] = resource
                } else {
                    places[resource.reference] = included.count
                    included.append(resource)
                }
            }
            page.total.map { _ = totals.insert($0) }
        }

        /// Why the entries read cannot be the whole list; `nil` if they may be. `ids` are the ids of the entries.
        func fault(ids: Set<String>) -> String? {
            if totals.count > 1 { return "it changed while its pages were read" }
            // A truncated list must not look like a short one.
            if let total = totals.first, ids.count < total { return "only \(ids.count) of its \(total) entries arrived" }
            return nil
        }
    }

    private func reading<Entry: ListEntry>(
        of entry: Entry.Type, at first: WebAddress, what: String
    ) async throws(ServiceFailure) -> Reading<Entry> {
        var reading = Reading<Entry>(at: first)
        var address = first
        while true {
            let document = try await page(entry, at: address, what: what)
            reading.add(document)
            guard let next = document.next else { return reading }
            do throws(ServiceFailure) {
                address = try Self.nextPage(next, of: first, after: &reading.pages, what: what)
            } catch {
                forget(reading.pages)
                throw error
            }
        }
    }

    private static func nextPage(
        _ next: String, of first: WebAddress, after seen: inout Set<WebAddress>, what: String
    ) throws(ServiceFailure) -> WebAddress {
        guard let address = try? WebAddress(next, .plain, from: first) else {
            throw .notUnderstood(what: what, why: "the address of its next page cannot be read")
        }
        guard address.origin == first.origin else { throw .ledAway("the next page of \(what) should be at \(address.origin)") }
        guard seen.insert(address).inserted else { throw .notUnderstood(what: what, why: "its pages form a loop") }
        guard seen.count <= mostPages else { throw .notUnderstood(what: what, why: "it never ends") }
        return address
    }
}
