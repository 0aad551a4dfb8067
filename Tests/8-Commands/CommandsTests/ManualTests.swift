import CommandTestSupport
import Glibc
import Platform
import Readiness
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Configuration

/// The manual describes the program as it is, and the README agrees with the manual.
@Suite(.onLoop)
struct ManualTests {
    private static func file(_ path: String) throws -> String {
        try Repository.text(path)
    }

    private static func page(_ topic: String) throws -> String { try #require(ManualPage.on(topic)).text }

    /// The rows of all tables, cell by cell.
    private static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.dropFirst(2).dropLast(line.hasSuffix(" |") ? 2 : 1).split(separator: " | ", omittingEmptySubsequences: false).map(
                String.init)
        }
    }

    private static func commands(_ command: Command = .woodshed, _ names: [String] = ["woodshed"]) -> [(name: String, command: Command)] {
        let own = command.run == nil || names.count == 1 ? [] : [(names.joined(separator: " "), command)]
        return own + command.subcommands.flatMap { commands($0, names + [$0.name]) }
    }

    /// All code in a text: the words between backquotes, and the lines of fenced blocks.
    private static func code(in text: String) -> [String] {
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false)
        return blocks.indices.flatMap { index in
            if index % 2 == 1 { return blocks[index].split(separator: "\n").dropFirst().map(String.init) }
            let parts = blocks[index].split(separator: "`", omittingEmptySubsequences: false)
            return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]).replacing("\n", with: " ") }
        }
    }

    /// A chart with marks from an older version is ready; `ready` only adds a note.
    @Test func marksOnAnOlderVersionAreTroubleButNoReasonForNotBeingReady() throws {
        let parts = try Self.page("trouble").split(separator: "\n## ").filter { $0.contains("older version") }
        #expect(parts.map { $0.prefix { $0 != "\n" } } == ["Marks"])
    }

    @Test func everyPageIsShortAndHasAHeading() throws {
        #expect(ManualPage.all.count == 15)
        for page in ManualPage.all {
            let file = try Self.file("Sources/1-Embedded/Manual/pages/\(page.topic).md")
            #expect(page.text == file, "\(page.topic) was built from another file")
            #expect(page.text.hasPrefix("# ") && !page.title.isEmpty)
            #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 150, "\(page.topic)")
            // 'woodshed help band' shows the manual's page, and 'woodshed band --help' the help of the command.
            let isOfBoth = Command.woodshed.descendant([page.topic]) != nil
            #expect(isOfBoth == (page.topic == "band"), "a command has the name of the page \(page.topic)")
        }
        let front = try Self.file("README.md")
        for page in ManualPage.all { #expect(front.contains("](Sources/1-Embedded/Manual/pages/\(page.topic).md)"), "\(page.topic)") }
    }

    @Test func everyCommandHasItsRow() throws {
        let named = Self.rows(try Self.page("commands")).map { $0[0] }.filter { $0.hasPrefix("`woodshed ") }
        let names = Self.commands().map { "`\($0.name)`" }
        for name in names { #expect(named.contains(name), "commands.md says nothing of \(name)") }
        for name in named { #expect(names.contains(name), "commands.md names \(name)") }
    }

    @Test func theHelpHasTheManualsGroups() throws {
        let sections = try Self.page("commands").split(separator: "\n## ").dropFirst()
        for group in Command.woodshed.groups {
            let section = try #require(sections.first { $0.hasPrefix(group.title + "\n") }, "\(group.title)")
            for command in group.commands { #expect(section.contains("| `woodshed \(command.name)"), "\(command.name)") }
        }
    }

    @Test func everyExitCodeHasItsRow() throws {
        let rows = Self.rows(try Self.page("commands")).filter { Int($0[0]) != nil }
        #expect(rows == ExitCode.allCases.map { [String($0.rawValue), $0.meaning] })
    }

    /// Readers type every piece of code that begins with the program's name, so the program must accept each as a command line.
    @Test(arguments: ManualPage.all.map { "Sources/1-Embedded/Manual/pages/\($0.topic).md" } + ["README.md"])
    func everyLineForTheShellIsUnderstood(_ path: String) throws {
        let names = Set(Self.commands().map(\.name))
        for line in Self.code(in: try Self.file(path)) {
            for part in line.split(separator: #/[;|] | && /#) where part.hasPrefix("woodshed ") && !names.contains(String(part)) {
                let words = part.split(separator: " ").dropFirst().map { $0.filter { $0 != "\"" && $0 != "'" } }
                let base = PathBase(home: "/home/ann", folder: "/base")
                guard case .run = try CommandLineParser.parse(words, table: .woodshed, base: base) else {
                    Issue.record("runs nothing: \(part)")
                    continue
                }
            }
        }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        for path in ManualPage.all.map({ "Sources/1-Embedded/Manual/pages/\($0.topic).md" }) + ["README.md"] {
            for match in try Self.file(path).matches(of: /\]\(([^)#]+)(#[a-z-]+)?\)/) where !match.1.hasPrefix("https://") {
                let target = Folder.parent(of: Repository.path + "/" + path) + "/" + match.1
                #expect(access(target, F_OK) == 0, "\(path): \(match.1)")
                guard let place = match.2, access(target, F_OK) == 0 else { continue }
                let headings = try Self.file(String(target.dropFirst(Repository.path.count + 1))).split(separator: "\n").filter {
                    $0.hasPrefix("#")
                }
                let places = headings.map { "#" + $0.lowercased().drop { $0 == "#" || $0 == " " }.replacing(" ", with: "-") }
                #expect(places.contains(String(place)), "\(path): \(place)")
            }
        }
    }

    @Test @LoopActor func namesOfAllThatAPlanMayLackAreListed() async {
        let session = Session()
        let words = Set(await session.run("help", "json", "ready").results.split { !$0.isLetter && $0 != "-" }.map(String.init))
        #expect(words.isSuperset(of: ReadinessLack.Name.allCases.map(\.rawValue)))
        #expect(words.isSuperset(of: ReadinessNote.Name.allCases.map(\.rawValue)))
        #expect(words.contains("no-room") && words.contains("older-marks"))
    }

    @Test @LoopActor func helpListsThePagesAndPrintsThem() async throws {
        let session = Session()
        let list = await session.run("help")
        for page in ManualPage.all { #expect(list.results.contains("  \(page.topic) ") && list.results.contains(page.title.prefix(20))) }
        let page = await session.run("help", "promises")
        #expect(page.code == .fine)
        #expect(page.results.contains("Nothing of yours is lost.") && !page.results.contains("**") && !page.results.contains("|---"))
        #expect(!page.results.contains("\u{1B}"))
        let unknown = await session.run("help", "promisse")
        #expect(unknown.code == .usage && unknown.messages.contains("did you mean 'promises'?"))
        #expect(await session.run("help", "token").results.hasPrefix("Getting a token\n"))
        let codes = await session.run("help", "exit").results
        for code in ExitCode.allCases { #expect(codes.contains(code.meaning), "\(codes)") }
        #expect(await session.run("help", "environment").results.contains("WOODSHED_RENDER_WORKERS=2"))
        let fields = await session.run("help", "json", "ready")
        #expect(fields.results.contains("woodshed ready --json") && !fields.results.contains("woodshed status --json"))
        #expect(await session.run("help", "json").results.contains("woodshed status --json"))
    }

    @Test(arguments: [60, 80, 100])
    func aPageIsNoWiderThanAsked(_ width: Int) throws {
        for page in ManualPage.all {
            for line in MarkdownText(page.text, width: width, isStyled: false).text.split(separator: "\n") where !line.hasPrefix("    ") {
                // A word longer than a line stays whole.
                let fits = DisplayWidth.of(String(line)) <= width || !line.dropFirst(8).contains(" ")
                #expect(fits, "\(page.topic): \(line)")
            }
        }
    }

    @Test func aPageIsShownWithItsBoldWords() {
        let text = """
            # A page

            Say **it all** with `woodshed help`, or
            see [marks](marks.md).

            - first
              and on
            - second

            | what | why |
            |---|---|
            | `a \\| b` | c |

            ```sh
            woodshed  demo
            ```
            """
        let plain = MarkdownText(text, width: 30, isStyled: false).text
        #expect(
            plain == """
                A page

                Say it all with 'woodshed
                help', or see marks ('woodshed
                help marks').

                - first and on
                - second

                  'a | b'
                      c

                    woodshed  demo


                """)
        #expect(
            MarkdownText("Say **it all** now", width: 30, isStyled: true).text.contains("\u{1B}[1mit\u{1B}[0m \u{1B}[1mall\u{1B}[0m now"))
    }
}
