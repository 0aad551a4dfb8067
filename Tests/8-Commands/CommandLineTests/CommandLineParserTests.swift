import Model
import Testing

@testable import CommandLine

@Suite(.timeLimit(.minutes(5)))
struct CommandLineParserTests {
    private static let nothing: Command.Run = { _, _ throws(CommandFailure) in .fine }

    /// A small program with one parameter or flag of every kind.
    private let table = Command(
        name: "tool", summary: "Works", examples: [],
        subcommands: [
            Command(
                name: "page", summary: "Draws",
                parameters: [Parameter("chart", "which"), Parameter("n", "page", type: .integer(1...99))],
                flags: [
                    Flag("size", "PX", type: .integer(64...20000), "pixels"),
                    Flag("output", short: "o", "FILE", "where"),
                    Flag("variant", "V", type: .choice(["plain", "annotated"]), "what"),
                    Flag("tag", "T", isRepeated: true, "any"),
                    .json,
                ],
                examples: [], settings: [Flag("render-workers", "N", type: .integer(0...64), "how many")], run: nothing),
            Command(
                name: "demo", summary: "Shows", flags: [Flag("once", "ends")], examples: [],
                subcommands: [
                    Command(
                        name: "edit", summary: "Edits", examples: [],
                        subcommands: [
                            Command(
                                name: "move", summary: "Moves",
                                parameters: [Parameter("what", "what"), Parameter("to", "where", isOptional: true)],
                                examples: [], run: nothing)
                        ])
                ],
                run: nothing),
            Command(
                name: "list", summary: "Lists", parameters: [Parameter("name", "names", isOptional: true, isRepeated: true)],
                examples: [], run: nothing),
        ])

    private func parse(_ line: String) throws -> Invocation {
        guard case .run(let invocation) = try request(line) else { throw Trouble("no run") }
        return invocation
    }

    private func request(_ line: String) throws -> CommandLineParser.Request {
        let words = line.split(separator: " ").map(String.init)
        return try CommandLineParser.parse(words, table: table, base: PathBase(home: "/home/ann", folder: "/base"))
    }

    private func fault(_ line: String) throws -> String {
        try #require(throws: Trouble.self) { _ = try request(line) }.description
    }

    @Test func argumentsAndFlagsAreTyped() throws {
        let invocation = try parse("page amazing --size=640 3 -o out.png --json")
        #expect(invocation.argument("chart") == "amazing")
        #expect(invocation.argument("n") == 3)
        #expect(invocation.value("size") == 640)
        #expect(invocation.value("output") == "out.png")
        #expect(invocation.has("json"))
        #expect(!invocation.has("variant"))
        #expect(invocation.names == ["tool", "page"])
    }

    @Test(arguments: ["page a 1 --size=640", "page a 1 --size 640", "page --size 640 a 1"])
    func valuesFollowByEqualSignOrSpace(_ line: String) throws {
        #expect(try parse(line).value("size") == 640)
    }

    @Test(arguments: ["page a 1 -o x", "page a 1 -ox", "page a 1 --output=x"])
    func shortFlagsTakeTheirValue(_ line: String) throws {
        #expect(try parse(line).value("output") == "x")
    }

    @Test func valueMayContainEqualSignsAndBeADash() throws {
        #expect(try parse("page a 1 --output=a=b").value("output") == "a=b")
        #expect(try parse("page a 1 -o -").value("output") == "-")
    }

    @Test func lastOneCountsUnlessRepeated() throws {
        let invocation = try parse("page a 1 --size 100 --size 200 --tag x --tag y")
        #expect(invocation.value("size") == 200)
        #expect(invocation.values("tag") == ["x", "y"])
    }

    @Test func afterTwoDashesEverythingIsAnArgument() throws {
        let invocation = try parse("list -- --json -- -x")
        #expect(invocation.arguments("name") == ["--json", "--", "-x"])
    }

    @Test func nestedCommandsAreFound() throws {
        let invocation = try parse("demo edit move item 3")
        #expect(invocation.names == ["tool", "demo", "edit", "move"])
        #expect(invocation.argument("to") == "3")
        let none: String? = try parse("demo edit move item").argument("to")
        #expect(none == nil)
    }

