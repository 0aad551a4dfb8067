import Foundation
import Platform
import TestSupport
import Testing

/// `woodshed song`, as built, with files and with the songs of `woodshed demo`.
@Suite(.onLoop)
struct SongTests {
    private let folder = TemporaryFolder()

    @LoopActor private func song(_ words: [String], home: String? = nil) async throws -> Program.Result {
        try await Program.run("woodshed", ["song"] + words + ["--home", home ?? folder.path("home")], environment: [])
    }

    private func file(_ name: String, _ text: String) throws -> String {
        try AtomicFile.write(text, to: folder.path(name))
        return folder.path(name)
    }

    private static let grace = "{title: Amazing Grace}\n{key: G}\n[G]Amazing [G/B]grace, [C]how [Cm]sweet\n"

    @Test @LoopActor func aFileIsWrittenInAnotherKey() async throws {
        let result = try await song([try file("grace.cho", Self.grace), "--key", "Ab", "--as", "chordpro", "-o", "-"])
        #expect(result.exit == .code(0) && result.messages.isEmpty, "\(result.messages)")
        #expect(result.output.contains("[Ab]Amazing [Ab/C]grace, [Db]how [Dbm]sweet"))
    }

    @Test @LoopActor func aPDFHasTheTitleThatTheSongSays() async throws {
        let target = folder.path("out.pdf")
        let result = try await song([try file("x.cho", Self.grace), "--key", "A", "--capo", "2", "-o", target])
        #expect(result.exit == .code(0) && result.output.contains("out.pdf: Amazing Grace, in A, capo 2, 1 page"), "\(result)")
        #expect(try AtomicFile.read(target, limit: 1 << 20).starts(with: Array("%PDF-".utf8)))
        let again = try await song([folder.path("x.cho"), "-o", target])
        #expect(again.exit == .code(2) && again.messages.contains("--force replaces it"))
    }

    @Test @LoopActor func aTextWithoutAKeyIsNotMovedAndSaysHowItCanBe() async throws {
        let text = try file("grace.txt", "VERSE 1\n[G]Amazing [C]grace [D]how [Xyz]sweet [G]the\n")
        let bare = try await song([text, "--key", "D", "--as", "chordpro", "-o", "-"])
        #expect(bare.exit == .code(3) && bare.output.isEmpty, "\(bare)")
        #expect(bare.messages.contains("its chords look like G: it begins and ends with G") && bare.messages.contains("add --from G"))
        let told = try await song([text, "--from", "g", "--key", "d", "--as", "chordpro", "-o", "-"])
        #expect(told.output.contains("[D]Amazing [G]grace [A]how [Xyz]sweet [D]the") && told.messages.contains("'Xyz' is no known chord"))
        let asItIs = try await song([text, "-o", folder.path("asis.pdf"), "--json"])
        #expect(asItIs.output.contains("the text names no key; its chords look like G"), "\(asItIs)")
        #expect(asItIs.output.contains("\"likely_key\":\"G\"") && asItIs.output.contains("\"key\":null"), "\(asItIs)")
    }

    @Test @LoopActor func theDetailsAtTheTopOfATextAreNoWords() async throws {
        let text = try file("x.txt", "Title: Amazing Grace\nKey: G\n\n[G]Amazing\n")
        let moved = try await song([text, "--key", "A", "--as", "chordpro", "-o", "-"])
        #expect(moved.exit == .code(0) && moved.output.hasPrefix("{title: Amazing Grace}\n{key: A}\n[A]Amazing\n"), "\(moved)")
    }

    @Test @LoopActor func aPersonKnowsTheKeyBetterThanTheText() async throws {
        let text = try file("fortress.cho", "{key: D}\n{capo: 2}\n[Bb]A mighty [F]fortress [Eb]is our [Bb]God\n")
        let right = try await song([text, "--from", "Bb", "--key", "C", "--as", "chordpro", "-o", "-"])
        #expect(right.output.contains("[C]A mighty [G]fortress") && !right.output.contains("capo"), "\(right)")
        let drawn = try await song([text, "-o", folder.path("f.pdf")])
        #expect(drawn.messages.contains("says that it is in D, but its chords look like Bb"), "\(drawn)")
    }

