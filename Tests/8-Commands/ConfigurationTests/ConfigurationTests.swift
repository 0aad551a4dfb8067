import CommandTestSupport
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite(.timeLimit(.minutes(5)))
struct ConfigurationTests {
    private func load(
        _ text: String? = nil, environment: [String: String] = [:], home: String? = nil, flags: [String: InputValue] = [:]
    ) throws -> (configuration: Configuration, file: String) {
        let session = Session(environment)
        let file = try text.map { try session.write($0, to: "w.yaml") }
        let sources = ConfigurationSources(environment: session.environment, home: home, file: file, flags: flags)
        return (try Configuration.load(sources), file ?? "")
    }

    private func origin(_ key: String, _ configuration: Configuration) throws -> String {
        configuration.origin(of: try #require(Options.setting(key))).description
    }

    @Test func flagBeatsEnvironmentBeatsFileBeatsDefault() throws {
        let file = "render:\n  workers: 2\n"
        let variables = ["WOODSHED_RENDER_WORKERS": "3"]
        let flags: [String: InputValue] = ["render.workers": .integer(4)]

        let plain = try load()
        #expect(plain.configuration.options.render.workers == 0)
        #expect(try origin("render.workers", plain.configuration) == "default")

        let byFile = try load(file)
        #expect(byFile.configuration.options.render.workers == 2)
        #expect(try origin("render.workers", byFile.configuration) == "\(byFile.file):2")

        let byVariable = try load(file, environment: variables)
        #expect(byVariable.configuration.options.render.workers == 3)
        #expect(try origin("render.workers", byVariable.configuration) == "environment WOODSHED_RENDER_WORKERS")

        let byFlag = try load(file, environment: variables, flags: flags)
        #expect(byFlag.configuration.options.render.workers == 4)
        #expect(try origin("render.workers", byFlag.configuration) == "flag --render-workers")
    }

    @Test func cacheSettingsAreWhatWasConfigured() throws {
        let none = try load().configuration.options
        #expect(none.cacheSettings == CacheSettings())
        #expect(none.cache.memory == ByteCount(64_000_000))
        let some = try load(
            "cache:\n  limit: 2 GB\n  greatest_age: 90 days\n",
            environment: ["WOODSHED_CACHE_LEAST_FREE": "5%", "WOODSHED_CACHE_MEMORY": "0 B"]
        ).configuration.options
        #expect(
            some.cacheSettings
                == CacheSettings(limit: ByteCount(2_000_000_000), leastFree: .percent(5), greatestAge: .seconds(90 * 86400)))
        #expect(some.cache.memory == ByteCount(0))
    }

    @Test func noneTakesAValueBack() throws {
        let loaded = try load("account:\n  person: 12\n", environment: ["WOODSHED_ACCOUNT_PERSON": "none"])
        #expect(loaded.configuration.options.account.person == nil)
        #expect(try load("account:\n  person: 'none'\n").configuration.options.account.person == "none")
    }

    @Test func higherTokenSourceReplacesTheLower() throws {
        let loaded = try load("account:\n  token_command: pass show x\n", environment: ["WOODSHED_ACCOUNT_TOKEN_FILE": "/t"])
        #expect(loaded.configuration.options.account.tokenFile == "/t")
        #expect(loaded.configuration.options.account.tokenCommand == nil)
        #expect(try origin("account.token_command", loaded.configuration) == "default")
    }

