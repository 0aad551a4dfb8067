import Following
import JSON
import Model
import PagePNG
import Platform
import Rendering

/// Replies of a worker, as they may be after a PDF has taken the process over.
enum WorkerReplies {
    /// The beginning of every message. Random bytes hardly ever begin with it, so each case is also read with it in front.
    private static let beginning: [UInt8] = {
        guard let bytes = try? ReplyMessage(number: 0, reply: .rendered).encoded() else { return [] }
        return Array(bytes.prefix { $0 != UInt8(ascii: "{") })
    }()

    static func take(_ bytes: [UInt8]) {
        read(bytes)
        read(beginning + bytes)
        if let description = try? JSONReader.decode(ChartDescription.self, from: bytes), description.isSound {
            precondition((1...ChartDescription.mostPages).contains(description.pages.count))
            _ = description.missingPages
            if let places = description.places?.possible(pages: description.pages.count) {
                precondition(places.jumps.count <= ChartPlaces.mostJumps && places.bookmarks.count <= ChartPlaces.mostEntries)
                precondition(places.bookmarks.allSatisfy { $0.place.page.value < description.pages.count && !$0.title.isEmpty })
            }
        }
        if let marks = MarkCoding.decode(bytes) {
            precondition(marks.count <= bytes.count && MarkCoding.decode(MarkCoding.encode(marks))?.count == marks.count)
            _ = PageMarks(drawing: marks)
        }
        let marks = (0..<9).map { Mark(id: "\($0)", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.5, y: 0.5)]) }
        if let moved = FollowCoding.decode(bytes, for: marks) {
            precondition(moved.count == marks.count && zip(marks, moved).allSatisfy { $1 == nil || $1?.mark.id == $0.id })
        }
        bytes.withUnsafeBytes { bytes in
            guard let image = BandedPNG(bytes) else { return }
            precondition((0..<image.layout.bandCount).allSatisfy { image.layout.rows(ofBand: $0).upperBound <= image.layout.height })
            for band in 0..<image.layout.bandCount { _ = image.isSound(band) }
        }
    }

    private static func read(_ bytes: [UInt8]) {
        do throws(RenderFailure) {
            let message = try ReplyMessage(bytes: bytes)
            let again = try ReplyMessage(bytes: message.encoded())
            precondition(again == message)
            if case .failed(let failure) = message.reply { precondition(!failure.description.isEmpty) }
        } catch {
            precondition(!error.description.isEmpty)
        }
    }
}
