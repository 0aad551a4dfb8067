import CommandTestSupport
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

/// The settings for all users of a machine, which a user's own settings override.
@Suite(.timeLimit(.minutes(5)))
struct MachineConfigurationTests {
    private let etc = TemporaryFolder()
    private var file: String { etc.path("woodshed.yaml") }

    private func load(_ machine: String, _ user: String? = nil, home: String? = nil) throws -> Configuration {
        try AtomicFile.write(machine, to: file, mode: 0o644)
        return try load(user, home: home)
    }

    private func load(_ user: String? = nil, home: String? = nil) throws -> Configuration {
        let session = Session(["WOODSHED_ETC": etc.path])
        if let user { _ = try session.write(user, to: "user/.config/woodshed/woodshed.yaml") }
        return try Configuration.load(ConfigurationSources(environment: session.environment, home: home))
    }

    private func origin(_ key: String, _ configuration: Configuration) throws -> String {
        configuration.origin(of: try #require(Options.setting(key))).description
    }

    @Test func theUsersFileWinsAndEachSettingNamesItsFile() throws {
        let loaded = try load(
            "render:\n  workers: 2\n  full_size: 900\ncharts:\n  include: ['*drum*', '*lead*']\n",
            "render:\n  workers: 3\ncharts:\n  include: ['*bass*']\n")
        #expect(loaded.options.render.workers == 3 && loaded.options.render.fullSize == 900)
        #expect(loaded.options.charts.include == ["*bass*"], "of a list, the user's counts as a whole")
        #expect(try origin("render.full_size", loaded) == "\(file):3")
        #expect(try origin("render.workers", loaded) == "\(loaded.paths.configuration):2")
        #expect(loaded.notes.isEmpty, "WOODSHED_ETC is no setting")
        #expect(try load(home: "/h").options.render.fullSize == 900, "another home is on the same machine")
    }

    @Test func aTokenOfOnesOwnReplacesTheMachines() throws {
        let loaded = try load("account:\n  token_credential: planning\n", "account:\n  token_file: /t\n")
        #expect(loaded.options.account.tokenCredential == nil && loaded.options.account.tokenFile == "/t")
        #expect(try load().options.account.tokenCredential == "planning")
    }

    @Test func mistakesOfBothFilesComeWithTheirLines() throws {
        let error = try #require(throws: ConfigurationError.self) {
            _ = try load("render:\n\n\n  workers: x\n", "render:\n  wrkers: 3\n")
        }
        #expect(error.faults.map(\.origin.place) == ["\(file):4:12", "\(error.rest?.paths.configuration ?? ""):2:3"])
    }

