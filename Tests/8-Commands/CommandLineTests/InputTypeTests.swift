import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine

@Suite(.timeLimit(.minutes(5)))
struct InputTypeTests {
    private let base = PathBase(home: "/home/ann", folder: nil)

    private func problem(_ type: InputType, _ text: String) throws -> String {
        try #require(throws: Trouble.self) { _ = try type.parse(text, base: base) }.description
    }

    @Test(arguments: [
        ("28 days", 28 * 86400), ("1 day", 86400), ("2h", 7200), ("5 min", 300), ("90s", 90), ("90 sec", 90), ("3 hours", 10800),
        ("2w", 14 * 86400), ("2m", 120), ("2d", 2 * 86400), ("2 h", 7200), ("0 s", 0), ("1  minute", 60),
    ])
    func durationsAreRead(_ text: String, _ seconds: Int) throws {
        #expect(try DurationText.parse(text) == .seconds(seconds))
    }

    @Test(arguments: [
        ("28", "'28' has no unit; write '28 s', 'min', 'h' or 'days'"),
        ("5 dasy", "'dasy' is not a unit of time; did you mean 'day'?"),
        ("-5 s", "'-5 s' is not a duration; write a number and a unit, as in '28 days' or '90 s'"),
        ("1.5 h", "'.5 h' is not a unit of time"),
        ("", "'' is not a duration; write a number and a unit, as in '28 days' or '90 s'"),
        ("9223372036854775807 days", "'9223372036854775807 days' is too long"),
        ("99999999999999999999 s", "'99999999999999999999 s' is not a duration; write a number and a unit, as in '28 days' or '90 s'"),
    ])
    func faultyDurationsAreNamed(_ text: String, _ message: String) throws {
        #expect(try problem(.duration(.zero...(.seconds(Int64.max))), text) == message)
    }

