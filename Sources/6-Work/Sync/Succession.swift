import Catalogue
import Glibc
import Library
import Model
import PlanningCenter
import Platform
import Rendering

/// Decides whether a new chart may replace the one that is here. A playable chart gives way only to one that arrived complete, is a
/// different file, opens, and has pages that can be drawn: all of that is checked before the new file gets its name.
///
/// Whether another attachment's chart stands in for one that has not arrived yet is decided in the library, where plans are taken over.
@LoopActor
final class Succession {
    /// The description of a chart that was opened before it was accepted, and by which renderer.
    typealias Description = (pages: ChartDescription, tag: RendererTag)

    /// A chart that may be kept.
    struct Successor {
        let hash: ChartHash
        let size: Int
        /// `nil` if it replaces no good chart, or was opened before.
        let description: Description?
    }

    private let parts: SyncParts
    /// Since when exactly the bytes that are here have been sent as a version of another size; `nil` if others came instead. The library
    /// knows only the last thing that went wrong with a download, which may be something else by now.
    private var doubted: [ChartUse: (version: String, since: Moment?)] = [:]

    init(_ parts: SyncParts) { self.parts = parts }

    /// Examines a file that has arrived; throws if it may not be kept, or if that cannot be found out.
    func examine(_ received: ReceivedChart, of attachment: Attachment, at now: Timestamp) async throws -> Successor {
        // Only the size that the service announces shows whether a file is complete; files made on demand have only their end. Anything
        // else, like a log-in page, is refused because it is not a PDF.
        if attachment.fileSize == 0, received.beginsLikeAPDF, !received.endsLikeAPDF {
            throw Trouble("the download was cut off and is not used; the next sync fetches it again")
        }
        let hash = received.finish()
        let size = try sizeToBelieve(of: received, hash, of: attachment, at: now)
        try parts.library.charts.check(received.file, size: size, for: attachment.id)
        return Successor(hash: hash, size: size, description: try await look(at: received.file.path, hash, of: attachment))
    }

    /// If the same bytes arrive as are here already, they may be a former version, from an outdated cache on the way; if they still arrive
    /// after an hour, the size is wrong.
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
            // From an agent before this one.
            since = since + min(fault.since - now, .zero)
        }
        doubted[use] = (attachment.version, since)
        return parts.time.now - since >= .seconds(3600) ? received.size : attachment.fileSize
    }

    /// The description of a chart that is about to replace one that is here and opens; `nil` if it replaces none, or was opened before.
    /// Throws if it cannot be opened or drawn, or if that cannot be found out.
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
            // It is still due, and nothing is wrong with it.
            case .cancelled, .stopped: throw ServiceFailure.cancelled
            default: throw UnusableChart(unopened: "\(failure)")
            }
        }
    }

    /// Why the new version is incomplete by its own account, unless the former one is just the same.
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

    /// True if some pages of a chart are known to be impossible to draw.
    private func isKnownToLackPages(_ chart: ChartHash, by tag: RendererTag) throws(LibraryError) -> Bool {
        try parts.library.images.faults().contains {
            $0.chart == chart && $0.tag == tag && $0.isFinal && [nil, .plain].contains($0.image?.variant)
        }
    }

    /// Draws every page small, to check that each can be drawn. A chart that would take long is checked only for as long as the time
    /// allows: most charts have a few pages, and a whole book would take too long.
    ///
    /// A page that has lost something is not accepted either, unless the former chart is no better there. Returns the loss on such a page.
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
            // A page without a counterpart is compared with all former pages: if each of them has lost something, too, its maker's files
            // are always like that.
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

    /// Tries again if the renderer went down: a single time may have been the machine's fault.
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

/// A chart on its way to the disk, hashed as it arrives.
@LoopActor
final class ReceivedChart {
    let file: TemporaryFile
    private var sum: SHA256? = SHA256()
    private(set) var size = 0
    private(set) var error: SystemError?

    init(file: TemporaryFile) { self.file = file }

    /// Prepares for bytes that begin at `start`: either continues after what is here already, or discards it.
    func begin(_ start: FileStart) -> Bool {
        if start.offset == size { return true }
        precondition(start.offset == 0, "a file is continued where it ended")
        guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
            error = SystemError("write", path: file.path)
            return false
        }
        sum = SHA256()
        size = 0
        return true
    }

    /// True if it begins like a PDF.
    var beginsLikeAPDF: Bool { FileKind(header: bytes(FileKind.headerLength, from: 0)) == .pdf }

    /// True if it ends like a PDF. If the service does not announce a file's size, nothing else shows that it is complete.
    var endsLikeAPDF: Bool { String(decoding: bytes(1024, from: max(0, size - 1024)), as: UTF8.self).contains("%%EOF") }

    private func bytes(_ most: Int, from start: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, start) }
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Returns whether more is wanted: not after the disk has refused.
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
