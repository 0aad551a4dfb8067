import Glibc
import TestSupport
import Testing

/// Everything that the page for newcomers (Sources/README.md) names exists.
@Suite(.timeLimit(.minutes(5)))
struct WayInTests {
    private func page() throws -> String { try Repository.text("Sources/README.md") }

    /// The paths and modules between backquotes, without programs and code.
    private func names(in text: some StringProtocol) -> [String] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }.filter { name in
            let isPath = name.contains("/") || name.hasSuffix(".swift")
            let isModule = name.first?.isUppercase == true && name.allSatisfy { $0.isLetter } && name != "Foundation"
            return isPath || isModule
        }
    }

    @Test func everythingThatItNamesIsThere() throws {
        let names = names(in: try page())
        #expect(names.count > 60)
        for name in names {
            let isFromTheTop = [".ci/", "Sources", "Tests", "sample-config/", "Package.swift"].contains(where: name.hasPrefix)
            let isThere = isFromTheTop ? access(Repository.path + "/" + name, F_OK) == 0 : Repository.module(name, in: "Sources") != nil
            #expect(isThere, "\(name) is not there")
        }
    }

    @Test func theWayOfAMarkIsShort() throws {
        let page = try page()
        let from = try #require(page.firstRange(of: "## One mark's way"))
        let to = try #require(page[from.upperBound...].firstRange(of: "## Rules"))
        let files = Set(names(in: page[from.upperBound..<to.lowerBound]))
        #expect((20...40).contains(files.count), "\(files.count) files")
        let rows = page[to.upperBound...].split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.count > 20)
    }
}
