import Agent
import Catalogue
import Library
import Model
import Platform
import Sets
import TestSupport

@testable import Sync

/// The musician's own sets: what happens to their folder, and what must then be in the library.
extension Simulation {
    /// Every second run has sets, and half of those have no account.
    static func hasSets(_ seed: UInt64) -> Bool { seed % 2 == 1 }
    static func hasAccount(_ seed: UInt64) -> Bool { seed % 4 != 3 }

    /// All charts that the musician could open: those of the service, and those in the sets.
    var charts: [SmallService.Chart] { service.plans.flatMap(\.charts) + setCharts }

    private var setCharts: [SmallService.Chart] {
        guard let sets else { return [] }
        return sets.files.sorted { $0.key < $1.key }.filter { $0.key.hasSuffix(".pdf") }.map { name, file in
            SmallService.Chart(id: "\(Self.attachment(file))", name: Self.filename(name), bytes: file.text)
        }
    }

    private static func attachment(_ file: SetMusic.File) -> AttachmentID { AttachmentID(ofBytes: SHA256.digest(of: file.text)) }

    private static func filename(_ name: String) -> String { String(name.split(separator: "/").last ?? "") }

    // MARK: Events

    /// Somebody changes something in the folder of sets. The agent may get an event, or none.
    func changeSets() throws {
        guard let sets else { return }
        checkSetsAreUntouched()
        try changeSomething(in: sets)
        guard !oneIn(3) else { return trace.note("sets: unheard") }
        life?.tell(.rescan(sets.path))
    }

    private func changeSomething(in sets: SetMusic) throws {
        guard sets.isWritable else { return try mountSets(0) }
        let set = sets.sets.randomElement(using: &random)
        let file = set.flatMap { sets.names(in: $0).randomElement(using: &random) }
        switch Int.random(in: 0..<18, using: &random) {
        case 0...2: try addSet()
        case 3, 4: if let set { try addTune(to: set) }
        case 5, 6: if let file { try write(file, newBytes(Self.filename(file))) }
        case 7:
            guard let set, let file else { return }
            try moveFile(file, to: set)
        case 8:
            guard let file, let other = sets.sets.randomElement(using: &random) else { return }
            try moveFile(file, to: other)
        case 9:
            guard let file else { return }
            trace.note("sets: \(file) is removed")
            try sets.remove(file)
        case 10, 11:
            guard let set else { return }
            let (other, isMadeAgain) = (newName(), oneIn(2))
            trace.note("sets: \(set) is \(isMadeAgain ? "made again" : "renamed") as \(other)")
            if isMadeAgain { try sets.makeAgain(set, as: other) } else { try sets.move(set, to: other) }
        case 12, 13: try writeList()
        case 14: if let set { try writeHalf(file ?? "\(set)/\(newTune())") }
        case 15: try finishFiles()
        case 16:
            // The same bytes under another name.
            guard let set, let file, let bytes = sets.files[file], bytes.isWhole, sets.names(in: set).count < 3 else { return }
            try write("\(set)/\(newTune())", bytes.text)
        default: try mountSets([nil, 0, 1, 2].randomElement(using: &random) ?? nil)
        }
    }

    private func mountSets(_ disk: Int?) throws {
        guard disk != sets?.disk else { return }
        trace.note("sets: \(disk.map { "disk \($0) comes" } ?? "the folder is away")")
        try sets?.mount(disk)
    }

    /// A name for a set, on one of the next days.
    private func newName() -> String {
        count += 1
        let days = [0, 1, 2, 3, 6, 8, 13, 20].randomElement(using: &random) ?? 0
        let time = clock.timestamp + .seconds(86_400 * days)
        return "\(LocalTime.date(nanosecondsSinceEpoch: time.nanoseconds))\(oneIn(2) ? " 1930" : "") Set \(count)"
    }

    private func newTune() -> String {
        count += 1
        return "Tune \(count).pdf"
    }

    func addSet() throws {
        guard let sets, sets.sets.count < 3 else { return }
        let name = newName()
        trace.note("sets: \(name) is made")
        try sets.makeFolder(name)
        for _ in 0..<Int.random(in: 0...2, using: &random) { try addTune(to: name) }
    }

    private func addTune(to set: String) throws {
        guard let sets, sets.names(in: set).count < 3 else { return }
        let name = newTune()
        try write("\(set)/\(name)", newBytes(name))
    }

    private func moveFile(_ file: String, to set: String) throws {
        let other = "\(set)/\(newTune())"
        trace.note("sets: \(file) becomes \(other)")
        try sets?.move(file, to: other)
    }

    private func write(_ name: String, _ text: String, whole: String? = nil) throws {
        trace.note("sets: \(name) is \(whole == nil ? "written" : "being written")")
        try sets?.write(name, text, whole: whole, inPlace: oneIn(2))
    }

    /// A program begins to write a file, and goes on later.
    private func writeHalf(_ name: String) throws {
        let whole = newBytes(Self.filename(name))
        try write(name, String(whole.prefix(whole.count / 2)), whole: whole)
    }

    private func finishFiles() throws {
        guard let sets else { return }
        for (name, file) in sets.files.sorted(by: { $0.key < $1.key }) where !file.isWhole { try write(name, file.whole) }
    }

