import CommandLine
import Model

/// A song that was written, and where it is.
struct SongAnswer {
    let sheet: SongSheet
    let file: String
    let pages: Int?
    let remarks: [String]

    init(_ sheet: SongSheet, file: String, pages: Int?, remarks: [String]) {
        (self.sheet, self.file, self.pages, self.remarks) = (sheet, file, pages, remarks)
    }

    static let form = JSONForm<SongAnswer>([
        .init("file", "what was written", \.file),
        .init("title", "the song's title", \.sheet.song.title),
        .init("key", "the key in which it sounds; null if it is not known") { $0.sheet.view.key ?? $0.sheet.song.key },
        .init("capo", "the fret of the capo, 0 for none", \.sheet.view.capo),
        .init("pages", "how many pages it has; null of a text", \.pages),
        .init("warnings", "what was not understood, or not done, in words", \.remarks),
    ])

    func print(on output: Output) {
        for remark in remarks { output.warning(remark.printable) }
        let key = (sheet.view.key ?? sheet.song.key).map { ", in \($0)" } ?? ""
        let capo = sheet.view.capo > 0 ? ", capo \(sheet.view.capo)" : ""
        output.result("\(file): \(sheet.song.title)\(key)\(capo)\(pages.map { ", \($0.counted("page"))" } ?? "")".printable)
    }
}
