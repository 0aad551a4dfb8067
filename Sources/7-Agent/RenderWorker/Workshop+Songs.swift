import Glibc
import JSON
import Model
import PageRaster
import Platform
import Rendering
import SongPages

/// Songs, from their words and chords to a PDF, and pictures.
extension Workshop {
    /// The most remarks in an answer: messages are small, and a malformed song gives a remark for every line.
    private static let mostRemarks = 20

    /// Draws a song as a PDF. `files` are the sheet and the output.
    func song(_ files: [Int32]) throws(RenderFailure) -> (reply: ReplyMessage.Reply, remarks: [String]) {
        guard files.count == 2 else { throw .malformedReply("a song takes 2 files, not \(files.count)") }
        guard let json = try? MemoryFile.read(files[0], limit: SongJob.mostBytes),
            let sheet = try? JSONReader.decode(SongSheet.self, from: json)
        else { throw .malformedReply("the song's sheet cannot be read") }
        let drawing: SongDrawing
        do {
            drawing = try SongDrawing(of: sheet)
        } catch {
            throw .drawing(error.description)
        }
        try write(drawing.pdf, to: files[1])
        var remarks = drawing.remarks.prefix(Self.mostRemarks).map { String($0.prefix(300)) }
        let rest = drawing.remarks.count - remarks.count
        if rest > 0 { remarks.append("\(rest) more of the song's lines were not understood.") }
        return (.bound(pages: drawing.pages, bytes: drawing.pdf.count, key: drawing.key, song: drawing.facts), remarks)
    }

    /// Makes a PDF of a picture. `files` are the picture and the output.
    func picture(_ files: [Int32]) throws(RenderFailure) -> ReplyMessage.Reply {
        guard files.count == 2 else { throw .malformedReply("a picture takes 2 files, not \(files.count)") }
        let most = ByteCount(PictureJob.mostBytes)
        let picture: [UInt8]
        do {
            picture = try MemoryFile.read(files[0], limit: PictureJob.mostBytes)
        } catch {
            guard error.code == EFBIG else { throw .cannotOpen(error.description) }
            throw .drawing("the picture takes up more than \(most); save a smaller copy")
        }
        let page = try translated { () throws(RasterFailure) in try PicturePage(of: picture) }
        guard page.pdf.count <= PictureJob.mostBytes else {
            throw .drawing("a page of the picture would take up more than \(most); save it as a JPEG")
        }
        try write(page.pdf, to: files[1])
        return .bound(pages: 1, bytes: page.pdf.count)
    }
}
