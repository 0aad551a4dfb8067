import Following
import PageRaster
import Rendering

/// Finds where the marks of one chart are in another one.
extension Workshop {
    /// `files` are the PDF that the marks were made on, the other PDF, the marks, and a file for the marks at their new places.
    func follow(_ files: [Int32]) throws(RenderFailure) -> ReplyMessage.Reply {
        guard files.count == 4 else { throw .malformedReply("following marks takes 4 files, not \(files.count)") }
        let marks = try marks(files[2])
        let (from, to) = (try maps(files[0]), try maps(files[1]))
        let following = Following(from, to)
        try write(FollowCoding.encode(marks.compactMap { following.follow($0) }), to: files[3])
        return .followed
    }

    /// A map of each of a chart's pages. A page that cannot be drawn has no music; the others are followed all the same.
    private func maps(_ file: Int32) throws(RenderFailure) -> [PageMap] {
        let chart = try chart(file)
        guard chart.pageCount <= FollowJob.mostPages else {
            throw .drawing("one of the charts has \(chart.pageCount) pages, and marks can only follow the music in \(FollowJob.mostPages)")
        }
        return (0..<chart.pageCount).map { page in
            guard (try? chart.draw(page: page, longSide: Self.side, into: raster)) != nil, var map = PageMap(raster.musicMap()) else {
                return PageMap(systems: [], steepness: 1)
            }
            map.words = (try? chart.words(of: page)) ?? []
            return map
        }
    }

    /// The longer side of the image in which music is looked for: in a larger one, no more is found.
    private static let side = 1700
}
