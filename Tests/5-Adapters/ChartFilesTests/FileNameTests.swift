import TestSupport
import Testing

@testable import ChartFiles

@Suite(.timeLimit(.minutes(5)))
struct FileNameTests {
    @Test(arguments: [
        ("Amazing Grace", "Amazing Grace"),
        ("Kyrie/Gloria\\Credo", "Kyrie-Gloria-Credo"),
        ("../../etc/passwd", "-..-etc-passwd"),
        ("...hidden", "hidden"),
        ("  a \t\n b\u{2028}c  ", "a b c"),
        ("tab\u{0}nul\u{7f}\u{9f}", "tab nul"),
        ("evil\u{202E}fdp.exe\u{2066}\u{200F}", "evilfdp.exe"),
        ("ends in dots. . .", "ends in dots"),
        ("", "untitled"), ("...", "untitled"), (" \n", "untitled"), ("/", "-"), ("\u{202E}", "untitled"),
        ("Größe ♭ 神 👩‍👩‍👧", "Größe ♭ 神 👩‍👩‍👧"),
    ]) func titlesBecomeNames(title: String, name: String) {
        #expect(FileName.sanitised(title) == name)
    }

    @Test(arguments: [
        ("A: \"Gloria\"? <loud>*|", "A- -Gloria-- -loud---"), ("aux", "_aux"), ("Com1.x", "_Com1.x"), ("COM10", "COM10"),
        ("Console", "Console"),
    ]) func someNamesAreNoneOnASticksFileSystem(title: String, name: String) {
        #expect(FileName.portable(title) == name)
        let long = FileName.portable(String(repeating: "神", count: 100), number: 3)
        #expect(long.utf8.count <= 120 && long.hasSuffix(" (3)"))
    }

    @Test func longNamesAreCutBetweenScalars() {
        let name = FileName.sanitised(String(repeating: "神", count: 200))
        #expect(name == String(repeating: "神", count: 80))
        #expect(FileName.numbered(name, 12).utf8.count <= FileName.limit)
        #expect(FileName.numbered(name, 12).hasSuffix("神 (12)"))
        #expect(FileName.numbered("Grace", 1) == "Grace")
    }

    @Test func namesThatADiscMayTakeForOneFoldToOne() {
        #expect(FileName.folded("GRÖ") == FileName.folded("gro\u{308}"))
        #expect(FileName.folded("Grace") != FileName.folded("Graces"))
        #expect(FileName.folded("\u{C4}men") == FileName.folded("a\u{308}MEN"))
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func whateverIsTypedBecomesANameAndStaysOne(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let nasty: [Unicode.Scalar] = [
            "/", ".", " ", "\0", "\n", "\u{202E}", "\u{2069}", "\u{308}", "\u{FEFF}", "神", "A", "👩", "\\", "\u{85}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<150, using: &generator) {
            let any = Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &generator)) ?? "x"
            text.append(Bool.random(using: &generator) ? any : nasty.randomElement(using: &generator) ?? "x")
        }
        let name = FileName.sanitised(String(text))
        #expect(!name.isEmpty && name.utf8.count <= FileName.limit)
        #expect(
            !name.unicodeScalars.contains {
                $0 == "/" || $0 == "\0" || $0.properties.isBidiControl || $0.properties.generalCategory == .control
            })
        #expect(name.unicodeScalars.first != "." && name.unicodeScalars.last != "." && name.unicodeScalars.last != " ")
        #expect(FileName.sanitised(name) == name)
    }
}
