import CommandTestSupport
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Configuration
@testable import Host

/// Absurd numbers, amounts and dates, wherever a person can type one: each is accepted, or refused with a message.
@Suite(.timeLimit(.minutes(5)))
struct AbsurdValueTests {
    private static let values =
        [
            "-9223372036854775808", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-1", "0", "+5", "-0", "1e309",
            "0x7fffffff", "99999999999999999999999999", "NaN", "inf", "٣", "", " ", "%",
        ]
        + ["TB", "TiB", "B", "weeks", "d", "s", "%"].flatMap { unit in
            ["9223372036854775807", "9999999999", "99999999999999999999", "-1", "0", "1"].map { "\($0) \(unit)" }
        }
        + ["99999999999d", "0000-00-00", "9999-12-31", "2026-99-99", "1677-01-01", "2262-04-12", "292277026596-12-04T15:30:08Z"]

    /// Computes the values that an agent derives from its options.
    private func use(_ options: Options) {
        let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
        let disk = DiskSpace(total: ByteCount(.max / 4), free: ByteCount(.max / 4))
        _ = (options.renderSettings, options.rhythm, options.cacheSettings, options.workers.width)
        _ = (now + options.plans.ahead, now - options.plans.keptAfter, options.cache.leastFree.bytes(of: disk).description)
        _ = options.cache.greatestAge.map { now - $0 }
        _ = options.cache.limit?.description
        for setting in Options.settings { _ = setting.read(options).yaml }
    }

    @Test func everySettingTakesOneOrSaysWhyNot() throws {
        for setting in Options.settings {
            for value in Self.values {
                let session = Session([setting.variable: value])
                do throws(ConfigurationError) {
                    use(try Configuration.load(ConfigurationSources(environment: session.environment)).options)
                } catch {
                    #expect("\(error)".contains(setting.variable) && "\(error)".count > setting.variable.count + 10, "\(error)")
                }
            }
        }
    }

    @Test func everyFlagAndArgumentTakesOneOrSaysWhyNot() throws {
        func tryAll(_ command: Command, _ names: [String]) throws {
            for subcommand in command.subcommands { try tryAll(subcommand, names + [subcommand.name]) }
            guard command.run != nil else { return }
            for value in Self.values {
                var lines = command.flags.filter { $0.argument != nil }.map { names + ["--\($0.name)=\(value)"] }
                lines.append(names + command.parameters.map { _ in value })
                for line in lines {
                    do throws(Trouble) {
                        _ = try CommandLineParser.parse(line, table: .woodshed, base: PathBase(home: "/home/ann", folder: "/base"))
                    } catch {
                        #expect(error.description.prefix { $0 != "\n" }.count > 10, "\(line)")
                    }
                }
            }
        }
        try tryAll(.woodshed, [])
    }

    @Test func everyMomentIsOneOrSaysWhyNot() throws {
        for now in [0, 1_795_000_000_000_000_000, 9_000_000_000_000_000_000] as [Int64] {
            for value in Self.values {
                do throws(Trouble) {
                    _ = try PointInTime.parse(value, now: Timestamp(nanoseconds: now)).description
                } catch {
                    #expect(error.description.count > 10)
                }
            }
        }
    }

    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "-1", "0", "x", ""]) func everyWidthOfATerminalCanBeWrittenFor(
        columns: String
    ) {
        // The width decides where lines break, so it must stay within limits whatever COLUMNS contains. Without a width, 80 is used.
        let width = Terminal.ofProcess(["COLUMNS": columns]).width ?? 80
        #expect((20...1000).contains(width))
        _ = HelpText(command: .woodshed, names: ["woodshed"], width: width).text
    }
}
