import Catalogue
import Glibc
import Library
import Model
import PlanningCenter
import Platform
import Rendering

/// Decides whether a new chart may replace the present one. A playable chart is replaced only by a file that arrived completely,
/// differs from it, can be opened, and has pages that can be drawn; all of that is checked before the new file gets its name.
///
/// Whether another attachment's chart stands in for a missing one is decided in the library, when plans are stored.
@LoopActor
final class Succession {
    /// The description of a chart that was opened before it was accepted, and the renderer that opened it.
    typealias Description = (pages: ChartDescription, tag: RendererTag)

    /// A chart that may be stored.
    struct Successor {
        let hash: ChartHash
        let size: Int
        /// `nil` if the chart replaces no good chart, or was opened before.
        let description: Description?
    }

    private let parts: SyncParts
    /// The version of each chart that was downloaded last, and since when its downloads have brought exactly the bytes that are
    /// here, although the announced size is another; `nil` if other bytes came. The library records only the last fault of a
    /// download, which may be another fault by now.
    private var doubted: [ChartUse: (version: String, since: Moment?)] = [:]

    init(_ parts: SyncParts) { self.parts = parts }

    /// Examines a file that has arrived. Throws if the file must not be stored, or cannot be examined.
    func examine(_ received: ReceivedChart, of attachment: Attachment, at now: Timestamp) async throws -> Successor {
        // The announced size shows whether a file is complete. A file made on demand has no announced size, so only its end can
        // show that. A file that does not begin like a PDF, such as a log-in page, passes here and is refused later.
        if attachment.fileSize == 0, received.beginsLikeAPDF, !received.endsLikeAPDF {
            throw Trouble("the download was cut off and is not used; the next sync fetches it again")
        }
        let hash = received.finish()
        let size = try sizeToBelieve(of: received, hash, of: attachment, at: now)
        try parts.library.charts.check(received.file, size: size, for: attachment.id)
        return Successor(hash: hash, size: size, description: try await look(at: received.file.path, hash, of: attachment))
    }

    /// The size that the file should have: the announced one, if any. If the present bytes arrive again, an outdated cache may have
    /// sent a former version. If they still arrive after an hour, the announced size must be wrong, and the size of the bytes that
    /// arrive counts.
    private func sizeToBelieve(
        of received: ReceivedChart, _ hash: ChartHash, of attachment: Attachment, at now: Timestamp
    ) throws(LibraryError) -> Int {
        guard attachment.fileSize > 0 else { return received.size }
        let use = attachment.use
        guard try parts.library.charts.chart(of: use)?.hash == hash else {
            doubted[use] = (attachment.version, nil)
            return attachment.fileSize
        }
        let sizes = DownloadFault.Sizes(expected: attachment.fileSize, found: received.size)
        var since = parts.time.now
        if let known = doubted[use], known.version == attachment.version {
            since = known.since ?? since
        } else if let fault = try parts.library.charts.downloadFaults()[use], fault.version == attachment.version,
            fault.sizes == sizes
        {
            // An earlier agent recorded this fault, so count from then.
            since = since + min(fault.since - now, .zero)
        }
        doubted[use] = (attachment.version, since)
        return parts.time.now - since >= .seconds(3600) ? received.size : attachment.fileSize
    }

    /// The description of a chart that is about to replace one that is here and opens; `nil` if it replaces none, or was opened
    /// before. Throws if the chart cannot be opened or drawn, or cannot be tested.
    private func look(at path: String, _ hash: ChartHash, of attachment: Attachment) async throws -> Description? {
        guard let former = try parts.library.charts.chart(of: attachment.use), former.hash != hash,
            try parts.library.charts.hasBytes(of: former.hash), try parts.library.charts.description(of: former.hash) != nil
        else { return nil }
        do {
            let identity = try await parts.renderer.identity()
            let tag = identity.tag
            if let known = try parts.library.charts.unreadable(hash), known.tag == tag {
                throw UnusableChart(unopened: known.reason)
            }
            if try parts.library.charts.description(of: hash) != nil { return nil }
            let description = try await open(path)
            if try !isKnownToLackPages(former.hash, by: tag) {
                let damage =
                    if let missing = try missingPages(of: description, instead: former.hash) {
                        missing
                    } else {
                        try await drawPages(of: path, hash, description, instead: former.hash, identity)
                    }
                if let damage, try !parts.library.charts.isAccepted(attachment) {
                    try parts.library.charts.note(refused: attachment)
                    throw UnusableChart(
                        successor: damage,
                        advice: "; to use it anyway, run '\(woodshed("accept \(attachment.id)"))' and '\(woodshed("sync"))'")
                }
            }
            return (description, tag)
        } catch let failure as RenderFailure {
            switch failure {
            // The chart is still due, and the file is not at fault.
            case .cancelled, .stopped: throw ServiceFailure.cancelled
            default: throw UnusableChart(unopened: "\(failure)")
            }
        }
    }

    /// Why the new version is incomplete by its own page count; `nil` if it is complete, or the former version has the same fault.
    private func missingPages(of description: ChartDescription, instead former: ChartHash) throws(LibraryError) -> String? {
        guard let missing = description.missingPages else { return nil }
        let count = try parts.library.charts.description(of: former)?.pages.count
        guard try parts.library.images.lostContent()[former]?.contains(where: { $0.isOfMissingPages(of: count) }) != true else {
            return nil
        }
        return "the new version is incomplete: \(missing)"
    }

