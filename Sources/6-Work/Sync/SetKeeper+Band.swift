import BandLayout
import Catalogue
import Library
import Model
import Platform
import Rendering
import Sets

/// The plans of the sets that others in the band share.
extension SetKeeper {
    /// A set of somebody else's, and the plan that it is here.
    struct Shared {
        let set: BandStore.OthersSet
        let plan: Plan
    }

    /// The sets that others share.
    func shared() throws(LibraryError) -> [Shared] {
        try parts.library.band.setsOfOthers().map { set in
            let found = FoundSet(path: "", name: set.set.name, .items([]))
            var plan = SetPlan.plan(found, id: set.plan, moment: Self.moment)
            plan.serviceTypeName = "Set by \(set.person)"
            if !plan.title.isEmpty { plan.title += " (\(set.person))" }
            return Shared(set: set, plan: plan)
        }
    }

    /// The charts of these sets that are here under any name, or that arrive with them. Adds those to `assembly`. Files that nobody has
    /// opened are read if they have as many bytes as a chart that is looked for.
    func charts(
        of shared: [Shared], _ found: FoundSets, _ known: [String: SetStore.File], into assembly: inout SetPlan
    ) async throws -> [Digest: ChartTitles.Chart] {
        arriving = [:]
        let named = shared.flatMap { $0.set.set.items.flatMap(\.charts) }
        let (wanted, sizes) = (Set(named.map(\.bytes)), Set(named.map(\.size)))
        guard !wanted.isEmpty else { return [:] }
        var charts: [Digest: ChartTitles.Chart] = [:]
        let files = found.files
        try await read(files.filter { known[$0.path]?.stamp != $0.stamp && sizes.contains($0.stamp.size) }, known, into: &assembly)
        for file in files {
            let last = known[file.path].flatMap { $0.stamp == file.stamp ? $0.digest : nil }
            guard let digest = assembly.isAsRead(file) ? assembly.read[file] : last, wanted.contains(digest) else { continue }
            charts[digest] = .file(file)
        }
        for plan in try parts.library.plans.allAsPlanned() where plan.plan.id.source == .service {
            for attachment in plan.attachments where attachment.generatedFrom.isEmpty {
                guard let hash = try parts.library.charts.chart(of: attachment.use)?.hash, wanted.contains(hash.digest),
                    charts[hash.digest] == nil
                else { continue }
                charts[hash.digest] = .here(attachment)
            }
        }
        var left = BandHead.mostChartBytes
        for each in shared {
            for chart in each.set.set.items.flatMap(\.charts) where charts[chart.bytes] == nil {
                guard let kind = SetFile.kind(ofName: chart.name) else { continue }
                let stamp = FileStamp(device: 0, inode: 0, size: chart.size, modified: 0)
                let file = SetFile(path: "\(Self.arrivals)\(chart.bytes.hex)/\(chart.name)", kind: kind, stamp: stamp)
                if try !isHere(file, chart.bytes, assembly) {
                    let limit = kind == .song ? Self.longestText : BandHead.longestChart
                    guard chart.isSent, each.set.files[chart.bytes] == chart.size, chart.size <= min(left, limit),
                        !refused.contains(chart.bytes)
                    else { continue }
                    left -= chart.size
                    arriving[chart.bytes] = each.set.device
                }
                charts[chart.bytes] = .file(file)
                assembly.read[file] = chart.bytes
            }
        }
        return charts
    }

    private func isHere(_ file: SetFile, _ bytes: Digest, _ assembly: SetPlan) throws(LibraryError) -> Bool {
        switch file.kind {
        case .pdf: try parts.library.charts.hasBytes(of: ChartHash(bytes))
        // The library has the page that was made of a picture.
        case .picture: try parts.library.charts.chart(of: AttachmentID(ofBytes: bytes)) != nil
        case .song: try parts.library.songs.text(assembly.text(of: bytes)) != nil
        }
    }

    /// Whether a file is a chart that somebody shares, and no file in a folder.
    func isShared(_ file: SetFile) -> Bool { file.path.hasPrefix(Self.arrivals) }

    /// Brings a chart that somebody shares into the library. Its bytes are believed only if they are those that the set names. Returns
    /// whether the chart has arrived.
    func keepShared(_ file: SetFile, _ digest: Digest, as attachment: Attachment) async throws -> Bool {
        let path = parts.library.charts.path(of: ChartHash(digest))
        // The library's disk answers even while a folder of sets does not, in which `side` waits.
        var bytes = file.kind == .pdf ? await parts.side.run { try? AtomicFile.read(path, limit: BandHead.longestChart) } : nil
        if bytes == nil, let device = arriving[digest] { bytes = await fetchShared?(device, digest, file.stamp.size) }
        if bytes == nil, file.kind == .song, let origin = attachment.origin, try parts.library.songs.text(origin.song) != nil {
            try await downloads.draw(attachment, in: .background)
            return true
        }
        guard let bytes, SHA256.digest(of: bytes) == digest else { return false }
        switch file.kind {
        case .pdf, .picture:
            let kind = FileKind(header: Array(bytes.prefix(FileKind.headerLength)))
            guard kind == (file.kind == .pdf ? .pdf : .image) else {
                refused.insert(digest)
                throw Trouble("it is called \(file.kind == .pdf ? "a PDF" : "a picture"), but is \(kind)")
            }
            let target = try parts.library.charts.beginChart()
            try await parts.side.run { () throws(SystemError) in
                let written = bytes.withUnsafeBytes { bytes in Result { () throws(SystemError) in try target.write(bytes) } }
                try written.get()
            }
            var chart = (file: target, hash: ChartHash(digest), size: bytes.count)
            if file.kind == .picture { chart = try await pdf(ofPicture: target.path) }
            try parts.library.charts.keep(chart.file, hash: chart.hash, size: chart.size, for: attachment.id, version: attachment.version)
            withExtendedLifetime(target) {}
        case .song:
            let text: SongFileText
            do throws(Trouble) {
                text = try SongFileText(bytes)
            } catch {
                refused.insert(digest)
                throw error
            }
            try await draw(text, as: attachment)
        }
        return true
    }

    /// Stands for a folder in the paths of charts that others share; no path of a file begins like that, and all others come after it.
    private static var arrivals: String { "(band)/" }
}
