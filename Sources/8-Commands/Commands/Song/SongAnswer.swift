import CommandLine
import Model
import Songs

/// A song that was written, and the file to which it was written.
struct SongAnswer: Answer {
    let sheet: SongSheet
    let file: String
    let pages: Int?
    /// Sentences about text that was not understood, and about wishes that were not fulfilled. The last one may offer a likely key.
    let remarks: [String]
    /// The key in which the result sounds; `nil` if the text names none. Only then, there may be a likely key.
    private let key: String?
    private let likely: LikelyKey?

    init(_ sheet: SongSheet, file: String, pages: Int?, remarks: [String]) {
        (self.sheet, self.file, self.pages) = (sheet, file, pages)
        let said = try? sheet.song.read().first?.song
        let song = sheet.view.from.flatMap { said?.corrected(key: $0) } ?? said
        let own = song?.key.map { $0.moved(semitones: song?.capo ?? 0).description }
        key = own == nil ? nil : sheet.view.key ?? own
        likely = song?.detail("key") == nil ? song?.likelyKey : nil
        let advice = likely.map { "the text names no key; \($0.reason): '--from \($0.key)' says so, and with --key it moves" }
        self.remarks = remarks + (advice.map { [$0] } ?? [])
    }

    static let form = JSONForm<SongAnswer>([
        .init("file", "what was written", \.file),
        .init("title", "the song's title", \.sheet.song.title),
        .init("key", "the key in which it sounds; null if it is not known", \.key),
        .init("likely_key", "the key that its chords look like, if the text names none", \.likely?.key.description),
        .init("capo", "the fret of the capo, 0 for none", \.sheet.view.capo),
        .init("pages", "how many pages it has; null of a text", \.pages),
        .init("warnings", "what was not understood, or not done, in words", \.remarks),
    ])

    func print(on output: Output) {
        for remark in remarks { output.warning(remark.printable) }
        let key = key.map { ", in \($0)" } ?? ""
        let capo = sheet.view.capo > 0 ? ", capo \(sheet.view.capo)" : ""
        output.result("\(file): \(sheet.song.title)\(key)\(capo)\(pages.map { ", \($0.counted("page"))" } ?? "")".printable)
    }
}
