import Model
import Songs
import Testing

@testable import SongPages

/// Grids: bars and cells stand below each other.
@Suite struct GridTests {
    private func rows(_ text: String, _ view: SongView = SongView()) throws -> [String] {
        let sheet = SongSheet(SongText("{key: C}\n{sog}\n\(text)\n{eog}", dialect: .chordPro, title: "x"), view)
        return SongLines(of: try SongCopies(of: sheet), measure: EvenMeasure()).slots.map(\.text)
    }

    private static let grid = "A || G7 . | % . |\n|: C#m7 . | F . :| twice\nwords alone"

    /// The columns of all bar lines of a row.
    private func bars(_ row: String) -> [Int] { row.enumerated().filter { $0.element == "|" }.map(\.offset) }

    @Test func barsStandBelowEachOtherInEveryKey() throws {
        var widths: Set<Int> = []
        for key in ["C", "Db", "F#", "Bb", "E"] {
            for writing in [SongView.Writing.letters, .german, .numbers] {
                let rows = try rows(Self.grid, SongView(key: key, writing: writing))
                // The first row's double bar begins where the second row's repeat sign does.
                let (first, second) = (bars(rows[0]), bars(rows[1]))
                #expect(first[0] == second[0] && first[2] == second[1], "\(rows)")
                #expect(rows[2] == "words alone")
                widths.formUnion(rows.prefix(2).map(\.count))
            }
        }
        #expect(widths.count == 1, "\(widths)")
    }
}