    private func open(_ path: String) async throws -> ChartDescription {
        try await tryingAgain { [self] in
            try await parts.sideWork.run { [renderer = parts.renderer] in try await renderer.describe(chart: path) }
        }
    }

    /// Whether some pages of a chart are known to be impossible to draw.
    private func isKnownToLackPages(_ chart: ChartHash, by tag: RendererTag) throws(LibraryError) -> Bool {
        try parts.library.images.faults().contains {
            $0.chart == chart && $0.tag == tag && $0.isFinal && [nil, .plain].contains($0.image?.variant)
        }
    }

    /// Draws every page at a small size, to check that each can be drawn. The check ends when its time is up: most charts have a
    /// few pages, while a whole book would take too long.
    ///
    /// A page with lost content is refused, too, unless the former chart is no better there. Returns a sentence about the loss on
    /// such a page.
    private func drawPages(
        of path: String, _ chart: ChartHash, _ description: ChartDescription, instead former: ChartHash, _ identity: RendererIdentity
    ) async throws -> String? {
        let end = parts.time.now + Self.longestTrial
        var lost: [(page: Int, reason: String)] = []
        for index in description.pages.indices where parts.time.now < end {
            let page = PageIndex(index)
            do {
                let outcome = try await draw(page, of: path, chart, fonts: description.fontsNotEmbedded, identity)
                if let reason = outcome.lostContent { lost.append((index, reason)) }
            } catch let failure as RenderFailure where failure.isLasting || failure.tookTheRendererDown {
                throw UnusableChart(successor: "\(page) of the new version cannot be drawn: \(failure)")
            }
        }
        guard !lost.isEmpty, let known = try parts.library.charts.description(of: former) else { return nil }
        let formerPages = known.pages.indices
        for (page, reason) in lost where parts.time.now < end {
            // Compare a page without a counterpart with all former pages. If all of them have lost content, too, the fault is usual
            // for files from this maker.
            for other in formerPages.contains(page) ? page..<page + 1 : formerPages where parts.time.now < end {
                let outcome = try await draw(
                    PageIndex(other), of: parts.library.charts.path(of: former), former, fonts: known.fontsNotEmbedded, identity)
                if outcome.lostContent == nil { return "\(PageIndex(page)) of the new version is damaged: \(reason)" }
            }
        }
        return nil
    }

    private func draw(
        _ page: PageIndex, of path: String, _ chart: ChartHash, fonts: [String]?, _ identity: RendererIdentity
    ) async throws -> PageOutcome {
        let inputs = ImageInputs(
            renderer: identity, chart: chart, chartNeedsFonts: fonts?.isEmpty != true, page: page, variant: .thumbnail,
            settings: parts.render)
        return try await tryingAgain { [self] in
            try await parts.sideWork.run { [renderer = parts.renderer, settings = parts.render] in
                let image = try MemoryFile.create()
                let output = PageJob.Output(.thumbnail, key: inputs.key, descriptor: image.number)
                return try await renderer.render(
                    PageJob(chart: path, page: page, settings: settings, outputs: [output], fonts: inputs.fonts), in: .background)
            }
        }
    }

    private static let longestTrial: Duration = .seconds(120)

    /// Tries again if the renderer crashed: a single crash may have been the machine's fault.
    private func tryingAgain<Result>(_ body: () async throws -> Result) async throws -> Result {
        var misfortunes = 0
        while true {
            do {
                return try await body()
            } catch let failure as RenderFailure where failure.tookTheRendererDown && misfortunes + 1 < RenderFailure.mostMisfortunes {
                misfortunes += 1
            }
        }
    }
}

/// A chart that is being written to the disk, hashed as it arrives.
@LoopActor
final class ReceivedChart {
    let file: TemporaryFile
    private var sum: SHA256? = SHA256()
    private(set) var size = 0
    private(set) var error: SystemError?

    init(file: TemporaryFile) { self.file = file }

    /// Prepares for bytes from offset `start`: continues after the present bytes, or discards them.
    func begin(_ start: FileStart) -> Bool {
        if start.offset == size { return true }
        precondition(start.offset == 0, "a file is continued where it ended")
        guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
            error = SystemError("write", path: Folder.parent(of: file.path))
            return false
        }
        sum = SHA256()
        size = 0
        return true
    }

    var beginsLikeAPDF: Bool { FileKind(header: bytes(FileKind.headerLength, from: 0)) == .pdf }

    /// Whether the file ends like a PDF. If the service does not announce a size, only this shows that the file is complete.
    var endsLikeAPDF: Bool { String(decoding: bytes(1024, from: max(0, size - 1024)), as: UTF8.self).contains("%%EOF") }

    private func bytes(_ most: Int, from start: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, start) }
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Returns whether to send more: false once the disk has refused data.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            self.error = error
            return false
        }
        sum?.update(bytes)
        size += bytes.count
        return true
    }

    func finish() -> ChartHash {
        guard let sum = sum.take() else { preconditionFailure("a chart ends once") }
        return ChartHash(sum.finish())
    }
}
