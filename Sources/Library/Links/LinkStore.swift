import Glibc
public import Model
public import Platform

/// The links by which people open the charts.
@LoopActor
public final class LinkStore {
    let catalogue: OpenCatalogue

    var database: Database { catalogue.database }

    init(_ catalogue: OpenCatalogue) {
        self.catalogue = catalogue
    }
}

extension LinkStore {
    /// Brings the links in `root`, the folder that people open, up to date: `<date> <plan>/<nn> <title>.pdf` for every chart
    /// of every plan that is here.
    ///
    /// Nothing is touched but links that were made here, none is renamed or removed that has a file of the user's beside
    /// it, and a folder where something does not work stops no other. Where nothing changed, nothing is written.
    ///
    /// `named` are paths, folded, that files of the user's name for an attachment.
    func link(
        _ plans: [PlanContents], into root: String, named: [String: AttachmentID]
    ) throws(LibraryError) -> LinkOutcome {
        var outcome = LinkOutcome()
        try adoptLinks(in: root)
        let recorded = try recordedLinks()
        var listings: [String: FolderListing] = [:]
        Self.look(at: recorded.map(\.folder), &listings, &outcome)
        let reserved = LinkDecision.reserved(recorded: recorded, listings: listings, chartsFolder: linkedChartsFolder)
            .merging(named) { first, _ in first }
        let targets = try linkTargets()
        let wanted = ChartLink.wanted(for: plans, in: root, reserved: reserved) { targets[$0] }
        Self.look(at: wanted.map(\.folder), &listings, &outcome)

        let decision = LinkDecision(wanted: wanted, recorded: recorded, listings: listings, chartsFolder: linkedChartsFolder)
        // Recorded before it is made: a link that we do not know of would never be touched again.
        try record(decision.record)
        let gone = Self.carryOut(decision, &outcome)
        try forget(decision.forget + gone)
        if !outcome.made.isEmpty || !outcome.retargeted.isEmpty { try noteLinked() }
        return outcome
    }

    /// Every link that was ever made.
    func recordedLinks() throws(LibraryError) -> [ChartLink] {
        try database.rows("SELECT path, attachment_id, target, stands FROM links ORDER BY path") { row in
            ChartLink(
                path: row.text(0), attachment: AttachmentID(row.text(1)), target: row.text(2), stands: row.integer(3) != 0)
        }
    }

    /// What the user has files beside: attachments by the links that were made for them, and charts by any link to them in
    /// the folders around, for people rename folders. Where a folder cannot be looked at, its links count as if they had.
    /// `seen` are the recorded links beside which there is such a file now.
    func linkedWithUserFiles() throws(LibraryError) -> (
        attachments: Set<AttachmentID>, charts: Set<ChartHash>, seen: [ChartLink]
    ) {
        let recorded = try recordedLinks()
        var listings: [String: FolderListing] = [:]
        var outcome = LinkOutcome()
        Self.look(at: recorded.map(\.folder), &listings, &outcome)
        let folder = linkedChartsFolder
        let reserved = LinkDecision.reserved(recorded: recorded, listings: listings, chartsFolder: folder)
        // A folder that should be there and is not may be on a disk that is away.
        let unseen = recorded.filter { $0.stands && (listings[$0.folder] ?? .missing) == .missing }.map(\.attachment)
        let seen = recorded.filter { reserved[FileName.folded($0.path)] == $0.attachment }

        for root in Set(recorded.map { Folder.parent(of: $0.folder) }) {
            let names = (try? Folder.names(in: root)) ?? []
            Self.look(at: names.map { root + "/" + $0 }, &listings, &outcome)
        }
        let targets = listings.values.flatMap { listing in
            listing.linksWithUserFiles { $0.linkTarget.map { ChartFileName.isChartPath($0, in: folder) } ?? false }.compactMap(\.linkTarget)
        }
        let charts = targets.compactMap { ChartFileName.chartHash(ofFile: String($0.dropFirst(folder.count + 1))) }
        return (Set(reserved.values).union(unseen), Set(charts), seen)
    }

    /// Links that are not as they were last meant to be, by the charts that they are for: one that could not be changed leads to a
    /// former version, or to nothing.
    public func linksLeftBehind() throws(LibraryError) -> [AttachmentID: [LinkLeftBehind]] {
        let late = try recordedLinks().compactMap { link -> (AttachmentID, LinkLeftBehind)? in
            guard link.stands, link.hasKnownAttachment else { return nil }
            guard let target = FolderListing.target(of: link.path) else {
                // What stands there instead is somebody's own, and told as that.
                var status = stat()
                return lstat(link.path, &status) == 0 ? nil : (link.attachment, LinkLeftBehind(path: link.path, isThere: false))
            }
            guard target != link.target, ChartFileName.isChartPath(target, in: linkedChartsFolder) else { return nil }
            return (link.attachment, LinkLeftBehind(path: link.path, isThere: true))
        }
        return Dictionary(grouping: late) { $0.0 }.mapValues { $0.map(\.1) }
    }

