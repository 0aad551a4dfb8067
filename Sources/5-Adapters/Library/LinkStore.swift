public import Catalogue
public import ChartFiles
import Glibc
public import Model
import Platform

/// The links through which people open the charts.
public final class LinkStore: Store {
    /// Brings the links in `root`, the folder that people open, up to date: `<date> <plan>/<nn> <title>.pdf` for every chart
    /// of every plan that is here.
    ///
    /// Only links that were made here are touched; none is renamed or removed that has one of the user's files next to
    /// it; and a folder where something goes wrong does not hold up the others. If nothing changed, nothing is written.
    ///
    /// `named` are folded paths that the user's files give for an attachment.
    func link(
        _ plans: [PlanContents], into root: String, named: [String: AttachmentID]
    ) throws(LibraryError) -> LinkOutcome {
        try adoptLinks(in: root)
        try followLinks(to: root)
        var folders = try linkFolders(besides: root)
        let reserved = folders.reserved.merging(named) { first, _ in first }
        let targets = try linkTargets()
        let decision = folders.decide(ChartLink.wanted(for: plans, in: root, reserved: reserved) { targets[$0] })
        // Recorded before it is made: an unrecorded link would never be touched again.
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

    /// The links that the user has files next to, as `LinkFolders` finds them.
    func linkedWithUserFiles(in root: String) throws(LibraryError) -> LinkFolders.UserFiles {
        var folders = try linkFolders(besides: root)
        return folders.userFiles()
    }

    /// The folders of all links, but of those on a network only what is in `root`: others may not answer.
    private func linkFolders(besides root: String) throws(LibraryError) -> LinkFolders {
        let recorded = try recordedLinks()
        let near = Mounts.present.near(recorded, in: \.root)
        let away = Set(recorded.map(\.root)).subtracting(near.map(\.root)).subtracting([root])
        return LinkFolders(of: recorded, chartsFolder: linkedChartsFolder, away: away)
    }

    /// Links that are not as they were last meant to be, by the charts that they are for: a link that could not be changed leads to a
    /// former version, or to nothing. Of links on a network that is not known.
    public func linksLeftBehind() throws(LibraryError) -> [AttachmentID: [LinkLeftBehind]] {
        let late = Mounts.present.near(try recordedLinks(), in: \.root).compactMap { link -> (AttachmentID, LinkLeftBehind)? in
            guard link.stands, link.hasKnownAttachment else { return nil }
            guard let target = FolderListing.target(of: link.path) else {
                // Whatever has taken the link's place belongs to the user, and is reported separately.
                var status = stat()
                return lstat(link.path, &status) == 0 ? nil : (link.attachment, LinkLeftBehind(path: link.path, isThere: false))
            }
            guard target != link.target, ChartFileName.isChartPath(target, in: linkedChartsFolder) else { return nil }
            return (link.attachment, LinkLeftBehind(path: link.path, isThere: true))
        }
        return Dictionary(grouping: late) { $0.0 }.mapValues { $0.map(\.1) }
    }

    /// The charts' folder as links name it: a full path, so that it holds wherever they are read.
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

/// The folder that people open outlives a catalogue that is restored from a backup: its links show what that catalogue lacks.
extension LinkStore {
    /// Notes that links were made just now, by the clock that files are stamped with.
    func noteLinked() throws(LibraryError) { try database.set(.linked, to: CatalogueBackups.systemTime) }

    /// Recognises links by their new paths when the library was moved together with them; those at the old paths are not ours any more.
    private func followLinks(to root: String) throws(LibraryError) {
        let moved = LinkFolders.movedAlong(try recordedLinks(), to: root, chartsFolder: linkedChartsFolder)
        guard !moved.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            // If the music folder was another one before, the same link may be recorded twice: the one that stands counts.
            for (former, link) in moved.filter({ !$0.link.stands }) + moved.filter(\.link.stands) {
                try database.run(
                    "UPDATE OR REPLACE links SET path = ?, target = ? WHERE path = ?",
                    [.text(link.path), .text(link.target), .text(former)])
            }
        }
    }

    /// Returns whether one of our links was made later than this catalogue's last one, and leads to a chart that it does not know, or not
    /// to the recorded one: then an older catalogue was put back. Links that people move around keep their age.
    func hasLinksOfLaterTimes(than lastPoll: Timestamp) throws(LibraryError) -> Bool {
        let linked = try database.time(.linked)
        let known = Set(try database.rows("SELECT hash FROM charts UNION SELECT hash FROM let_go_charts") { $0.text(0) })
        let recorded = Mounts.present.near(try recordedLinks().filter(\.stands), in: \.root)
        return LinkFolders.areLater(than: max(linked ?? lastPoll, lastPoll), recorded, knowing: known, chartsFolder: linkedChartsFolder)
    }

    /// Takes over the links to charts in the folders of `root`, once after a new catalogue was begun: an earlier catalogue made them. They
    /// stay as they are until a plan needs their places; their attachments are not known yet.
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
