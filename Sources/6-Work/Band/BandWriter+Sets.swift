import BandLayout
import Library
import Model
import Platform
import Sets

/// The sets that this device shares, and tonight's sets that it offers.
extension BandWriter {
    /// A shared set, and where its charts' files are.
    struct MadeSet {
        let entry: BandHead.SetEntry
        let bytes: [UInt8]
        let paths: [Digest: String]
    }

    /// The sets to share now. One that is over, or whose folder is gone, is not shared any more.
    func setsToShare() throws -> [MadeSet] {
        unsentSets = []
        let shared = try library.band.sharedSets()
        guard !shared.isEmpty else { return [] }
        let (names, gone) = (try library.sets.known(), try library.plans.gone())
        let files = Dictionary(try library.sets.files().map { ($0.value.digest, $0.key) }) { min($0, $1) }
        let sizes = try library.sets.sizes()
        var left = BandHead.mostChartBytes - (try library.band.chartBytesOfOthers())
        var made: [MadeSet] = []
        for (plan, isWithCharts) in shared.sorted(by: { $0.key < $1.key }) where gone[plan] == nil {
            guard let contents = try library.plans.asPlanned(plan) else { continue }
            if contents.plan.isPast(at: now) {
                try library.band.endSharing(set: plan)
                continue
            }
            guard let path = names.first(where: { $0.value.plan == plan })?.key, let name = SharedSet.name(ofPath: path) else { continue }
            let charts = try charts(of: contents, files, sizes, left: isWithCharts ? left : 0)
            if isWithCharts, charts.isCut {
                unsentSets.append(
                    "the band does not get all charts of \(contents.plan.displayName): they are not all here, or more than "
                        + "\(ByteCount(BandHead.mostChartBytes)) with all others', or \(ByteCount(BandHead.longestChart)) each")
            }
            let set = SharedSet(contents, name: name) { charts.known[$0.id] }
            let bytes = set.bytes
            guard bytes.count <= SharedSet.limit, made.count < BandHead.mostSets else {
                unsentSets.append("the band does not get \(contents.plan.displayName): it is too long, or you share too many sets")
                continue
            }
            left -= set.sent.values.reduce(0, +)
            let entry = BandHead.SetEntry(
                id: plan.sharedID, object: SHA256.digest(of: bytes), length: bytes.count,
                files: set.sent.map { BandHead.SetEntry.File(object: $0.key, length: $0.value) }.sorted { $0.object < $1.object })
            made.append(MadeSet(entry: entry, bytes: bytes, paths: charts.paths))
        }
        return made
    }

    /// Tonight's sets that the musician offers, of plans that are not over.
    func offersToMake() throws -> [TonightOffer] {
        var offers: [TonightOffer] = []
        for contents in try library.plans.offered() where !contents.plan.isPast(at: now) {
            guard let tonight = contents.tonight, tonight.differs else { continue }
            guard let offer = TonightOffer(of: contents.plan.id.everywhere, tonight), offers.count < BandHead.mostOffers else {
                unsentSets.append(
                    "the band is not offered your order for \(contents.plan.displayName): it is too long, or you offer too many")
                continue
            }
            offers.append(offer)
        }
        return offers
    }

    /// What the band is told of a plan's charts: those whose bytes are known, with their files as long as there is room.
    private func charts(
        of contents: PlanContents, _ files: [Digest: String], _ sizes: [Digest: Int], left: Int
    ) throws -> (known: [AttachmentID: SharedSet.Chart], paths: [Digest: String], isCut: Bool) {
        var (known, paths, left, isCut) = ([AttachmentID: SharedSet.Chart](), [Digest: String](), left, false)
        for attachment in contents.attachments where known[attachment.id] == nil {
            let size = try library.size(of: attachment, sizes)
            guard let own = attachment.id.bytes else {
                // A chart of the service is only named: it is not the musician's to pass on.
                if attachment.generatedFrom.isEmpty, let chart = try library.charts.chart(of: attachment.use)?.hash {
                    known[attachment.id] = SharedSet.Chart(
                        name: attachment.filename, bytes: chart.digest, size: size, isSent: false)
                }
                continue
            }
            let isKept = try !attachment.isSong && library.charts.hasBytes(of: ChartHash(own))
            let path = isKept ? library.charts.path(of: ChartHash(own)) : files[own]
            let isSent = path != nil && size > 0 && size <= min(left, BandHead.longestChart)
            if isSent {
                left -= size
                paths[own] = path
            } else {
                isCut = true
            }
            known[attachment.id] = SharedSet.Chart(name: attachment.filename, bytes: own, size: size, isSent: isSent)
        }
        return (known, paths, isCut)
    }

    /// How long a folder of sets may take to answer.
    private static var patience: Duration { .seconds(20) }

    /// Writes missing objects of sets to the place. Returns whether any were missing.
    func put(_ sets: [MadeSet], of device: BandDevice) async throws -> Bool {
        var areMissing = false
        for set in sets {
            for file in set.entry.files {
                let isNew = try await put(file.object, length: file.length, of: device) { [side, time] in
                    guard let path = set.paths[file.object] else { return nil }
                    // A file that was changed since is not the chart of the set. Its disk may not answer; the next round asks again.
                    let read: [UInt8]?? = await side.run(within: Self.patience, time) {
                        let bytes = try? AtomicFile.read(path, limit: file.length)
                        return bytes.flatMap { SHA256.digest(of: $0) == file.object ? $0 : nil }
                    }
                    return read ?? nil
                }
                if isNew { areMissing = true }
            }
            if try await put(set.entry.object, length: set.entry.length, of: device, { set.bytes }) { areMissing = true }
        }
        return areMissing
    }
}
