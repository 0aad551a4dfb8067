import Songs
import TestSupport
import Testing

@testable import Commands

/// The manual's table of ChordPro's directives says what happens to each.
@Suite struct ChordProManualTests {
    private static let rows = (ManualPage.on("chordpro")?.text ?? "").matches(of: /(?m)^\| `([a-z_]+)` \| (as ChordPro|otherwise|named) \|/)
        .map { (name: String($0.1), verdict: String($0.2)) }

    /// The directives of ChordPro 6, as its documentation lists them, with one for each group of fonts, sizes and colours.
    private static let directives = """
        new_song title sorttitle subtitle artist sortartist composer lyricist copyright album year key time tempo duration capo tag meta arranger
        comment highlight comment_italic comment_box image start_of_chorus chorus start_of_verse start_of_bridge start_of_tab start_of_grid
        start_of_abc start_of_ly start_of_svg start_of_textblock define chord transpose chordfont textsize titlecolour new_page
        new_physical_page column_break pagetype diagrams grid no_grid titles columns ccli start_of_musicxml
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test func eachDirectiveIsInTheTable() { #expect(Self.rows.map(\.name).sorted() == Self.directives.sorted()) }

    @Test(arguments: Self.rows.map(\.name)) func whatTheTableSaysIsSo(name: String) throws {
        let verdict = try #require(Self.rows.first { $0.name == name }).verdict
        let values = ["key": "G", "capo": "2", "transpose": "2", "meta": "artist Somebody", "new_song": "", "chorus": ""]
        let line = "{\(name): \(values[name] ?? "1")}"
        let end = name.hasPrefix("start_of_") ? "\nx\n{end_of_\(name.dropFirst(9))}" : ""
        let remarks = try SongReading.chordPro("{title: x}\n\(line)\(end)\n[G]a").flatMap(\.remarks)
        #expect(remarks.isEmpty == (verdict != "named"), "\(verdict): \(remarks)")
    }
}