    @Test @LoopActor func namesOfKeysThatAreShownCanBeTyped() async throws {
        let text = try file("german.cho", Self.grace)
        let written = try await song([text, "--german", "--key", "H", "--as", "chordpro", "-o", "-"])
        #expect(written.exit == .code(0) && written.output.contains("[H]Amazing"), "\(written)")
        let flat = try await song([text, "--key", "gb", "--as", "chordpro", "-o", "-"])
        #expect(flat.exit == .code(0) && flat.output.contains("[Gb]Amazing"), "\(flat)")
    }

    @Test @LoopActor func otherEncodingsAndNamesAreReadAndSaid() async throws {
        let path = folder.path("latin.cho")
        let bytes = Array("{title: Caf".utf8) + [0xE9] + Array("}\n[G]one\n".utf8)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        let result = try await song([path, "--as", "chordpro", "-o", "-"])
        #expect(result.exit == .code(0) && result.output.contains("{title: Café}"), "\(result)")
        #expect(result.messages.contains("Windows-1252"))
        let drawn = try await song([path, "-o", folder.path("latin.pdf"), "--json"])
        #expect(drawn.output.contains("Windows-1252"), "\(drawn)")
        let plain = try file("plain.txt", "{title: Grace}\n{key: G}\n[G]one\n")
        let named = try await song([plain, "--as", "chordpro", "--key", "A", "-o", "-"])
        #expect(named.exit == .code(0) && named.output.contains("[A]one"), "\(named)")
        #expect(named.messages.contains("plain.txt is read as ChordPro, since line 1 is '{title: Grace}'."))
        let rich = try await song([try file("rich.cho", "{\\rtf1 hello}")])
        #expect(rich.exit == .code(1) && rich.messages.contains("RTF"), "\(rich)")
    }

    @Test @LoopActor func aCapoOfTheTextIsLeftOutInAnotherKeyAndSaid() async throws {
        let path = try file("capo.cho", "{key: G}\n{capo: 2}\n[G]one\n")
        for (form, ending) in [("pdf", "pdf"), ("chordpro", "cho")] {
            let words = [path, "--key", "E", "--as", form, "-o", folder.path("out." + ending)]
            #expect(try await song(words).messages.contains("capo at fret 2 for its own key"), "\(form)")
            let asked = try await song(words + ["--capo", "2", "--force"])
            #expect(asked.exit == .code(0) && !asked.messages.contains("at fret"), "\(asked)")
        }
    }

    /// The reported key and capo must be those of the PDF that was made.
    @Test(arguments: [
        ("VERSE 1\n[G]Amazing grace\n", "x.txt", ["--capo", "2"], "null", 2),
        ("{key: G}\n{capo: 2}\n[G]one", "x.cho", [], "\"A\"", 2), ("{key: G}\n{capo: 2}\n[G]one", "x.cho", ["--capo", "0"], "\"A\"", 0),
        ("{key: G}\n[G]one", "x.cho", ["--key", "E", "--capo", "2"], "\"E\"", 2),
    ])
    @LoopActor func theAnswerSaysInWhichKeyItSounds(text: String, name: String, words: [String], key: String, capo: Int) async throws {
        let result = try await song([try file(name, text), "-o", folder.path("out.pdf"), "--json"] + words)
        #expect(result.output.contains("\"key\":\(key)") && result.output.contains("\"capo\":\(capo)"), "\(result)")
    }

    @Test @LoopActor func eachOfSeveralSongsHasItsOwnKeyAndFret() async throws {
        let text = "{title: One}\n{key: G}\n{capo: 2}\n[G]one\n{new_song}\n{title: Two}\n{key: E}\n[E]two"
        let result = try await song([try file("two.cho", text), "--as", "chordpro", "-o", "-"])
        #expect(result.output.contains("[G]one") && result.output.contains("[E]two"), "\(result)")
    }