    @Test func commandMayRunAndHaveSubcommands() throws {
        #expect(try parse("demo --once").names == ["tool", "demo"])
        #expect(try fault("demo edti").hasPrefix("unknown command 'edti'; did you mean 'edit'?\n"))
    }

    @Test func commonFlagsGoAnywhere() throws {
        for line in ["--home /x demo edit move a", "demo --home /x edit move a", "demo edit move a --home=/x"] {
            #expect(try parse(line).value("home") == "/x")
        }
    }

    @Test func whatManyCommandsKnowMayComeBeforeTheirNames() throws {
        #expect(try parse("--json page a 1").has("json"))
        #expect(try parse("--render-workers 3 page a 1").value("render-workers") == 3)
        #expect(try fault("--json list x").hasPrefix("'--json' cannot be used with 'tool list'\n"))
        #expect(try fault("--size=100 page a 1").hasPrefix("unknown option '--size'"))
    }

    @Test func flagOfTheOuterCommandDoesNotGoWithTheInner() throws {
        #expect(try fault("demo --once edit move a").hasPrefix("'--once' cannot be used with 'tool demo edit move'\n"))
    }

    @Test func pathsBecomeAbsolute() throws {
        #expect(try parse("demo --home x/./y/").value("home") == "/base/x/y")
        #expect(try parse("demo --home=~/x").value("home") == "/home/ann/x")
    }

    @Test(arguments: [
        ("pgae a 1", "unknown command 'pgae'; did you mean 'page'?"),
        ("frobnicate", "unknown command 'frobnicate'"),
        ("page a 1 --sise 3", "unknown option '--sise'; did you mean '--size'?"),
        ("page a 1 --render-wokers=3", "unknown option '--render-wokers'; did you mean '--render-workers'?"),
        ("page a 1 --workers=3", "unknown option '--workers'; did you mean '--render-workers'?"),
        ("page a 1 -x", "unknown option '-x'"),
        ("page a 1 --size", "'--size' needs PX"),
        ("page a 1 --size=63", "'--size': 63 is out of range: 64 to 20000"),
        ("page a 1 --json=yes", "'--json' takes no value"),
        ("page a 1 --variant=plian", "'--variant': 'plian' is none of plain, annotated; did you mean 'plain'?"),
        ("page a one", "<n>: 'one' is not a whole number"),
        ("page a", "<n> is missing: page"),
        ("page a 1 2", "unexpected argument '2'"),
        ("demo edit move a amazing grace", "unexpected argument 'grace'; a name of several words needs quotes, as in 'amazing grace'"),
        ("demo edit", "a command is required: one of move"),
        ("page a 1 --render-workers=99", "'--render-workers': 99 is out of range: 0 to 64"),
    ])
    func mistakesAreNamed(_ line: String, _ message: String) throws {
        #expect(try fault(line).hasPrefix(message + "\nRun 'tool "))
    }

    @Test func mistakeTellsTheLineForHelp() throws {
        #expect(try fault("demo edit mvoe").hasSuffix("\nRun 'tool demo edit --help' for help."))
    }

    @Test func valueOfAnUnknownFlagIsNotRepeated() throws {
        #expect(!(try fault("page a 1 --token=id:geheim").contains("geheim")))
    }

    @Test(arguments: [("--help", ["tool"]), ("page -h", ["tool", "page"]), ("demo edit --help --nonsense", ["tool", "demo", "edit"])])
    func helpIsForTheCommandNamedSoFar(_ line: String, _ names: [String]) throws {
        guard case .help(let found) = try request(line) else {
            Issue.record("no help")
            return
        }
        #expect(found == names)
    }

    @Test func versionIsAskedOfTheProgram() throws {
        guard case .version = try request("--version") else {
            Issue.record("no version")
            return
        }
    }

    @Test func distanceCountsSwappedNeighboursOnce() {
        #expect(Suggestion.distance("show", "shwo") == 1)
        #expect(Suggestion.distance("", "abc") == 3)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.nearest(to: "x", among: ["config"]) == nil)
    }
}
