import Band
import BandLayout
import Catalogue
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// Decides which sets of the musician's own the band gets, and which of tonight's sets it is offered.
extension BandMembership {
    /// Offers tonight's set of a plan, or no longer.
    func offer() async throws -> ExitCode {
        try refuseUnlessInBand()
        let (isOff, now) = (invocation.has("withdraw"), context.clock.timestamp)
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        let offered = Set(try library.plans.offered().map(\.plan.id))
        let plan = try PlanFinder(library, now: now).find(invocation.argument("plan") ?? "") { !isOff || offered.contains($0.id) }
        let words = PlanFinder.words(plan)
        guard offered.contains(plan.id) || !isOff else {
            output.result("Your order for \(words) was not offered.".printable)
            return .fine
        }
        guard try isOff || library.plans.plan(plan.id)?.tonight?.differs == true, isOff || !plan.isPast(at: now) else {
            throw CommandFailure(
                .failed, "\(words) is over, or you changed nothing in it: 'Tonight' on its page in the browser is where that is done")
        }
        let outcome = try Library.change(in: paths.data) { library throws(LibraryError) in
            let number = try library.plans.tonightSet(of: plan.id)?.number ?? 0
            return try library.plans.change(.offer(!isOff), of: plan.id, at: number, now: now)
        }
        guard outcome == .kept else { throw CommandFailure(.failed, "somebody changes your order for \(words) just now; try again") }
        await ControlClient.reportChange(paths, context)
        guard !isOff else {
            return try await takeBack("your order for \(words)") { $0.offers.contains { $0.plan == plan.id.everywhere } }
        }
        output.result("The band is offered your order for \(words), until it is over.".printable)
        await sayWhetherItHappens(at: configuration.options.band.place ?? "")
        return .fine
    }

    func share(set name: String) async throws -> ExitCode {
        let (isOff, isWithCharts) = (invocation.has("end") || invocation.has("off"), invocation.has("with-charts"))
        guard (invocation.argument("chart") as String?) == nil, !invocation.has("all"), !(isOff && isWithCharts) else {
            throw CommandFailure(.usage, "say one thing at a time: a set, a chart, or --all; --end takes a set back with its charts")
        }
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        let shared = try library.band.sharedSets()
        let plan = try PlanFinder(library, now: context.clock.timestamp).find(name) { plan in
            isOff ? shared[plan.id] != nil : plan.id.source == .sets && plan.id.bandDevice == nil
        }
        let words = PlanFinder.words(plan)
        guard !isOff else { return try await endSharing(plan, words) }
        return try await share(plan, words, withCharts: isWithCharts, shared, in: library)
    }

    private func share(
        _ plan: Plan, _ words: String, withCharts isWithCharts: Bool, _ shared: [PlanID: Bool], in library: Library
    ) async throws -> ExitCode {
        guard plan.id.source == .sets, plan.id.bandDevice == nil else {
            let whose = plan.id.bandDevice == nil ? "the service's" : "somebody else's"
            throw CommandFailure(.usage, "\(words) is \(whose); only sets in your own folders can be shared")
        }
        let now = context.clock.timestamp
        guard !plan.isPast(at: now), try library.plans.gone()[plan.id] == nil else {
            throw CommandFailure(.failed, "\(words) is over, or no longer in your folders, so there is nothing to share")
        }
        guard shared[plan.id] != nil || shared.count < BandHead.mostSets else {
            throw CommandFailure(
                .failed,
                "you share \(shared.count) sets already, and that is the most: '\(woodshed("band share --set DATE --end"))' ends one")
        }
        let size = isWithCharts ? try refuseTooMuch(plan, shared, in: library) : 0
        try Library.change(in: paths.data) { library throws(LibraryError) in
            try library.band.share(set: plan.id, withCharts: isWithCharts)
        }
        await ControlClient.reportChange(paths, context)
        let charts = isWithCharts ? ", with its charts (\(ByteCount(size)))" : "; not the charts themselves, which '--with-charts' adds"
        output.result("The band sees \(words)\(charts), until it is over.".printable)
        await sayWhetherItHappens(at: configuration.options.band.place ?? "")
        return .fine
    }

    /// Refuses charts for which the band has no room. Returns how many bytes the set's charts have.
    private func refuseTooMuch(_ plan: Plan, _ shared: [PlanID: Bool], in library: Library) throws -> Int {
        let sizes = try library.sets.sizes()
        func own(_ id: PlanID) throws -> [AttachmentID: (name: String, size: Int)] {
            let own = try library.plans.asPlanned(id)?.attachments.filter { $0.id.bytes != nil } ?? []
            return Dictionary(try own.map { ($0.id, (name: $0.filename, size: try library.size(of: $0, sizes))) }) { first, _ in first }
        }
        let charts = try own(plan.id)
        var others: [AttachmentID: (name: String, size: Int)] = [:]
        for (id, isWithCharts) in shared where isWithCharts && id != plan.id { others.merge(try own(id)) { first, _ in first } }
        if let long = charts.values.sorted(by: { $0.name < $1.name }).first(where: { $0.size > BandHead.longestChart }) {
            throw CommandFailure(
                .failed,
                "\(long.name) has \(ByteCount(long.size)), and the band takes charts of \(ByteCount(BandHead.longestChart)) at most: "
                    + "share the set without '--with-charts', or make that PDF smaller")
        }
        let size = charts.values.reduce(0) { $0 + $1.size }
        let taken = others.filter { charts[$0.key] == nil }.values.reduce(try library.band.chartBytesOfOthers()) { $0 + $1.size }
        guard size + taken <= BandHead.mostChartBytes else {
            throw CommandFailure(
                .failed,
                "the charts of \(PlanFinder.words(plan)) have \(ByteCount(size)), and of the \(ByteCount(BandHead.mostChartBytes)) that a band "
                    + "shares, \(ByteCount(taken)) are taken: share the set without '--with-charts', or end another one first")
        }
        return size
    }

    private func endSharing(_ plan: Plan, _ words: String) async throws -> ExitCode {
        let wasShared = try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.endSharing(set: plan.id) }
        guard wasShared else {
            output.result("\(words) was not shared.".printable)
            return .fine
        }
        await ControlClient.reportChange(paths, context)
        return try await takeBack(words) { $0.sets.contains { $0.id == plan.id.sharedID } }
    }

    /// Waits until this device's head does not name something any more, and says so.
    private func takeBack(_ words: String, isThere: (BandHead) -> Bool) async throws -> ExitCode {
        let device = BandDevice(HomeID(in: paths.data).current)
        let trouble = await carryOut(at: configuration.options.band.place ?? "") { carrier in
            guard let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit) else { return true }
            return try !isThere(BandHead.read(bytes).head)
        }
        if let trouble {
            output.result("You share \(words) no longer, but what the band was shown is still there. \(trouble)".printable)
            return .notReady
        }
        output.result("The band sees \(words) no longer.".printable)
        return .fine
    }
}