    @Test @LoopActor func aKeyHoldsForEachOfSeveralSongsAndThoseThatCannotFollowAreNamed() async throws {
        let text = """
            {title: One}
            {key: G}
            {capo: 2}
            [G]one
            {new_song}
            {title: Two}
            [Xyz]two
            {new_song}
            {title: Three}
            {key: Em}
            [Em]three
            {new_song}
            {key: E}
            [E]four
            """
        let path = try file("book.cho", text)
        let result = try await song([path, "--key", "D", "--as", "chordpro", "-o", "-"])
        #expect(result.exit == .code(3), "\(result)")
        for words in ["[D]one", "[Xyz]two", "[Em]three", "[D]four"] { #expect(result.output.contains(words), "\(words): \(result)") }
        #expect(!result.output.contains("capo"), "\(result)")
        #expect(result.messages.contains("Two: the song does not say") && result.messages.contains("Three: the song is in Em"), "\(result)")
        let told = try await song([path, "--from", "A", "--key", "D", "--as", "chordpro", "-o", "-"])
        #expect(told.output.contains("[D]one") && told.output.contains("[D]four"), "each says its own key: \(told)")
        let drawn = try await song([path, "--key", "Dm", "-o", folder.path("book.pdf")])
        #expect(drawn.exit == .code(2) && drawn.messages.contains("the song is in G"), "\(drawn)")
    }

    @Test @LoopActor func aTitleWithoutQuotesIsNotTwoSongs() async throws {
        let result = try await song(["amazing", "grace", "--key", "G"])
        #expect(result.exit == .code(2) && result.messages.contains("needs quotes, as in 'amazing grace'"), "\(result)")
    }

    @Test(arguments: ["no/such", "nosuch.txt", "nosuch.cho", "/dev/null", "/tmp"]) @LoopActor func whatIsNoFileIsNoSong(name: String)
        async throws
    {
        let result = try await song([name, "-o", "-"])
        #expect(result.exit == .code(2) && result.messages.contains(name) && result.messages.contains("no file"), "\(result)")
    }

    @Test(arguments: [
        (["--key", "X"], "'X' is no key"), (["--capo", "12"], "12"), (["--numbers", "--german"], "exclude each other"),
        (["--as", "word"], "word"), (["--json", "-o", "-"], "needs a file"),
    ])
    @LoopActor func whatMakesNoSenseIsRefused(words: [String], reason: String) async throws {
        let result = try await song([try file("grace.cho", Self.grace)] + words)
        #expect(result.exit == .code(2) && result.messages.contains(reason), "\(result)")
    }

    @Test @LoopActor func whatIsNoSongIsSaid() async throws {
        let bytes = folder.path("grace.cho")
        #expect(FileManager.default.createFile(atPath: bytes, contents: Data([0xFF, 0xFE, 0x00])))
        let result = try await song([bytes])
        #expect(result.exit == .code(1) && result.messages.contains("UTF-16"), "\(result)")
    }

    @Test @LoopActor func aSongOfAPlanComesInThePlansKey() async throws {
        let home = folder.path("demo")
        let demo = try await Program.run("woodshed", ["demo", "--once", "--home", home], environment: ["WOODSHED_RENDER_FULL_SIZE=200"])
        #expect(demo.exit == .code(0), "\(demo.messages)")
        let drawn = try await song(["gather at", "-o", folder.path("river.pdf")], home: home)
        #expect(drawn.output.contains("Shall We Gather at the River, in D"), "\(drawn)")
        let unknown = try await song(["no such song"], home: home)
        #expect(unknown.exit == .code(1) && unknown.messages.contains("the nearest of 10 are"), "\(unknown)")
    }

    /// A song's text comes from the service or from other people, so it must not control the terminal.
    @Test @LoopActor func aSongControlsNoTerminal() async throws {
        let text = "{title: Gr\u{1b}]0;owned\u{7}ace \u{202e}ecarG}\n[G]A\u{1b}[31mmazing\tgrace\n"
        let result = try await song([try file("bad.cho", text), "--as", "chordpro", "-o", "-"])
        #expect(result.exit == .code(0) && result.output.contains("mazing"), "\(result)")
        let allowed: Set<Unicode.Scalar> = ["\n", "\t"]
        #expect(result.output.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{7f}" && $0 != "\u{202e}" || allowed.contains($0) })
    }
}