    /// Writes a list of songs, or changes one. A song may have its chart in the book, or not yet.
    private func writeList() throws {
        guard let sets else { return }
        try sets.makeFolder(SetMusic.book)
        if sets.names(in: SetMusic.book).count < 3, oneIn(2) {
            count += 1
            let name = "\(SetMusic.book)/Hymn \(count).pdf"
            try write(name, newBytes(Self.filename(name)))
        }
        let titles = sets.names(in: SetMusic.book).map { String(Self.filename($0).dropLast(4)) } + ["Hymn 0"]
        let lines = titles.filter { _ in oneIn(2) }
        let isNew = sets.lists.isEmpty || sets.lists.count < 2 && oneIn(3)
        let list = isNew ? nil : sets.lists.randomElement(using: &random)
        try write(list ?? newName() + ".txt", lines.joined(separator: "\n") + "\n")
    }

    /// In fair weather, every disk is in its place, and every file is finished.
    func mendSets() throws {
        guard let sets else { return }
        checkSetsAreUntouched()
        if !sets.isWritable { try mountSets(0) }
        try finishFiles()
        // A songbook without anything in it counts as away, which lasts.
        if sets.names(in: SetMusic.book).isEmpty { try sets.removeFolder(SetMusic.book) }
        life?.tell(.rescan(sets.path))
    }

    // MARK: Checks

    /// Checks that nobody but the musician changed anything in the folder of sets.
    func checkSetsAreUntouched() {
        for name in sets?.differences() ?? [] { complain("\(name) in the sets is not as the musician left it") }
    }

    /// The names of charts in the sets that cannot be opened.
    var brokenInSets: Set<String> {
        Set((sets?.files ?? [:]).filter { isBroken($0.value) }.map { Self.filename($0.key) })
    }

    private func isBroken(_ file: SetMusic.File) -> Bool { scores["\(ChartHash(SHA256.digest(of: file.text)))"]?.isBroken ?? true }

    /// The charts of a set by its folder or list, which are read here in another way than by the agent.
    private func files(of set: String) -> [SetMusic.File] {
        guard let sets else { return [] }
        guard set.hasSuffix(".txt") else { return sets.names(in: set).compactMap { sets.files[$0] } }
        let titles = sets.files[set]?.text.split(separator: "\n").map(String.init) ?? []
        return titles.compactMap { sets.files["\(SetMusic.book)/\($0).pdf"] }
    }

    /// Checks that the library shows of coming sets what their folders have, and says of the others that they are gone.
    func checkSets() throws {
        guard let sets, let life else { return }
        checkSetsAreUntouched()
        let (known, gone) = (try life.library.sets.known(), try life.library.plans.gone())
        let held = Dictionary(try life.library.plans.heldBack().map { ($0.plan.id, $0.reason) }) { first, _ in first }
        let far = clock.timestamp + .seconds(22 * 86_400)
        for set in sets.sets + sets.lists {
            guard case .set(let name) = SetName.read(set) else { continue }
            let start = Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: name.wallTime))
            guard start > clock.timestamp, start < far else { continue }
            guard let plan = known[sets.path(set)]?.plan, let contents = try life.library.plans.asPlanned(plan) else {
                complain("the set \(set) is no plan")
                continue
            }
            if gone[plan] != nil { complain("the set \(set) is there, and is called gone") }
            // A set that moved far is doubted for a day.
            if case .dateDoubtful? = held[plan] { continue }
            if let reason = held[plan] { complain("the set \(set) is still held back: \(reason)") }
            try check(contents, of: set, in: life.library)
        }
        let present = Set(known.values.map(\.plan))
        for plan in try life.library.plans.all().map(\.plan) where plan.id.source == .sets && !present.contains(plan.id) {
            if let start = plan.firstTime, start > clock.timestamp, gone[plan.id] == nil {
                complain("the set \(plan.id) is gone, and nobody says so")
            }
        }
    }

    private func check(_ contents: PlanContents, of set: String, in library: Library) throws {
        let files = files(of: set)
        let (wanted, shown) = (Set(files.filter { !isBroken($0) }.map(Self.attachment)), Set(contents.attachments.map(\.id)))
        // In place of a file that cannot be opened, the one that was there before may be shown.
        let isRight = files.contains(where: isBroken) ? wanted.isSubset(of: shown) : wanted == shown
        if !isRight { complain("the set \(set) shows \(shown.sorted()) for \(wanted.sorted())") }
        for chart in contents.attachments where wanted.contains(chart.id) {
            let hash = try library.charts.chart(of: chart.use)?.hash
            let isHere = try hash.map { try library.charts.hasBytes(of: $0) } ?? false
            if !isHere || hash?.digest != chart.id.bytes {
                complain("\(chart.filename) of the set \(set) is not here")
            }
        }
    }

    /// Checks that a look at the folder of sets, in which nothing has changed, writes nothing.
    func checkSecondLookAtSets() async throws {
        guard let sets, let life, !life.library.isOnlyInMemory else { return }
        // Something else may be written at the same time, but not always.
        for _ in 0..<3 {
            let changes = life.library.database.totalChanges
            life.tell(.rescan(sets.path))
            await wait(.seconds(5))
            await settle("after a second look at the sets")
            if life.library.database.totalChanges == changes { return }
        }
        complain("a second look at the sets writes something")
    }

    /// The charts of sets that are shown and whose files are not in the folder any more.
    func formerSetCharts(in library: Library) throws -> [AttachmentID] {
        let present = Set(setCharts.map { AttachmentID($0.id) })
        let shown = try library.plans.allAsPlanned().filter { $0.plan.id.source == .sets }.flatMap(\.attachments).map(\.id)
        return Set(shown).subtracting(present).sorted()
    }
}
