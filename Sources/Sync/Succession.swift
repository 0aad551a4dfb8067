import Catalogue
package import Library
package import Model
import PlanningCenter
package import Platform
package import Rendering

/// Decides whether a chart that came may take the place of the one that is here. What can be played from gives way only to what came whole,
/// is another file, opens, and has pages that can be drawn: all that is found out before it has a name.
///
/// Whether another attachment's chart stands in for one that has not come yet is decided where plans are taken over, in the library.
@LoopActor
package final class Succession {
    /// What is known of a chart that was opened before it was let in, and by what.
    package typealias Description = (pages: ChartDescription, tag: RendererTag)

    /// A chart that may be kept.
    struct Successor {
        let hash: ChartHash
        let size: Int
        /// `nil` where it takes no good chart's place, or was opened before.
        let description: Description?
    }

    private let library: Library
    private let renderer: any PageRenderer
    private let settings: RenderSettings
    /// Gives way to whoever looks at a page.
    private let work: YieldingWork
    private let time: any TimeKeeper

    package init(library: Library, renderer: any PageRenderer, settings: RenderSettings, work: YieldingWork, time: any TimeKeeper) {
        self.library = library
        self.renderer = renderer
        self.settings = settings
        self.work = work
        self.time = time
    }

    /// Looks at what came; throws where it may not be kept, or where nobody can tell.
    func examine(_ received: ReceivedChart, of attachment: Attachment, at now: Timestamp) async throws -> Successor {
        // The service's word is the only hint there is that a file is whole; of files made on demand there is only their end.
        // What is something else altogether, as a log-in page is, is refused for that.
        if attachment.fileSize == 0, received.beginsLikeAPDF, !received.endsLikeAPDF { throw Incomplete() }
        let hash = received.finish()
        let size = try sizeToBelieve(of: received, hash, of: attachment, at: now)
        try library.charts.check(received.file, size: size, for: attachment.id)
        return Successor(hash: hash, size: size, description: try await look(at: received.file.path, hash, of: attachment))
    }

    /// Where the very bytes come that are here already they may be the former ones, from somewhere on the way that is behind; when
    /// they still come after an hour, it is the size that is wrong.
    private func sizeToBelieve(
        of received: ReceivedChart, _ hash: ChartHash, of attachment: Attachment, at now: Timestamp
    ) throws(LibraryError) -> Int {
        guard attachment.fileSize > 0 else { return received.size }
        guard try library.charts.chart(of: attachment.use)?.hash == hash else { return attachment.fileSize }
        let doubt = LibraryError.wrongSize(attachment.id, expected: attachment.fileSize, found: received.size)
        let fault = try library.charts.downloadFaults()[attachment.use]
        let hasLasted = fault.map {
            $0.version == attachment.version && $0.reason == "\(doubt)" && now - $0.since >= .seconds(3600)
        }
        return hasLasted == true ? received.size : attachment.fileSize
    }

    /// What is known of a chart that is about to take the place of one that is here and opens; `nil` where it takes no such
    /// place, or where it was opened before. Throws where it cannot be opened or drawn, or where nobody can tell.
    private func look(at path: String, _ hash: ChartHash, of attachment: Attachment) async throws -> Description? {
        guard let former = try library.charts.chart(of: attachment.use), former.hash != hash,
            try library.charts.hasBytes(of: former.hash), try library.charts.description(of: former.hash) != nil
        else { return nil }
        do {
            let identity = try await renderer.identity()
            let tag = identity.tag
            if let known = try library.charts.unreadable(hash), known.tag == tag { throw UnopenedSuccessor(known.reason) }
            if try library.charts.description(of: hash) != nil { return nil }
            let description = try await open(path)
            if try !isKnownToLackPages(former.hash, by: tag) {
                let damage = try await drawPages(of: path, hash, description, instead: former.hash, identity)
                if let damage, try !library.charts.isAccepted(attachment) {
                    try library.charts.note(refused: attachment)
                    throw UnopenedSuccessor(
                        fault: damage,
                        advice: "; to use it anyway, run 'woodshed accept \(attachment.id)' and 'woodshed sync'")
                }
            }
            return (description, tag)
        } catch let failure as RenderFailure {
            switch failure {
            // It is still due, and nothing is wrong with it.
            case .cancelled, .stopped: throw ServiceFailure.cancelled
            default: throw UnopenedSuccessor("\(failure)")
            }
        }
    }

    private func open(_ path: String) async throws -> ChartDescription {
        try await tryingAgain { [self] in try await work.run { [renderer] in try await renderer.describe(chart: path) } }
    }

    /// Whether there are pages of a chart that cannot be drawn.
    private func isKnownToLackPages(_ chart: ChartHash, by tag: RendererTag) throws(LibraryError) -> Bool {
        try library.images.faults().contains {
            $0.chart == chart && $0.tag == tag && $0.isFinal && [nil, .plain].contains($0.image?.variant)
        }
    }

    /// Draws every page small, to see that each can be drawn. Of a chart that would take long, what the time allows: a few pages are
    /// what most have, and nobody is to wait for a book.
    ///
    /// A page of which something is lost will not do either, unless it is no worse than the former chart has it. Answers what such a page
    /// lost.
    private func drawPages(
        of path: String, _ chart: ChartHash, _ description: ChartDescription, instead former: ChartHash, _ identity: RendererIdentity
    ) async throws -> String? {
        let end = time.now + Self.longestTrial
        var lost: [(page: Int, reason: String)] = []
        for index in description.pages.indices where time.now < end {
            let page = PageIndex(index)
            do {
                let outcome = try await draw(page, of: path, chart, fonts: description.fontsNotEmbedded, identity)
                if let reason = outcome.lostContent { lost.append((index, reason)) }
            } catch let failure as RenderFailure where failure.isLasting || failure.tookTheRendererDown {
                throw UnopenedSuccessor(fault: "\(page) of the new version cannot be drawn: \(failure)")
            }
        }
        guard !lost.isEmpty, let known = try library.charts.description(of: former) else { return nil }
        let formerPages = known.pages.indices
        for (page, reason) in lost where time.now < end {
            // Of a page that is new all others tell: where each has lost something, that is its maker's habit.
            for other in formerPages.contains(page) ? page..<page + 1 : formerPages where time.now < end {
                let outcome = try await draw(
                    PageIndex(other), of: library.charts.path(of: former), former, fonts: known.fontsNotEmbedded, identity)
                if outcome.lostContent == nil { return "\(PageIndex(page)) of the new version is damaged: \(reason)" }
            }
        }
        return nil
    }

    private func draw(
        _ page: PageIndex, of path: String, _ chart: ChartHash, fonts: [String]?, _ identity: RendererIdentity
    ) async throws -> PageOutcome {
        let inputs = ImageInputs(
            renderer: identity, chart: chart, chartNeedsFonts: fonts?.isEmpty != true, page: page, variant: .thumbnail, settings: settings)
        return try await tryingAgain { [self] in
            try await work.run { [renderer, settings] in
                let image = try MemoryFile.create()
                let output = PageJob.Output(.thumbnail, key: inputs.key, descriptor: image.number)
                return try await renderer.render(
                    PageJob(chart: path, page: page, settings: settings, outputs: [output], fonts: inputs.fonts), in: .background)
            }
        }
    }

    private static let longestTrial: Duration = .seconds(120)

    /// Does it again if it took the renderer down: once may be the machine's doing.
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

/// A new version of a chart that cannot be opened or drawn, where the one that is here can be.
struct UnopenedSuccessor: Error, CustomStringConvertible {
    let fault: String
    private let advice: String

    init(fault: String, advice: String = "") {
        self.fault = fault
        self.advice = advice
    }

    /// One that cannot be opened for this reason.
    init(_ reason: String) {
        self.init(fault: "the new version cannot be opened: \(reason)")
    }

    var description: String { "\(fault); the chart already here is kept\(advice)" }
}

/// A file made on demand that broke off before its end.
private struct Incomplete: Error, CustomStringConvertible {
    var description: String { "the download was cut off and is not used; the next sync fetches it again" }
}