    /// The charts' folder as links name it, from wherever they are read.
    nonisolated var linkedChartsFolder: String {
        let chartsFolder = catalogue.chartsFolder
        guard !chartsFolder.hasPrefix("/"), let current = getcwd(nil, 0) else { return chartsFolder }
        defer { free(current) }
        return String(cString: current) + "/" + chartsFolder
    }

    /// The files of the charts that are here.
    private func linkTargets() throws(LibraryError) -> ChartsByUse<String> {
        let folder = linkedChartsFolder
        let rows = try database.rows(
            "SELECT attachment_id, made_from, hash FROM attachment_charts ORDER BY attachment_id, \(ChartStore.newestFirst)"
        ) { row in (ChartUse(AttachmentID(row.text(0)), madeFrom: row.text(1)), "\(folder)/\(row.text(2)).pdf") }
        var targets = ChartsByUse<String>()
        for (use, path) in rows { targets.add(access(path, F_OK) == 0 ? path : nil, for: use) }
        return targets
    }

    private func record(_ links: [ChartLink]) throws(LibraryError) {
        guard !links.isEmpty else { return }
        catalogue.noteOtherCharts()
        try database.write { () throws(LibraryError) in
            for link in links {
                try database.run(
                    """
                    INSERT INTO links (path, attachment_id, target, stands) VALUES (?, ?, ?, 1)
                    ON CONFLICT (path) DO UPDATE SET attachment_id = excluded.attachment_id, target = excluded.target, stands = 1
                    """, [.text(link.path), .id(link.attachment), .text(link.target)])
            }
        }
    }

    private func forget(_ links: [ChartLink]) throws(LibraryError) {
        guard !links.isEmpty else { return }
        catalogue.noteOtherCharts()
        try database.write { () throws(LibraryError) in
            for link in links { try database.run("UPDATE links SET stands = 0 WHERE path = ?", [.text(link.path)]) }
        }
    }
}

extension LinkStore {
    /// A link on its way to another target; the same everywhere, so that what a killed process left is found again.
    private nonisolated static var newLinkName: String { AtomicFile.temporaryPrefix + "woodshed-link" }

    private nonisolated static func look(
        at folders: [String], _ listings: inout [String: FolderListing], _ outcome: inout LinkOutcome
    ) {
        for folder in Set(folders).sorted() where listings[folder] == nil {
            let left = folder + "/" + newLinkName
            if FolderListing.target(of: left) != nil { unlink(left) }
            do throws(SystemError) {
                listings[folder] = try FolderListing.of(folder)
            } catch {
                outcome.failures.append(.system(error))
            }
        }
    }

    /// Does what was decided, and returns the links that are gone.
    private nonisolated static func carryOut(_ decision: LinkDecision, _ outcome: inout LinkOutcome) -> [ChartLink] {
        outcome.kept = decision.kept.map(\.path)
        outcome.inTheWay = decision.inTheWay
        // What fails in a folder once would fail for every link in it.
        var failed: Set<String> = []
        func attempt(_ folder: String, _ body: () throws(SystemError) -> Void) -> Bool {
            guard !failed.contains(folder) else { return false }
            do throws(SystemError) {
                try body()
                return true
            } catch {
                failed.insert(folder)
                outcome.failures.append(.system(error))
                return false
            }
        }
        for link in decision.make {
            let isMade = attempt(link.folder) { () throws(SystemError) in
                try Folder.create(link.folder)
                // Fails where something has come to stand in the meantime, and replaces nothing.
                guard symlink(link.target, link.path) == 0 else { throw SystemError("link", path: link.path) }
            }
            if isMade { outcome.made.append(link.path) }
        }
        for link in decision.retarget {
            var isLink = false
            let isDone = attempt(link.folder) { () throws(SystemError) in
                let new = link.folder + "/" + newLinkName
                guard symlink(link.target, new) == 0 else { throw SystemError("link", path: link.path) }
                // An editor may have saved a file of its own in the link's place since it was looked at.
                isLink = try SafeRename.replaceLink(at: link.path, by: new)
            }
            guard isDone else { continue }
            if isLink { outcome.retargeted.append(link.path) } else { outcome.inTheWay.append(link.path) }
        }
        var gone: [ChartLink] = []
        for link in decision.remove {
            var isLink = false
            let isDone = attempt(link.folder) { () throws(SystemError) in isLink = try SafeRename.removeLink(at: link.path) }
            guard isDone else { continue }
            gone.append(link)
            if isLink { outcome.removed.append(link.path) }
        }
        // Only what is empty goes, whatever was thought of it.
        for folder in decision.removeFolders where rmdir(folder) == 0 { outcome.removed.append(folder) }
        return gone
    }
}
