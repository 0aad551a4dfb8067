import Glibc
import Testing

/// Whoever reads the page for newcomers finds what it names.
@Suite(.timeLimit(.minutes(60)))
struct WayInTests {
    private static let repository = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private func page() throws -> String {
        let file = try #require(fopen(Self.repository + "/Sources/README.md", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// What stands between backquotes, but for programs and code.
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
            let path =
                Self.repository
                + ([".ci/", "Tests/", "sample-config/", "Package.swift"].contains(where: name.hasPrefix) ? "/" : "/Sources/") + name
            #expect(access(path, F_OK) == 0, "\(name) is not there")
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