    @Test func faultyVariableIsNamed() throws {
        let error = try #require(throws: ConfigurationError.self) {
            _ = try load(environment: ["WOODSHED_RENDER_WORKERS": "x", "WOODSHED_LOG_LEVEL": "loud"])
        }
        #expect(
            error.faults.map(\.description) == [
                "environment WOODSHED_LOG_LEVEL: 'loud' is none of debug, info, warning, error",
                "environment WOODSHED_RENDER_WORKERS: 'x' is not a whole number",
            ])
    }

    @Test func emptyVariableIsNoneAndUnknownOneIsNoted() throws {
        let loaded = try load(environment: ["WOODSHED_RENDER_WORKERS": "", "WOODSHED_RENDER_WORKRES": "geheim"])
        #expect(loaded.configuration.options.render.workers == 0)
        #expect(
            loaded.configuration.notes.map(\.description)
                == ["environment WOODSHED_RENDER_WORKRES: no setting has this name; did you mean 'WOODSHED_RENDER_WORKERS'?"])
    }

    @Test func missingFileIsFineUnlessItWasNamed() throws {
        let session = Session()
        #expect(try Configuration.load(ConfigurationSources(environment: session.environment)).options == Options())
        let named = ConfigurationSources(environment: session.environment, file: session.folder.path("nowhere.yaml"))
        let error = try #require(throws: ConfigurationError.self) { _ = try Configuration.load(named) }
        #expect(error.faults.map(\.origin) == [.flag("--config")])
    }

    @Test func loopbackMayBePlainOnRequest() throws {
        let loaded = try load("account:\n  api_url: http://127.0.0.1:9/\n  allow_http_loopback: true\n")
        #expect(loaded.configuration.options.account.apiURL == "http://127.0.0.1:9")
        #expect(throws: ConfigurationError.self) {
            _ = try load("account:\n  api_url: http://10.0.0.1\n  allow_http_loopback: true\n")
        }
    }

    // MARK: - Paths

    @Test func musicIsWhereTheDesktopKeepsItUnlessLinksAreThereAlready() throws {
        let home = TemporaryFolder()
        let music = { () throws in try self.load(environment: ["HOME": home.path]).configuration.paths.music }
        try Folder.create(home.path(".config"))
        try AtomicFile.write("# made by a program\nXDG_MUSIC_DIR=\"$HOME/Musik\"\n", to: home.path(".config/user-dirs.dirs"))
        #expect(try music() == home.path("Musik/Woodshed"))
        // A variable that names the home itself means that the desktop has no music folder.
        try AtomicFile.write("XDG_MUSIC_DIR=\"$HOME/\"\n", to: home.path(".config/user-dirs.dirs"))
        #expect(try music() == home.path("Music/Woodshed"))
        let asked = ["HOME": home.path, "XDG_MUSIC_DIR": "/media/music"]
        #expect(try load(environment: asked).configuration.paths.music == "/media/music/Woodshed")
        try Folder.create(home.path("Music/Woodshed"))
        #expect(try load(environment: asked).configuration.paths.music == home.path("Music/Woodshed"))
    }

    /// A later change on the desktop does not move the links and the marks next to them.
    @Test func musicStaysWhereItWasChosenFirst() throws {
        let home = TemporaryFolder()
        func paths(_ variables: [String: String] = [:], _ text: String = "") throws -> Paths {
            try self.load(text, environment: ["HOME": home.path].merging(variables) { _, new in new }).configuration.paths
        }
        let first = try paths(["XDG_MUSIC_DIR": home.path("Musik")])
        try Folder.create(first.data)
        #expect(try first.chosenMusic?.keep() == true)
        #expect(first.music == home.path("Musik/Woodshed"))
        #expect(try paths(["XDG_MUSIC_DIR": home.path("Musik")]).chosenMusic == first.chosenMusic, "storing it is no change")
        // Now the desktop's variable is missing, and a folder is in the usual place.
        try Folder.create(home.path("Music/Woodshed"))
        let later = try paths()
        #expect(later.music == home.path("Musik/Woodshed") && later.chosenMusic?.today == home.path("Music/Woodshed"))
        #expect(try later.chosenMusic?.keep() == false)
        #expect(try paths([:], "folders:\n  music: /media/notes\n").music == "/media/notes")
        // The home folder has another name now.
        #expect(try paths(["HOME": "/home/bea", "XDG_DATA_HOME": home.path(".local/share")]).music == "/home/bea/Musik/Woodshed")
        try AtomicFile.write("nowhere\n", to: first.data + "/music-folder")
        #expect(try paths().music == home.path("Music/Woodshed"))
    }

    @Test func pathsFollowTheDesktop() throws {
        let paths = try load(environment: ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/x", "XDG_CACHE_HOME": "relative"]).configuration
            .paths
        #expect(paths.configuration == "/home/ann/.config/woodshed/woodshed.yaml")
        #expect(paths.data == "/home/ann/.local/share/woodshed")
        #expect(paths.cache == "/home/ann/.cache/woodshed", "a relative folder is to be ignored")
        #expect(paths.runtime == "/run/x/woodshed")
        #expect(paths.music == "/home/ann/Music/Woodshed")

        let moved = try load(environment: ["HOME": "/home/ann", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/c", "XDG_CONFIG_HOME": "/e"])
        #expect(moved.configuration.paths.data == "/d/woodshed")
        #expect(moved.configuration.paths.cache == "/c/woodshed")
        #expect(moved.configuration.paths.configuration == "/e/woodshed/woodshed.yaml")
    }

    @Test func runtimeFolderIsNeverInTheCache() throws {
        let paths = try load(environment: ["HOME": "/home/ann"]).configuration.paths
        #expect([paths.data + "/runtime", "/run/user/\(getuid())/woodshed"].contains(paths.runtime))
    }

    @Test func homeTakesEverything() throws {
        let variables = ["WOODSHED_FOLDERS_DATA": "/elsewhere", "XDG_RUNTIME_DIR": "/run/x", "XDG_CACHE_HOME": "/c"]
        let loaded = try load(environment: variables, home: "/h")
        let paths = loaded.configuration.paths
        #expect(paths.named.map(\.path) == ["/h/config/woodshed.yaml", "/h/data", "/h/cache", "/h/runtime", "/h/music"])
        #expect(try origin("folders.data", loaded.configuration) == "flag --home")
        let exact = try load(environment: variables, home: "/h", flags: ["folders.cache": .text("/big")])
        #expect(exact.configuration.paths.cache == "/big")
        #expect(exact.configuration.paths.data == "/h/data")
    }

    @Test func foldersOfTheFileCount() throws {
        let loaded = try load("folders:\n  cache: ~/big\n  runtime: /r\n", environment: ["HOME": "/home/ann"])
        #expect(loaded.configuration.paths.cache == "/home/ann/big")
        #expect(loaded.configuration.paths.runtime == "/r")
    }
}
