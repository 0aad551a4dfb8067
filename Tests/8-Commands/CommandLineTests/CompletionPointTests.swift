import Testing

@testable import CommandLine

/// The suggested next words while a command line is typed.
@Suite(.timeLimit(.minutes(5)))
struct CompletionPointTests {
    private static let table = Command(
        name: "woodshed", summary: "",
        examples: [],
        subcommands: [
            Command(
                name: "show", summary: "Shows", parameters: [Parameter("chart", "").offering(.charts), Parameter("file", "", type: .path)],
                flags: [
                    Flag("plan", "PLAN", "").offering(.plans(["next"])), Flag("out", short: "o", "FILE", type: .path, ""), Flag("all", ""),
                    Flag("layers", "A,B", type: .list, "").offering(.layers), Flag("kind", "KIND", type: .choice(["one", "two"]), ""),
                ],
                examples: [], settings: [Flag("plans-ahead", "TIME", ""), Flag("log-level", "LEVEL", "")], run: { _, _ in .fine })
        ])

    private func point(_ words: String...) -> CompletionPoint {
        CompletionPoint(words, table: Self.table, base: PathBase(home: "/home/ann", folder: "/base"))
    }

    private func offered(_ words: String...) -> [String] {
        CompletionPoint(words, table: Self.table, base: PathBase(home: "/home/ann", folder: "/base")).choices.map(\.word)
    }

    @Test func commandsAndOptionsAreOfferedByTheirBeginning() {
        #expect(offered("sh") == ["show"])
        #expect(offered("x") == [])
        #expect(offered("show", "--pl") == ["--plan"])
        #expect(offered("show", "--plan", "next", "--pl") == ["--plans-ahead"], "settings, where none of the command's own is left")
        #expect(offered("show", "--log") == ["--log-level"])
        #expect(offered("show", "--").contains("--all") && !offered("show", "--").contains("--log-level"))
    }

    @Test func aValueIsOfferedWhereItIsDue() {
        #expect(point("show", "").offer == .charts)
        #expect(point("show", "--all", "").offer == .charts)
        #expect(point("show", "--plan", "x", "").offer == .charts)
        #expect(point("show", "a", "").offer == .files)
        #expect(point("show", "a", "b", "").offer == .nothing)
        #expect(point("show", "--plan", "").offer == .plans(["next"]))
        #expect(point("show", "-o", "x").offer == .files)
        #expect(point("show", "--kind", "").offer == .words(["one", "two"]))
        #expect(point("show", "--home", "").offer == .folders)
        #expect(point("show", "--", "--pl").offer == .charts)
        #expect(point("--log-level", "info", "show", "").offer == .charts)
    }

    @Test func theBeginningOfAWordIsKept() {
        let option = point("show", "--plan=ne")
        #expect(option.kept == "--plan=" && option.typed == "ne" && option.offer == .plans(["next"]))
        let list = point("show", "--layers=a,b")
        #expect(list.kept == "--layers=a," && list.typed == "b" && list.offer == .layers)
        #expect(point("show", "--layers", "a,b").kept == "a,")
    }

    @Test func whatWasTypedBeforeIsUnderstood() {
        let invocation = point("show", "riverside", "--home", "~/h", "--nonsense", "--kind=three", "").invocation
        #expect(invocation.argument("chart") == "riverside")
        #expect(invocation.value("home") == "/home/ann/h")
        #expect(!invocation.has("kind"))
    }
}

/// A command line split into words as bash splits it.
@Suite(.timeLimit(.minutes(5)))
struct BashLineTests {
    private func line(_ text: String) -> BashLine { BashLine(text, breaks: " \t\n\"'><=;|&(:@") }

    @Test func wordsAreReadAsBashReadsThem() {
        #expect(line(#"woodshed page Down\ by "the 'x'" 'a "b"' "#).words == ["page", "Down by", "the 'x'", #"a "b""#, ""])
        #expect(line(#"woodshed page "Down b"#).words == ["page", "Down b"])
        #expect(line("woodshed").words == [])
        #expect(line("woodshed plans > fi").isRedirection)
        #expect(line("woodshed plans 2> x --").words == ["plans", "2", "--"])
    }

    @Test func whatIsPutThereSuitsWhatWasTyped() {
        #expect(line("woodshed page D").typed("Down by (1).pdf") == #"Down\ by\ \(1\).pdf"#)
        #expect(line(#"woodshed page "D"#).typed("Down $1.pdf") == #"Down \$1.pdf"#)
        #expect(line("woodshed page 'D").typed("Don't") == nil)
        #expect(line("woodshed ready --plan=2026").typed("--plan=2026-11-29") == "2026-11-29")
        #expect(line("woodshed page Grace:").typed("Grace: one") == #"\ one"#)
    }
}
