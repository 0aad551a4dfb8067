import CommandTestSupport
import Glibc
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite(.timeLimit(.minutes(5)))
struct ConfigurationFileTests {
    /// The faults of a file with this text, each without the file's name.
    private static func faults(_ text: String) throws -> [String] {
        let session = Session()
        let file = try session.write(text, to: "w.yaml")
        do {
            _ = try Configuration.load(ConfigurationSources(environment: session.environment, file: file))
            return []
        } catch {
            return error.faults.map { String($0.description.dropFirst(file.count + 1)) }
        }
    }

    @Test(arguments: [
        ("acount: 1\n", "1:1: unknown key 'acount'; did you mean 'account'?"),
        ("account:\n  persn: 1\n", "2:3: unknown key 'persn'; did you mean 'person'?"),
        ("render:\n  frobnicate: 1\n", "2:3: unknown key 'frobnicate'; known here: full_size, thumbnail_size, paper, workers"),
        ("account:\n  workers: 1\n", "2:3: unknown key 'workers'; 'workers' belongs under 'render:'"),
        ("render.workers: 1\n", "1:1: unknown key 'render.workers'; 'workers' belongs under 'render:'"),
        ("render:\n  workers: 1\n  workers: 2\n", "3:3: 'workers' is here a second time; the first is on line 2"),
        ("render:\n  workers: 1\nrender: {}\n", "3:1: 'render' is here a second time; the first is on line 1"),
        ("render:\n  workers: many\n", "2:12: workers: 'many' is not a whole number"),
        ("render:\n  workers:\n", "2:11: 'workers' has no value; put '#' before it to use its default"),
        ("render:\n  workers: ~\n", "2:12: 'workers' has no value; put '#' before it to use its default"),
        ("render:\n  workers: [1]\n", "2:12: 'workers' takes one value, not a list"),
        ("render:\n  workers: {a: 1}\n", "2:12: 'workers' takes a value, not 'name: value' lines"),
        ("render: 3\n", "1:9: render must contain lines of the form 'name: value'"),
        ("- a\n", "1:1: the file must contain lines of the form 'name: value'"),
        ("account:\n  service_types: 12\n", "2:18: 'service_types' takes a list; write [12]"),
        ("account:\n  service_types:\n    - 1\n    - [2]\n", "4:7: text is expected in the list"),
        ("account:\n  service_types: [1, ~]\n", "2:22: text is expected in the list"),
        ("charts:\n  owners: [song, aria]\n", "2:18: 'aria' is none of song, arrangement, key, item, plan"),
        ("plans:\n  ahead: 0 days\n", "2:10: ahead: '0 days' is out of range: 1 day to 366 days"),
        ("account:\n  allow_http_loopback: yes\n", "2:24: allow_http_loopback: 'yes' is neither true nor false; write 'true'"),
        ("cache:\n  limit: 4\n", "2:10: limit: '4' has no unit; write '4 MB' or '4 GB'"),
        ("cache:\n  memory: 5%\n", "2:11: memory: '5%' is a share; a size is expected here, as in '4 GB'"),
        ("cache:\n  least_free: 95%\n", "2:15: least_free: '95%' is out of range: 0% to 90%"),
        ("cache:\n  greatest_age: 5 min\n", "2:17: greatest_age: '5 min' is out of range: 1 h to 3660 days"),
        ("log:\n  level: warn\n", "2:10: level: 'warn' is none of debug, info, warning, error"),
        ("folders:\n  data: here\n", "2:9: data: a path must begin with '/' or '~/'"),
        ("account:\n  api_url: http://example.org\n", "2:12: account.api_url: only https:// is accepted, because the token is sent there"),
        (
            "account:\n  annotations_url: http://localhost:1\n",
            "2:20: account.annotations_url: plain http to this machine needs account.allow_http_loopback: true"
        ),
        ("viewer:\n  listen: lan\n", "2:11: viewer.listen: 'lan' is not an IP address; write one of this machine, or 0.0.0.0 for all"),
        (
            "viewer:\n  listen: 192.168.1.5\n",
            "2:11: viewer.listen: beyond 127.0.0.1 a token is required, in a file to be named as viewer.token_file; "
                + "'woodshed help tablet' says how to make one"
        ),
        (
            "viewer:\n  token_file: /t\n  listen: '::'\n",
            "3:11: viewer.listen: with ::, viewer.names must list the names or addresses that browsers use for this machine"
        ),
        (
            "viewer:\n  listen: '::1'\n  token_file: /t\n",
            "2:11: viewer.listen: ::1 reaches this machine only, as 127.0.0.1 does; write that"
        ),
        (
            "viewer:\n  names: [laptop.local, 'fd00::5', 'a:80']\n",
            "2:10: viewer.names: 'a:80' is neither a host name nor an address; write only the NAME of http://NAME:8737/"
        ),
        (
            "account:\n  token_file: /t\nviewer:\n  listen: 10.0.0.5\n  token_file: /t\n",
            "5:15: viewer.token_file: this is the account's token; write another one for browsers to another file"
        ),
        ("annotations:\n  ignore: \"*~\"\n", "2:11: 'ignore' takes a list; write [\"*~\"]"),
        ("account: &a {}\n", "1:10: anchors (&name) are not supported; write out the value"),
        ("account: &a\n  person: *a\n", "1:10: anchors (&name) are not supported; write out the value"),
        ("account: *a\n", "1:10: a value that begins with * needs quotes, as in '*lead*'"),
        ("charts:\n  include: [*~]\n", "2:13: a value that begins with * needs quotes, as in '*lead*'"),
        ("account:\n  person: \"7\nplans:\n  ahead: 3 days\n", "2:11: the quote that begins here is never closed"),
        ("account: !x {}\n", "1:10: tags (!name) are not supported; write out the value"),
        ("log:\n---\nlog:\n", "2:1: a second document begins here; only one is expected"),
        ("[a]: b\n", "1:1: a name is expected here"),
        (
            "notifications:\n  quiet_hours: late\n",
            "2:16: quiet_hours: 'late' are no hours; write when they begin and when they end, as in 22:00-08:00"
        ),
        ("render:\n  workers: 'é\n", "2:12: the quote that begins here is never closed"),
        (
            "é: 1\n",
            "1:1: unknown key 'é'; known here: account, plans, polling, charts, render, annotations, cache, viewer, export, band, notifications, folders, log"
        ),
    ])
    func faultsHaveLineAndColumn(_ text: String, _ expected: String) throws {
        #expect(try Self.faults(text) == [expected])
    }