    @Test func durationsAreWrittenAsTheyAreRead() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let duration = Duration.seconds(Int64.random(in: 0...(400 * 86400), using: &random))
            #expect(try DurationText.parse(DurationText.text(of: duration)) == duration)
        }
        #expect(DurationText.text(of: .seconds(86400)) == "1 day")
        #expect(DurationText.text(of: .seconds(90)) == "90 s")
    }

    @Test(arguments: [
        ("4 GB", 4_000_000_000), ("64MB", 64_000_000), ("1 kb", 1000), ("0 B", 0), ("512 MiB", 512 << 20), ("2 tb", 2_000_000_000_000),
        ("1  gib", 1 << 30),
    ])
    func sizesAreRead(_ text: String, _ bytes: Int) throws {
        #expect(try SizeText.parse(text) == ByteCount(bytes))
    }

    @Test(arguments: [
        ("64", "'64' has no unit; write '64 MB' or '64 GB'"),
        ("4 GBB", "'GBB' is not a unit of size; did you mean 'GB'?"),
        ("5%", "'5%' is a share; a size is expected here, as in '4 GB'"),
        ("64m", "'m' is not a unit of size; write 'MB'"),
        ("1.5 GB", "'1.5 GB' is not a size; write a whole number and a unit, as in '4 GB' or '500 MB'"),
        ("-1 GB", "'-1 GB' is not a size; write a whole number and a unit, as in '4 GB' or '500 MB'"),
        ("", "'' is not a size; write a whole number and a unit, as in '4 GB' or '500 MB'"),
        ("99999999 TB", "'99999999 TB' is too large"),
        ("999 B", "'999 B' is out of range: 1 kB to 1 TB"),
        ("2 TB", "'2 TB' is out of range: 1 kB to 1 TB"),
    ])
    func faultySizesAreNamed(_ text: String, _ message: String) throws {
        #expect(try problem(.size(ByteCount(1000)...ByteCount(1_000_000_000_000)), text) == message)
    }

    @Test(arguments: [
        ("5%", DiskAmount.percent(5)), ("0 %", .percent(0)), ("90%", .percent(90)), ("1 GB", .bytes(ByteCount(1_000_000_000))),
    ])
    func amountsOfADiskAreRead(_ text: String, _ amount: DiskAmount) throws {
        #expect(try DiskAmountText.parse(text) == amount)
    }

    @Test(arguments: [
        ("91%", "'91%' is out of range: 0% to 90%"),
        ("1.5%", "'1.5%' is not a share; write a whole number, as in '5%'"),
        ("%", "'%' is not a share; write a whole number, as in '5%'"),
        ("2 GB", "'2 GB' is out of range: 0 B to 1 GB"),
    ])
    func faultyAmountsAreNamed(_ text: String, _ message: String) throws {
        #expect(try problem(.diskAmount(ByteCount(0)...ByteCount(1_000_000_000)), text) == message)
    }

    @Test func sizesAreWrittenAsTheyAreRead() throws {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let size = ByteCount(Int.random(in: 0...1 << 45, using: &random) >> Int.random(in: 0...45, using: &random))
            #expect(try SizeText.parse(SizeText.text(of: size)) == size)
        }
        #expect(SizeText.text(of: ByteCount(64_000_000)) == "64 MB")
        #expect(SizeText.text(of: ByteCount(64 << 20)) == "64 MiB")
        #expect(SizeText.text(of: ByteCount(0)) == "0 B")
        #expect(SizeText.text(of: ByteCount(1001)) == "1001 B")
    }

    @Test(arguments: [("yes", "true"), ("on", "true"), ("No", "false"), ("off", "false"), ("ture", "true"), ("TRUE", "true")])
    func onlyTrueAndFalseAreBooleans(_ text: String, _ hint: String) throws {
        #expect(try problem(.boolean, text) == "'\(text)' is neither true nor false; write '\(hint)'")
    }

    @Test(arguments: ["1e3", "0x10", "010", "+5", " 5", "5 ", "", "½", "99999999999999999999"])
    func onlyPlainNumbersAreIntegers(_ text: String) throws {
        #expect(try problem(.integer(0...100), text) == "'\(text)' is not a whole number")
    }

    @Test func integersKeepTheirRange() throws {
        #expect(try InputType.integer(64...100).parse("64", base: base) == .integer(64))
        #expect(try InputType.integer(64...100).parse("100", base: base) == .integer(100))
        #expect(try problem(.integer(64...100), "63") == "63 is out of range: 64 to 100")
        #expect(try problem(.integer(64...100), "101") == "101 is out of range: 64 to 100")
    }

    @Test func pathsAreAbsoluteAndKnowHome() throws {
        #expect(try InputType.path.parse("~/a//b/./c/", base: base) == .text("/home/ann/a/b/c"))
        #expect(try InputType.path.parse("/", base: base) == .text("/"))
        #expect(try problem(.path, "a/b") == "a path must begin with '/' or '~/'")
        #expect(try problem(.path, "~bob/x").contains("only '~/' is expanded"))
        let relative = PathBase(home: "/home/ann", folder: "/base")
        #expect(try InputType.path.parse("a", base: relative) == .text("/base/a"))
    }

    @Test(arguments: [
        ("https://example.org/v2/", "https://example.org/v2"), ("HTTPS://Example.org", "https://Example.org"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("https://[::1]:443/a", "https://[::1]:443/a"),
    ])
    func addressesAreTaken(_ text: String, _ expected: String) throws {
        #expect(try InputType.url.parse(text, base: base) == .text(expected))
    }

    @Test(arguments: [
        "example.org", "ftp://example.org", "https://", "https://ann:geheim@example.org", "https://example.org/?token=geheim",
        "https://example.org:0", "https://example.org:99999", "https://example.org:", "https://exa mple.org", "https://:80",
        "https://é.org", "http://127.1",
    ])
    func faultyAddressesAreRefusedWithoutRepeatingThem(_ text: String) throws {
        #expect(!(try problem(.url, text).contains("geheim")))
    }

    @Test func paperIsOpaque() throws {
        #expect(try InputType.opaqueColor.parse("#FFF8E7", base: base) == .text("#fff8e7"))
        for text in ["", "#", "white", "#fff", "fff8e7", "#fff8e780", "#fff8e7ff", "#12345é", "#+12345"] {
            #expect(
                try problem(.opaqueColor, text)
                    == "'\(text)' is not a colour; write '#' and six hexadecimal digits in quotes, as in \"#fff8e7\"")
        }
    }

    @Test func listsAndOptionalValues() throws {
        #expect(try InputType.list.parse("1, 2,3", base: base) == .list(["1", "2", "3"]))
        #expect(try InputType.list.parse("", base: base) == .list([]))
        let kinds = InputType.choices(["chord", "lyric"])
        #expect(try kinds.parse("lyric, chord", base: base) == .list(["lyric", "chord"]))
        #expect(throws: Trouble("'lyrics' is none of chord, lyric; did you mean 'lyric'?")) { try kinds.parse("lyrics", base: base) }
        #expect(try InputType.optional(.path).parse("none", base: base) == .unset)
        #expect(try problem(.fileName, "../x") == "a name of letters, digits, '.', '_' and '-' that does not begin with '.' is expected")
        #expect(try problem(.text, "a\u{7}") == "the text contains a control character")
    }
}
