import Glibc
import TestSupport
import Testing

/// The README is short, and the checks run both of its commands.
@Suite(.timeLimit(.minutes(5)))
struct FrontDoorTests {
    private func file(_ path: String) throws -> String {
        try Repository.text(path)
    }

    /// The command that the README shows under a heading.
    private func command(under heading: String) throws -> String {
        let page = try file("README.md")
        let start = try #require(page.firstRange(of: "\n## \(heading)\n")).upperBound
        let fence = try #require(page[start...].firstRange(of: "```sh\n")).upperBound
        let end = try #require(page[fence...].firstRange(of: "\n```")).lowerBound
        return String(page[fence..<end])
    }

    private func packages(_ list: String) throws -> [String] {
        try file(".ci/packages/\(list)").split(separator: "\n").map(String.init)
    }

    @Test func itIsReadInAMinute() throws {
        let lines = try file("README.md").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count - 1 <= 90)
        #expect(lines.joined(separator: " ").split(separator: " ").count <= 900)
        let first = lines.prefix(40).joined(separator: "\n")
        // The first 40 lines are for musicians.
        for part in ["viewer.png", "woodshed demo", "\n4. ", "woodshed ready"] {
            #expect(first.contains(part), "the first 40 lines lack \(part)")
        }
        #expect(!first.contains("woodshed-bench"))
        var picture = stat()
        #expect(stat(Repository.path + "/Sources/1-Embedded/Manual/pages/viewer.png", &picture) == 0 && picture.st_size <= 250_000)
    }

    @Test func itsCommandsAreShortAndRunByTheChecks() throws {
        let checks = try file(".ci/run")
        for heading in ["Try it", "Test"] {
            let command = try command(under: heading)
            #expect(!command.contains("\n") && command.count <= 140, "\(command)")
            #expect(command.hasPrefix(".ci/install "))
            #expect(checks.contains("readme_command \"\(heading)\""), ".ci/run does not read the command under '\(heading)'")
        }
        #expect(try command(under: "Test") == ".ci/install test && swift test --disable-xctest")
        #expect(try command(under: "Try it") == ".ci/install run && .ci/build && .build/release/woodshed demo")
    }

    /// No package is in both lists, and the list `run` contains every package of the manifest.
    @Test func thePackagesAreThoseOfTheManifest() throws {
        let (run, test) = (try packages("run"), try packages("test"))
        #expect(run == run.sorted() && Set(run + test).count == run.count + test.count)
        let named = try file("Package.swift").matches(of: /\.apt\(\["([^"]+)"\]\)/).map { String($0.1) }
        #expect(named.count > 15)
        for package in named { #expect(run.contains(package), "\(package) is in no list") }
    }
}
