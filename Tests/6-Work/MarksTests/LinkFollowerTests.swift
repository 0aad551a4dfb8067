import Glibc
import Platform
import TestSupport
import Testing

@testable import Marks

/// How links are followed from a path that a file of marks names: only within the given folders, and to the charts.
@Suite(.timeLimit(.minutes(5)))
struct LinkFollowerTests {
    private let home = TemporaryFolder()

    @Test func linksAreFollowedInTheFoldersOnly() throws {
        for name in ["m/in", "m2", "out"] { try Folder.create(home.path(name)) }
        for name in ["m/in/x.pdf", "m2/y.pdf", "out/z.pdf"] { try AtomicFile.write("x", to: home.path(name)) }
        func link(_ name: String, _ target: String) { symlink(target, home.path(name)) }
        link("named", home.path("m"))
        link("m/near.pdf", "in/x.pdf")
        link("m/side", home.path("m2"))
        link("m/in/up.pdf", "../side/y.pdf")
        link("m/away", home.path("out"))
        link("m/in/chart.pdf", "../../charts/abc.pdf")
        link("m/loop", "loop")
        let real = try #require(realpath(home.path, nil).map { String(cString: $0) })
        let trail = LinkFollower(in: [home.path("named"), home.path("m2")], endingIn: [real + "/charts", home.path("charts")])
        let ends = [
            "named/in/x.pdf": "m/in/x.pdf", "named/near.pdf": "m/in/x.pdf", "named/side/y.pdf": "m2/y.pdf",
            "named/in/up.pdf": "m2/y.pdf", "m2/y.pdf": "m2/y.pdf", "named/in/chart.pdf": "charts/abc.pdf",
            "charts/none.pdf": "charts/none.pdf",
        ]
        for (path, end) in ends {
            let found = trail.end(of: home.path(path))
            #expect(found == real + "/" + end || found == home.path(end), "\(path)")
        }
        for path in ["named/away/z.pdf", "out/z.pdf", "named/loop", "named/none.pdf", "named/in/x.pdf/y", "other"] {
            #expect(trail.end(of: home.path(path)) == nil, "\(path)")
        }
    }
}