    @Test func whatIsNoMistakeCanBeReadAllTheSame() throws {
        let error = try #require(throws: ConfigurationError.self) {
            _ = try load("render:\n  wrokers: 2\n  full_size: 900\n", "render:\n  workers: 3\n")
        }
        let rest = try #require(error.rest)
        #expect(rest.options.render.fullSize == 900 && rest.options.render.workers == 3)
        #expect(rest.isPartial && rest.faults == error.faults && error.isOfFiles && error.allowsReading)
        #expect(error.line == error.faults[0].description)
        let whole = try #require(throws: ConfigurationError.self) { _ = try load("render: [\n", "log:\n  level: loud\n") }
        #expect(whole.rest?.options == Options())
        #expect(whole.line.hasSuffix(" (and 1 more mistake: 'woodshed config check')"), "\(whole.line)")
    }

    @Test func whatTheFilesSaidBeforeAMistakeIsKeptBesideTheLibrary() throws {
        let session = Session(["WOODSHED_ETC": etc.path, "WOODSHED_LOG_LEVEL": "debug"])
        let sources = ConfigurationSources(environment: session.environment, flags: ["render.workers": .integer(5)])
        func write(_ text: String) throws { _ = try session.write(text, to: "user/.config/woodshed/woodshed.yaml") }
        try AtomicFile.write("charts:\n  include: ['*lead*']\n", to: file, mode: 0o644)
        try write("account:\n  token_command: pass show x\n  api_url: https://example.org/a\nrender:\n  workers: 3\n")
        let before = try Configuration.load(sources)
        try Folder.create(before.paths.data)
        try before.keep()
        try write("account:\n  api_ulr: https://example.org/a\n")
        let error = try #require(throws: ConfigurationError.self) { _ = try Configuration.load(sources) }
        let rest = try #require(error.rest)
        let kept = try #require(Configuration.kept(sources, insteadOf: rest))
        #expect(kept.options == before.options && kept.paths == before.paths && !kept.isPartial)
        // Flags and the environment are those of the present command.
        let other = ConfigurationSources(environment: session.environment, flags: ["render.workers": .integer(7)])
        #expect(Configuration.kept(other, insteadOf: rest)?.options.render.workers == 7)
        // It may contain a command to run, so it is not used if others can write it.
        chmod(before.paths.data + "/kept-configuration.yaml", 0o666)
        #expect(Configuration.kept(sources, insteadOf: rest) == nil)
    }

    @Test func aLinkThatLeadsNowhereIsAFileThatCannotBeRead() throws {
        #expect(try load().faults.isEmpty, "nobody need write one")
        #expect(symlink(etc.path("away.yaml"), file) == 0)
        let error = try #require(throws: ConfigurationError.self) { _ = try load() }
        #expect(error.faults.map(\.origin) == [.wholeFile(file)] && error.rest != nil, "\(error)")
    }

    @Test func aFileThatCannotBeReadNamesWhatHelps() throws {
        try AtomicFile.write("", to: file)
        let (path, folder) = (file.shellQuoted, etc.path.shellQuoted)
        #expect(Writers.opening(file, forAll: true) == "chmod a+r \(path)")
        #expect(Writers.opening(file, forAll: false) == "chmod u+r \(path)")
        #expect(Writers.opening(etc.path, forAll: false) == "chmod u+rx \(folder)")
        guard geteuid() == 0 else { return }
        chown(file, 65534, 65534)
        #expect(Writers.opening(file, forAll: true) == "sudo chmod a+r \(path)")
        #expect(Writers.opening(file, forAll: false) == "sudo chown \"$USER\" \(path)")
    }

    /// The musician may have no say in it.
    @Test func whoChoseTheChartsIsKnown() throws {
        #expect(try !load("render:\n  workers: 2\n").asked.isChoiceGiven)
        #expect(try load("charts:\n  include: ['*lead*']\n", "charts:\n  writing: numbers\n").asked.isChoiceGiven)
        #expect(try !load("charts:\n  include: ['*lead*']\n", "charts:\n  exclude: ['*drum*']\n").asked.isChoiceGiven)
    }

    @Test(
        arguments: [
            ("token_command: pass show x", 0o664, 0o700), ("api_url: https://example.org/services/v2", 0o646, 0o700),
            ("annotations_url: https://example.org/a", 0o600, 0o770), ("token_command: pass show x", 0o600, 0o707),
        ] as [(String, mode_t, mode_t)])
    func whatRunsOrSendsIsNotTakenFromAFileThatOthersMayChange(line: String, mode: mode_t, folderMode: mode_t) throws {
        let session = Session()
        let own = try session.write("account:\n  \(line)\n", to: "user/.config/woodshed/woodshed.yaml")
        let folder = Folder.parent(of: own)
        let sources = ConfigurationSources(environment: session.environment)
        for (mode, folderMode) in [(0o644, 0o755), (0o600, 0o1777)] as [(mode_t, mode_t)] {
            chmod(own, mode)
            chmod(folder, folderMode)
            _ = try Configuration.load(sources)
        }
        chmod(own, mode)
        chmod(folder, folderMode)
        let error = try #require(throws: ConfigurationError.self) { _ = try Configuration.load(sources) }
        let path = (mode == 0o600 ? folder : own).shellQuoted
        #expect(error.faults.count == 1 && error.description.contains("\(own):2:"), "\(error)")
        #expect(error.description.hasSuffix("run: chmod go-w \(path)"), "\(error)")
        // Settings that change only the display are taken from a file that anybody can write.
        _ = try session.write("render:\n  workers: 2\n", to: "user/.config/woodshed/woodshed.yaml")
        #expect(try Configuration.load(sources).options.render.workers == 2)
    }

    /// Neither places where files are read or written, nor settings about access, are taken from a file that other users can
    /// change.
    @Test(
        arguments: [
            "export:\n  folder: /tmp/theirs", "annotations:\n  folders: [/tmp/theirs]", "folders:\n  data: /tmp/theirs",
            "viewer:\n  listen: 0.0.0.0", "viewer:\n  token_file: /tmp/theirs", "band:\n  key_file: /tmp/theirs",
            "account:\n  sign_in: theirs",
        ])
    func norWhatIsMoreThanALook(text: String) throws {
        let session = Session()
        _ = try session.write(text + "\n", to: "user/.config/woodshed/woodshed.yaml", mode: 0o666)
        let error = try #require(throws: ConfigurationError.self) {
            _ = try Configuration.load(ConfigurationSources(environment: session.environment))
        }
        #expect(error.description.contains("other users can change this file"), "\(error)")
        #expect(error.rest?.options == Options(), "what is read in spite of it is not taken from there either")
    }

    /// Another user may have made the folder before, with write access for everybody, so a home like that is refused.
    @Test(arguments: ["try", "try/data", "try/cache", "try/runtime"]) func aHomeThatEverybodyMayWriteInIsNotUsed(name: String) throws {
        let session = Session()
        let home = session.folder.path("try")
        for folder in ["data", "cache", "runtime"] { try Folder.create(home + "/" + folder) }
        let sources = ConfigurationSources(environment: session.environment, home: home)
        _ = try Configuration.load(sources)
        chmod(session.folder.path(name), 0o777)
        let error = try #require(throws: ConfigurationError.self) { _ = try Configuration.load(sources) }
        #expect(error.description.contains("run: chmod go-w \(session.folder.path(name).shellQuoted)"), "\(error)")
    }

    /// Other users who can write to a folder above the configuration's could replace the configuration, so it is refused.
    @Test(arguments: ["user/.config", "user"]) func norWhereOthersMayReplaceItsFolder(place: String) throws {
        let session = Session()
        _ = try session.write("account:\n  token_command: pass show x\n", to: "user/.config/woodshed/woodshed.yaml")
        let sources = ConfigurationSources(environment: session.environment)
        let folder = session.folder.path(place)
        for mode in [0o755, 0o1777] as [mode_t] {
            chmod(folder, mode)
            _ = try Configuration.load(sources)
        }
        for mode in [0o777, 0o775] as [mode_t] {
            chmod(folder, mode)
            let error = try #require(throws: ConfigurationError.self) { _ = try Configuration.load(sources) }
            #expect(error.faults.count == 1 && error.description.hasSuffix("run: chmod go-w \(folder.shellQuoted)"), "\(error)")
        }
    }

    @Test(arguments: [0o666, 0o664, 0o646] as [mode_t]) func aFileThatOthersMayWriteIsRefused(mode: mode_t) throws {
        _ = try load("account:\n  token_command: pass show x\n")
        chmod(file, mode)
        let error = try #require(throws: ConfigurationError.self) { _ = try load() }
        #expect(error.faults.count == 1 && error.description.contains("\(file): others may write it"), "\(error)")
    }

    @Test(.enabled(if: geteuid() == 0)) func aFileOfAnotherUserIsRefused() throws {
        _ = try load("render:\n  workers: 2\n")
        chown(file, 65534, 65534)
        #expect(throws: ConfigurationError.self) { _ = try load() }
    }

    @Test func noFileOrFolderIsNoMistakeAndMadeUpEnvironmentsSeeNoMachine() throws {
        #expect(try load().options == Options())
        let nowhere = ConfigurationSources(environment: ["HOME": etc.path, "WOODSHED_ETC": file + "/no"])
        #expect(try Configuration.load(nowhere).options == Options())
        #expect(ConfigurationSources(environment: ["HOME": etc.path]).machineFile == nil)
        #expect(Environment.ofProcess().machineFolder != nil)
    }
}
