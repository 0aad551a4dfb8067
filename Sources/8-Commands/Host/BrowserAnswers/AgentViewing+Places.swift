import Agent
import Catalogue
import Library
import Model
import Platform
import Viewer

/// The jumps and bookmarks of charts, and the songs in books.
extension AgentViewing {
    /// The jumps and bookmarks of the layers that are shown on a chart whose chords are in `key`, and those of the PDF.
    func places(of chart: ViewerChart, in key: ChordKey?) throws(LibraryError) -> ChartPlaces {
        try library.drawings.places(of: chart.id, in: key).before(library.charts.places(in: chart.hash), pages: chart.pages.count)
    }

    /// Reads a chart's links and outline if it was described before these were read; open viewers are told if it has any.
    func lookForPlaces(in chart: ViewerChart) {
        guard (try? library.charts.places(in: chart.hash)) == nil else { return }
        spawn { [self] in
            if await agent.findPlaces(in: chart.hash) { news.receive(.reconciled(changed: [chart.id])) }
        }
    }

    /// The entries of the outlines of books, first of the charts that were opened from songbooks, then of those of the latest plans.
    func songsInOutlines() throws(LibraryError) -> [ViewerBookSong] {
        let outlines = try library.charts.outlines(ofAtLeast: ViewerBookSong.fewestInOutline)
        guard !outlines.isEmpty else { return [] }
        let opened: [PlanContents] = try library.plans.plan(.songbook).map { [$0] } ?? []
        let plans: [PlanContents] = opened + (try library.plans.all()).reversed()
        var songs: [ViewerBookSong] = []
        var known: Set<AttachmentID> = []
        for attachment in plans.flatMap(\.attachments) where known.insert(attachment.id).inserted {
            guard let chart = try library.charts.chart(of: attachment.use), let outline = outlines[chart.hash] else { continue }
            for entry in outline {
                let page = entry.place.page
                songs.append(ViewerBookSong(chart: attachment.id, name: attachment.displayName, title: entry.title, page: page))
            }
        }
        return songs
    }
}
