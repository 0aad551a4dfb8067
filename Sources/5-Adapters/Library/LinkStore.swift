public import Catalogue
public import ChartFiles
import Glibc
public import Model
import Platform

/// The links through which people open the charts.
public final class LinkStore: Store {
    /// Brings the links in `root`, the folder that people open, up to date: `<date> <plan>/<nn> <title>.pdf` for every chart of
    /// every stored plan.
    ///
    /// Only links that this program made are touched. A link with one of the user's files next to it is neither renamed nor
    /// removed. A failure in one folder does not stop the work in others. If nothing changed, nothing is written.
    ///
    /// `named` are folded paths that the user's files name, with the attachments that those files belong to.
    func link(
        _ plans: [PlanContents], into root: String, named: [String: AttachmentID]
    ) throws(LibraryError) -> LinkOutcome {
        try adoptLinks(in: root)
        try followLinks(to: root)
        var folders = try linkFolders(besides: root)
        let reserved = folders.reserved.merging(named) { first, _ in first }
        let targets = try linkTargets()
        let decision = folders.decide(ChartLink.wanted(for: plans, in: root, reserved: reserved) { targets[$0] })
        // A link is recorded before it is made: an unrecorded link would never be touched again.
        try record(decision.record)
        let gone = folders.carryOut(decision)
        try forget(decision.forget + gone)
        let outcome = folders.outcome
        if !outcome.made.isEmpty || !outcome.retargeted.isEmpty { try noteLinked() }
        return outcome
    }

    /// Every link that was ever made.
    package func recordedLinks() throws(LibraryError) -> [ChartLink] {
        try database.rows("SELECT path, attachment_id, target, stands FROM links ORDER BY path") { row in
            ChartLink(path: row.text(0), attachment: AttachmentID(row.text(1)), target: row.text(2), stands: row.integer(3) != 0)
        }
    }

    /// The links with the user's files next to them, as `LinkFolders` finds them.
    func linkedWithUserFiles(in root: String) throws(LibraryError) -> LinkFolders.UserFiles {
        var folders = try linkFolders(besides: root)
        return folders.userFiles()
    }

    /// The folders of all links. Of the folders on a network, only those in `root` are read, since others may not respond.
    private func linkFolders(besides root: String) throws(LibraryError) -> LinkFolders {
        let recorded = try recordedLinks()
        let near = Mounts.present.near(recorded, in: \.root)
        let away = Set(recorded.map(\.root)).subtracting(near.map(\.root)).subtracting([root])
        return LinkFolders(of: recorded, chartsFolder: linkedChartsFolder, away: away)
    }

    /// The links that are missing, or still lead to a former version of their chart, because they could not be changed; grouped by
    /// the attachment that they belong to. Links on a network are not checked.
    public func linksLeftBehind() throws(LibraryError) -> [AttachmentID: [LinkLeftBehind]] {
        let late = Mounts.present.near(try recordedLinks(), in: \.root).compactMap { link -> (AttachmentID, LinkLeftBehind)? in
            guard link.stands, link.hasKnownAttachment else { return nil }
            guard let target = FolderListing.target(of: link.path) else {
                // Anything else in the link's place belongs to the user, and is reported separately.
                var status = stat()
                guard lstat(link.path, &status) != 0 else { return nil }
                if let dead = Folder.deadLink(onWayTo: link.path) {
                    return (link.attachment, LinkLeftBehind(path: dead.path, isThere: false, away: dead.target))
                }
                return (link.attachment, LinkLeftBehind(path: link.path, isThere: false))
            }
            guard target != link.target, ChartFileName.isChartPath(target, in: linkedChartsFolder) else { return nil }
            return (link.attachment, LinkLeftBehind(path: link.path, isThere: true))
        }
        return Dictionary(grouping: late) { $0.0 }.mapValues { $0.map(\.1) }
    }

    /// The charts' folder as links name it: an absolute path, which is valid wherever the links are.
    nonisolated var linkedChartsFolder: String {
        let chartsFolder = catalogue.chartsFolder
        guard !chartsFolder.hasPrefix("/"), let current = getcwd(nil, 0) else { return chartsFolder }
        defer { free(current) }
        return String(cString: current) + "/" + chartsFolder
    }

    /// The paths of the stored charts' files.
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
                try database.put(
                    "links", key: "path",
                    ["path": .text(link.path), "attachment_id": .id(link.attachment), "target": .text(link.target), "stands": .flag(true)])
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

// MARK: - What the folder knows and the catalogue does not

/// The folder that people open outlives a catalogue that is restored from a backup: its links show what the restored catalogue lacks.
extension LinkStore {
    /// Stores the time at which links were made, by the clock that also stamps files.
    func noteLinked() throws(LibraryError) { try database.set(.linked, to: CatalogueBackups.systemTime) }

    /// Recognises links by their new paths if they were moved together with the library; links at the old paths are no longer ours.
    private func followLinks(to root: String) throws(LibraryError) {
        let moved = LinkFolders.movedAlong(try recordedLinks(), to: root, chartsFolder: linkedChartsFolder)
        guard !moved.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            // If the music folder was elsewhere before, one link may be recorded twice: the record of an existing link wins.
            for (former, link) in moved.filter({ !$0.link.stands }) + moved.filter(\.link.stands) {
                try database.run(
                    "UPDATE OR REPLACE links SET path = ?, target = ? WHERE path = ?",
                    [.text(link.path), .text(link.target), .text(former)])
            }
        }
    }

    /// Returns whether a link that was made after `lastPoll` and after this catalogue's last link differs from the records. Such a
    /// link shows that an older catalogue was put back. Moving a link does not change its time, so a moved link is not taken for
    /// this sign.
    func hasLinksOfLaterTimes(than lastPoll: Timestamp) throws(LibraryError) -> Bool {
        let linked = try database.time(.linked)
        let known = Set(try database.rows("SELECT hash FROM charts UNION SELECT hash FROM let_go_charts") { $0.text(0) })
        let recorded = Mounts.present.near(try recordedLinks().filter(\.stands), in: \.root)
        return LinkFolders.areLater(than: max(linked ?? lastPoll, lastPoll), recorded, knowing: known, chartsFolder: linkedChartsFolder)
    }

    /// Records the links to charts in the folders of `root`, once after a new catalogue was created: an earlier catalogue made the
    /// links. The links stay unchanged until a plan needs their paths; their attachments are not known yet.
    private func adoptLinks(in root: String) throws(LibraryError) {
        guard try database.number(.begun) != nil else { return }
        let found = LinkFolders.linksToCharts(in: root, chartsFolder: linkedChartsFolder)
        try database.write { () throws(LibraryError) in
            for link in found {
                try database.run(
                    "INSERT INTO links (path, attachment_id, target, stands) VALUES (?, '', ?, 0) ON CONFLICT (path) DO NOTHING",
                    [.text(link.path), .text(link.target)])
            }
            try database.set(.begun, to: nil)
        }
    }
}
