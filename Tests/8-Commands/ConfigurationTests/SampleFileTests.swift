import CommandTestSupport
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite(.timeLimit(.minutes(5)))
struct SampleFileTests {
    /// Reads the options from a file with this text.
    private static func options(_ text: String) throws -> Options {
        let session = Session()
        let file = try session.write(text, to: "woodshed.yaml")
        return try Configuration.load(ConfigurationSources(environment: session.environment, file: file)).options
    }

    /// Removes the '#' before every option.
    private static func uncommented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let body = line.drop { $0 == " " }
            guard body.hasPrefix("#"), body.dropFirst().first?.isLetter == true else { return String(line) }
            return String(line.prefix(line.count - body.count) + body.dropFirst())
        }.joined(separator: "\n")
    }

    @Test func fileInTheTreeIsTheOneThatInitWrites() throws {
        let bytes = try AtomicFile.read(Repository.path + "/sample-config/woodshed.yaml", limit: 1 << 20)
        #expect(String(decoding: bytes, as: UTF8.self) == Options.sampleFile())
    }

    @Test func sampleGivesTheDefaults() throws {
        #expect(try Self.options(Options.sampleFile()) == Options())
    }

    @Test func uncommentedSampleParsesAndEqualsTheDefaults() throws {
        let text = Self.uncommented(Options.sampleFile())
        for setting in Options.settings { #expect(text.contains("\n  \(setting.name): ")) }
        #expect(try Self.options(text) == Options())
    }

    @Test func everyOptionIsExplained() {
        for setting in Options.settings {
            #expect(setting.summary.first?.isLowercase == true || setting.summary.first?.isNumber == true, "\(setting.key)")
            #expect(!setting.summary.hasSuffix("."))
            #expect(setting.reason.hasSuffix("."))
            #expect(setting.flag.allSatisfy { $0.isLowercase || $0 == "-" })
        }
        #expect(Set(Options.settings.map(\.key)).count == Options.settings.count)
        #expect(Options.settings.first { $0.key == "render.full_size" }?.variable == "WOODSHED_RENDER_FULL_SIZE")
    }

    /// Every field has a row in the table of settings, and no row reads one field and writes another.
    @Test func everyFieldOfTheStructIsInTheTable() throws {
        for setting in Options.settings {
            var options = Options()
            #expect(setting.write(&options, setting.read(Options())))
            #expect(options == Options(), "\(setting.key)")
        }
        func fields(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
        let options = Options()
        let count =
            fields(options.account) + fields(options.plans) + fields(options.polling) + fields(options.charts) + fields(options.render)
            + fields(options.annotations) + fields(options.cache) + fields(options.viewer) + fields(options.export)
            + fields(options.band) + fields(options.notifications) + fields(options.folders) + fields(options.log)
        #expect(Options.settings.count == count)
        #expect(fields(options) == 13)
    }

    @Test(arguments: UInt64(0)..<40)
    func writtenOptionsAreReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let options = Self.randomOptions(&random)
        #expect(try Self.options(options.file()) == options)
        // The same values can be given as flags, whose syntax is not YAML.
        let base = PathBase(home: "/home/ann", folder: "/base")
        for setting in Options.settings where ["render", "plans", "polling", "cache", "viewer"].contains(setting.section) {
            let value = setting.read(options)
            // Flags have texts without quotes, and lists without brackets.
            let text =
                switch value {
                case .text(let text): text
                case .list(let texts): texts.joined(separator: ",")
                default: value.yaml
                }
            #expect(try setting.type.parse(text, base: base) == value)
        }
    }

    private static func randomOptions(_ random: inout SeededGenerator) -> Options {
        let texts = [
            "12", "none", "null", "~", "a: b", "#x", "- y", "it's", "\"q\"", "\\", "é 讃", "yes", "[z]", "{", "*a", "&b", "!c", "%", "@",
            "a #b", ":", "x:",
        ]
        var options = Options()
        options.account.apiURL = ["https://a.org/x", "https://[::1]:8443"].randomElement(using: &random) ?? ""
        options.account.annotationsURL = [nil, "https://b.org"].randomElement(using: &random) ?? nil
        options.account.allowHTTPLoopback = Bool.random(using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: options.account.tokenFile = "/a b/" + (texts.randomElement(using: &random) ?? "")
        case 1: options.account.tokenCredential = "name.x"
        case 2: options.account.tokenCommand = texts.randomElement(using: &random)
        default: break
        }
        options.account.person = Bool.random(using: &random) ? texts.randomElement(using: &random) : nil
        options.account.serviceTypes = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in texts.randomElement(using: &random) }
        options.plans.ahead = .seconds(Int64.random(in: 86400...(366 * 86400), using: &random))
        options.polling.near = .seconds(Int64.random(in: 60...86400, using: &random))
        options.polling.far = .seconds(Int64.random(in: 60...(7 * 86400), using: &random))
        options.plans.keptAfter = .seconds(Int64.random(in: 0...(366 * 86400), using: &random))
        options.charts.include = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in texts.randomElement(using: &random) }
        options.charts.exclude = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in texts.randomElement(using: &random) }
        options.charts.owners = Options.Charts.allOwners.filter { _ in Bool.random(using: &random) }
        options.charts.generated = Options.Charts.allGenerated.filter { _ in Bool.random(using: &random) }
        options.render.fullSize = Int.random(in: 64...20000, using: &random)
        options.render.thumbnailSize = Int.random(in: 64...20000, using: &random)
        options.render.paper = Color(
            red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
            blue: .random(in: 0...255, using: &random))
        options.render.workers = Int.random(in: 0...64, using: &random)
        options.cache.limit = Bool.random(using: &random) ? ByteCount(Int.random(in: 1000...1_000_000_000, using: &random)) : nil
        options.cache.leastFree =
            Bool.random(using: &random)
            ? .percent(.random(in: 0...90, using: &random)) : .bytes(ByteCount(Int.random(in: 0...1_000_000, using: &random) * 1_000_000))
        options.cache.greatestAge = Bool.random(using: &random) ? .seconds(Int64.random(in: 3600...(3660 * 86400), using: &random)) : nil
        options.viewer.isEnabled = Bool.random(using: &random)
        options.viewer.port = Bool.random(using: &random) ? Int.random(in: 0...65535, using: &random) : nil
        if Bool.random(using: &random) {
            options.viewer.listen = ["192.168.1.5", "::", "fd00::5"].randomElement(using: &random) ?? ""
            options.viewer.names = ["laptop.local", "fd00::7"]
            options.viewer.tokenFile = "/a b/\(texts.randomElement(using: &random) ?? "")/viewer"
        }
        options.notifications.isEnabled = Bool.random(using: &random)
        options.notifications.quietHours = ["22:00-08:00", "9:05-12:00"].randomElement(using: &random).flatMap { QuietHours($0) }
        options.cache.memory = ByteCount(Int.random(in: 0...64, using: &random) << Int.random(in: 0...29, using: &random))
        options.folders.cache = Bool.random(using: &random) ? "/c/\(texts.randomElement(using: &random) ?? "")" : nil
        options.log.level = Log.Level.allCases.randomElement(using: &random) ?? .info
        return options
    }

}