    @Test(arguments: ["charts:\n  include: [a, b\nlog:\n  level: error\n", "log:\n  level: error\n    file: x: y\n"])
    func aFaultOfTheFormIsSaidInPlainWords(text: String) throws {
        let faults = try Self.faults(text)
        #expect(faults.count == 1 && faults[0].contains(": not valid YAML here, or in the line before: look for"), "\(faults)")
    }

    @Test func aMisspeltSectionIsAMistake() throws {
        #expect(try Self.faults("acount:\n  person: 1\n") == ["1:1: unknown section 'acount'; did you mean 'account'?"])
    }

    @Test func aLinkThatLeadsNowhereIsAMistake() throws {
        let session = Session()
        let file = session.folder.path("w.yaml")
        #expect(symlink("/nowhere/w.yaml", file) == 0)
        let error = #expect(throws: ConfigurationError.self) {
            _ = try Configuration.load(ConfigurationSources(environment: session.environment, file: file))
        }
        #expect(error?.faults.count == 1)
        let layer = Configuration.layer(file: file, isDemanded: false, environment: session.environment)
        #expect(
            layer.faults.count == 1
                && Configuration.layer(file: file + "x", isDemanded: false, environment: session.environment).faults.isEmpty)
    }

    /// A newer program may have written the section. What writes the file again would lose it.
    @Test(arguments: [
        ("holograms:\n  depth: 3\nlog:\n  level: error\n", "1:1: unknown section 'holograms' counts for nothing here"),
        ("log:\n  level: error\nholograms:\n", "3:1: unknown section 'holograms' counts for nothing here"),
    ])
    func anUnknownSectionIsLeftOut(_ text: String, _ expected: String) throws {
        let session = Session()
        let file = try session.write(text, to: "w.yaml")
        let sources = ConfigurationSources(environment: session.environment, file: file)
        let configuration = try Configuration.load(sources)
        #expect(configuration.notes.map(\.description) == ["\(file):\(expected)"])
        #expect(configuration.options.log.level == .error)
        #expect(throws: ConfigurationError.self) { _ = try Configuration.ownOptions(sources) }
        #expect(throws: ConfigurationError.self) { _ = try Configuration.portable(sources) }
    }

    @Test func theAccountsTokenIsNotTakenForTheViewers() throws {
        let session = Session()
        let (account, viewer) = (try session.write("app-id:0123456789abcdef\n", to: "a"), session.folder.path("v"))
        func refusal(_ token: String, _ more: String = "") throws -> String? {
            _ = try session.write(token, to: "v")
            let file = try session.write(
                "account:\n  token_file: \(account)\nviewer:\n  listen: 10.0.0.5\n  token_file: \(viewer)\n\(more)", to: "w.yaml")
            let configuration = try Configuration.load(ConfigurationSources(environment: session.environment, file: file))
            do {
                _ = try configuration.viewerNetwork()
                return nil
            } catch {
                return error.faults.first?.message
            }
        }
        #expect(
            try refusal("app-id:0123456789abcdef\n")
                == "viewer.token_file: \(viewer) holds the account's token; write another one for browsers to it")
        #expect(try refusal("another-0123456789abcdef\n") == nil)
        // Guests must not have the token of `viewer.token_file` either.
        let guests = try session.write("another-0123456789abcdef\n", to: "guests")
        let shared = try refusal("another-0123456789abcdef\n", "  guest_token_file: \(guests)\n")
        #expect(shared?.hasPrefix("viewer.guest_token_file: \(guests) holds the token of viewer.token_file") == true, "\(shared ?? "")")
        _ = try session.write("some-other-words-for-guests\n", to: "guests")
        #expect(try refusal("another-0123456789abcdef\n", "  guest_token_file: \(guests)\n") == nil)
    }

    @Test func tokenSourcesExcludeEachOther() throws {
        let faults = try Self.faults("account:\n  token_file: /a\n  token_command: b\n")
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("3:18: account.token_command and account.token_file (") == true)
        #expect(try Self.faults("account:\n  token_file: /a\n  token_command: none\n").isEmpty)
    }

    @Test func columnsCountCharacters() throws {
        let faults = try Self.faults("log: {\"é讃\": 1, level: loud}\n")
        #expect(faults.map { $0.prefix(6) } == ["1:7: u", "1:23: "])
    }

    @Test func everyFaultIsTold() throws {
        let faults = try Self.faults(
            """
            render:
              workers: 99
              size: 3
            account:
              api_url: http://example.org
              person:
            log:
              level: loud
            """)
        #expect(faults.map { $0.prefix { $0 != " " } } == ["2:12:", "3:3:", "5:12:", "6:10:", "8:10:"])
    }

    @Test func depthAndSizeAreBounded() throws {
        let deep = "log: " + String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(try Self.faults(deep) == ["1:21: nested too deeply"])
        let long = "#" + String(repeating: "x", count: Configuration.greatestSize)
        #expect(try Self.faults(long).count == 1)
    }

    @Test func bytesThatAreNoTextAreRefused() throws {
        let session = Session()
        let file = session.folder.path("w.yaml")
        let bytes: [UInt8] = Array("log:\n  level: ".utf8) + [0xFF, 0x0A]
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: file) }
        let error = try #require(throws: ConfigurationError.self) {
            _ = try Configuration.load(ConfigurationSources(environment: session.environment, file: file))
        }
        #expect(error.faults.map(\.origin) == [.file(file, line: 2, column: 10)])
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "~\n", "account:\nrender:\n", "account: {}\n"])
    func emptyFilesAreTheDefaults(_ text: String) throws {
        #expect(try Self.faults(text).isEmpty)
    }

    @Test func valuesAreNotRepeatedWhereTheyMayBeSecret() throws {
        for key in ["token", "token_file", "token_credential", "api_url", "annotations_url"] {
            let faults = try Self.faults("account:\n  \(key): id:geheim\n")
            #expect(faults.count == 1)
            #expect(!faults.joined().contains("geheim"), "\(faults)")
        }
    }

    /// The reader answers any text with either options or faults, and never crashes.
    @Test func noFileBreaksTheReader() throws {
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "account", ":", " ", "\n", "  ", "- ", "[", "]", "{", "}", "\"", "'", "#", "&a", "*a", "!t", "~", "|", ">", "?", "workers", "1",
            "\t", "---", "%", "é", ",",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<30, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }.joined()
            let layer = ConfigurationLayer(file: Array(text.utf8), path: "f", base: PathBase(home: "/h", folder: nil))
            for fault in layer.faults {
                guard case .file(_, let line, let column) = fault.origin else {
                    Issue.record("a fault without a place")
                    continue
                }
                #expect(line >= 1 && column >= 1)
            }
        }
    }
}
