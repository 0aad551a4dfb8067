import Foundation
import Platform
import TestSupport
import Testing

/// Two laptops have one folder of sets through Syncthing: what one makes is a plan on both, and what both change at once is lost on neither.
@Suite(
    .onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing),
    .enabled(if: Syncthing.isInstalled, Syncthing.isMissing))
struct TwoListsTests {
    private static let songs = ["Quokka March", "Zither Waltz"]
    /// A day from now, by the local calendar.
    private static let name =
        LocalTime.date(nanosecondsSinceEpoch: (Int64(Date().timeIntervalSince1970) + 3 * 86_400) * 1_000_000_000) + " Harvest"

    /// Sends a list as the page does, and returns the status of the answer.
    @LoopActor private static func send(_ place: String, _ songs: [String], _ desk: Desk) async throws -> Int {
        let lines = songs.map { #"{kind: "song", title: "\#($0)", key: "A", capo: 2}"# }.joined(separator: ", ")
        return try await desk.browser.ask(
            """
            const headers = {"Content-Type": "application/json", "X-Woodshed-Token": document.querySelector("meta[name=woodshed-token]").content};
            const body = JSON.stringify({\(place), lines: [\(lines)]});
            return fetch("/api/set", {method: "POST", headers, body}).then((reply) => reply.status);
            """)
    }

    /// Edits the list as it is now.
    @LoopActor private static func edit(to songs: [String], _ desk: Desk) async throws {
        let plan = "set/\(name).txt"
        let of: String = try await desk.browser.ask(
            "return fetch('/api/set/' + encodeURIComponent('\(plan)')).then((reply) => reply.json()).then((list) => list.of)")
        #expect(try await send(#"plan: "\#(plan)", of: "\#(of)""#, songs, desk) == 200)
    }

    @Test @LoopActor func aListIsAPlanOnBothAndItsSecondVersionIsNone() async throws {
        let (left, right) = (TemporaryFolder(), TemporaryFolder())
        for title in Self.songs {
            try AtomicFile.write("{title: \(title)}\n{key: G}\n[G]All praise to [D]Thee\n", to: left.path("\(title).cho"))
        }
        try await Desk.use(viewer: "plans:\n  folders: [\(left.path)]") { one in
            try await Desk.use(viewer: "plans:\n  folders: [\(right.path)]") { other in
                try await SyncedFolder.use(left.path, right.path) { folder in
                    try await folder.settle()
                    let day = Self.name.prefix(10)
                    #expect(try await Self.send(#"day: "\#(day)", time: null, title: "Harvest""#, Self.songs, one) == 200)
                    try await folder.settle()
                    for desk in [one, other] {
                        try await waitUntil { try await desk.run(["ready", "--plan", "Harvest"]).exit == .code(0) }
                    }

                    try await folder.part(by: .distance)
                    try await Self.edit(to: [Self.songs[0]], one)
                    try await Self.edit(to: [Self.songs[1]], other)
                    try await folder.join()
                    try await folder.settle()
                    let lists = try folder.left.files().filter { $0.key.hasSuffix(".txt") }
                    #expect(lists.count == 2 && lists[Self.name + ".txt"] != nil, "\(lists.keys)")
                    #expect(Set(lists.values.map { String(decoding: $0, as: UTF8.self) }) == Set(Self.songs.map { "\($0) (A, capo 2)\n" }))
                    for desk in [one, other] { try await Self.expectOnePlan(desk) }
                }
            }
        }
    }

    /// Waits until the plan shows one song, as its list says, and expects that the other version is named once.
    @LoopActor private static func expectOnePlan(_ desk: Desk) async throws {
        let sets =
            """
            const read = (path) => fetch(path).then((reply) => reply.json());
            return read("/api/state").then(({ plans }) => plans.filter(({ id }) => id.startsWith("set/")))
              .then((sets) => Promise.all(sets.map(({ id }) => read("/api/plan/" + encodeURIComponent(id)))))
              .then((sets) => sets.map(({ items }) => items.length));
            """
        try await waitUntil { try await desk.browser.ask(sets) as [Int] == [1] }
        let told = try await desk.run(["plans", "--all"])
        #expect(told.output.ranges(of: ".sync-conflict-").count == 1, "\(told)")
    }
}
