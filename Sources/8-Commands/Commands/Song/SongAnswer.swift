import CommandLine
import Model
import Songs

/// A song that was written, and the file to which it was written.
struct SongAnswer: Answer {
    let sheet: SongSheet
    let file: String
    let pages: Int?
    let remarks: [String]
    /// The key in which the written song sounds, and the fret of its capo. A song whose key is not known is not transposed, so it
    /// has no key here and the capo 0.
    private let key: String?
    private let capo: Int

    init(_ sheet: SongSheet, file: String, pages: Int?, remarks: [String]) {
        (self.sheet, self.file, self.pages, self.remarks) = (sheet, file, pages, remarks)
        let song = try? sheet.song.read().first?.song
        let own = song?.key.map { $0.moved(semitones: song?.capo ?? 0).description }
        (key, capo) = own == nil ? (nil, 0) : (sheet.view.key ?? own, sheet.view.capo)
    }

    static let form = JSONForm<SongAnswer>([
        .init("file", "what was written", \.file),
        .init("title", "the song's title", \.sheet.song.title),
        .init("key", "the key in which it sounds; null if it is not known", \.key),
        .init("capo", "the fret of the capo, 0 for none", \.capo),
        .init("pages", "how many pages it has; null of a text", \.pages),
        .init("warnings", "what was not understood, or not done, in words", \.remarks),
    ])

    func print(on output: Output) {
        for remark in remarks { output.warning(remark.printable) }
        let key = key.map { ", in \($0)" } ?? ""
        let capo = capo > 0 ? ", capo \(capo)" : ""
        output.result("\(file): \(sheet.song.title)\(key)\(capo)\(pages.map { ", \($0.counted("page"))" } ?? "")".printable)
    }
}
