import Songs
import Testing

/// Texts designed to keep a program busy.
@Suite(.timeLimit(.minutes(5)))
struct LargeTextTests {
    /// Repeats each piece that a reader might scan more than once, up to an eighth of the longest text that is read. If the time grew with
    /// the square of the length, the test would take minutes.
    @Test(arguments: [
        "[", "[[", "]", "{", "<b>", "<", "[G]", "(", "G ", "G-", "a\u{301}", "\u{301}", " ", "\t", "|", "G/", "<b>a</b>", "VERSE ", "x2",
        "[<b>", "G(", "[]", "C/", "[G", "((G ", ".", "b#",
        "\n", "G\n", "{a}\n", "VERSE\n", "G D\nab\n", "#\n", "{t:a}\n", "{sov}\n", "{ns}\n", "\n{t:a}\n", "TRANSPOSE KEY +1\n",
        "[G]\nREDEFINE KEY +1\n", "H ",
    ]) func largeTextsTakeLittleTime(_ piece: String) throws {
        let limits = SongLimits()
        let lines = piece.utf8.count { $0 == 10 }
        let count = (lines > 0 ? limits.lines / lines : limits.bytes / piece.utf8.count) / 8
        let text = String(repeating: piece, count: count)
        let began = ContinuousClock.now
        let reading = try SongReading(service: text, key: "G", limits: limits)
        _ = try reading.song.written(in: Key("A"))
        _ = try SongReading.chordPro(text, limits: limits)
        #expect(ContinuousClock.now - began < .seconds(20))
    }
}
