import Agent
import Catalogue
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import Sets
import TestSupport

@testable import Sync

/// The random events of a run, one after the other.
extension Simulation {
    func step() async throws {
        if sets != nil, oneIn(5) { try changeSets() } else { try await happen() }
        // Some events follow immediately, others a little later, and others after a quiet while.
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: break
        case 3...6: await wait(.milliseconds(Int.random(in: 1...1500, using: &random)))
        case 7, 8: await wait(.seconds(Int.random(in: 2...600, using: &random)))
        default: await wait(.seconds(Int.random(in: 600...20_000, using: &random)))
        }
    }

    private func happen() async throws {
        switch Int.random(in: 0..<45, using: &random) {
        case 0...5: changeService()
        case 6...9: changeLayer()
        case 10...14: try changeFiles()
        case 15...19: await select()
        case 20...22: try trim()
        case 23: try command()
        case 24: try command()
        case 25: pause()
        case 26: life?.agent.resume()
        case 27:
            weather.isOffline.toggle()
            trace.note(weather.isOffline ? "OFFLINE" : "ONLINE")
            if !weather.isOffline { life?.machine.happen(.networkCame) }
        case 28: if oneIn(3) { setClock() } else { jump() }
        case 29: await sleep()
        case 30: if oneIn(3) { try await changeAccount() } else { try await restart() }
        case 31, 32: try await crash()
        case 33: if oneIn(2) { changeFonts() } else { try await spoilCatalogue() }
        case 34: askForPoll()
        case 35: life?.agent.showing.noteOpen(plan: service.plans.randomElement(using: &random).map { PlanID($0.id) })
        case 36, 39: life?.agent.reconcile()
        case 37: askForImage()
        case 38: if oneIn(2) { life?.agent.easeMemory() } else { lockFolders() }
        case 43, 44: try changeTonight()
        default: backUpOrPutBack()
        }
    }

    // MARK: Selections

    private func select() async {
        // In half of the cases all images are removed, so that much work is under way during the selection.
        if oneIn(2) {
            trace.note("all images go")
            TemporaryFolder.empty(folder.path("cache/pages"))
            life?.tell(.rescan(folder.path("cache")))
            await wait(.milliseconds(Int.random(in: 0...900, using: &random)))
        }
        for _ in 0..<(oneIn(3) ? 4 : 1) {
            select(charts.randomElement(using: &random))
            if oneIn(2) { await wait(.milliseconds(Int.random(in: 1...500, using: &random))) }
        }
    }

    private func select(_ chart: SmallService.Chart?) {
        guard let life, let chart else { return }
        selections += 1
        let number = selections
        let page = PageIndex(Int.random(in: 0...2, using: &random))
        let isMarked = !oneIn(4)
        trace.note("select \(number): \(chart.name), \(page)\(isMarked ? "" : ", without marks")")
        spawn { [trace] in
            life.witness.select(number)
            let answer: Result<ShownPage, Trouble>
            do throws(Trouble) {
                answer = .success(try await life.agent.showing.select(chart: AttachmentID(chart.id), page: page, isMarked: isMarked))
            } catch {
                answer = .failure(error)
            }
            life.witness.answered(number, answer)
            switch answer {
            case .success(let shown): trace.note("shown \(number): \(shown.name) from \(shown.source)")
            case .failure(let failure): trace.note("not shown \(number): \(failure)")
            }
        }
    }

    private func askForImage() {
        guard let life, let name = life.cache.present().sorted().randomElement(using: &random) else { return }
        let isLive = Bool.random(using: &random)
        let chart = charts.randomElement(using: &random)
        trace.note("ask for \(isLive ? "a larger page of \(chart?.name ?? "-")" : "\(name)")")
        spawn { [trace] in
            do throws(Trouble) {
                let shown =
                    if isLive, let chart {
                        try await life.agent.showing.live(
                            chart: AttachmentID(chart.id), in: ImageFolder(of: ChartHash(SHA256.digest(of: chart.bytes))),
                            page: PageIndex(0), isMarked: true, longSide: 4000)
                    } else {
                        try await life.agent.showing.image(named: name)
                    }
                if !isLive, shown.bytes != life.witness.expected(name) { self.complain("\(name) was answered with other bytes") }
                trace.note("answered: \(shown.source)")
            } catch {
                trace.note("not answered: \(error)")
            }
        }
    }

    // MARK: The machine

    private func jump() {
        let seconds = [-7200, -60, 60, 3600, 86_400].randomElement(using: &random) ?? 0
        trace.note("the time of day jumps by \(seconds) s")
        clock.wallTimeAtStart += .seconds(seconds)
        life?.machine.happen(.clockJumped)
    }

    /// The machine's clock is set wrong by months or years, or is set right again.
    private func setClock() {
        let years = [-30, -1, 1, 10, 264].randomElement(using: &random) ?? 0
        forgetKnown()
        clockError = clockError != .zero && oneIn(2) ? .zero : .seconds(31_557_600 * years + (oneIn(2) ? 5_184_000 : 0))
        trace.note("the clock is off by \(clockError)")
        life?.machine.happen(.clockJumped)
    }

    /// The disk becomes read-only, or writable again.
    private func lockFolders() {
        // The agent could not continue without a catalogue that was written before.
        guard isDiskLocked || access(folder.path("data/catalogue.sqlite-wal"), F_OK) == 0 else { return }
        isDiskLocked.toggle()
        trace.note(isDiskLocked ? "the disk can be read only" : "the disk can be written to again")
    }

    private func sleep() async {
        let seconds = Int.random(in: 60...40_000, using: &random)
        trace.note("sleep for \(seconds) s")
        clock.skip(.seconds(seconds))
        for _ in 0..<Int.random(in: 0...3, using: &random) { changeService() }
        // The wake-up's events may come after the late timers.
        if oneIn(2) { await wait(.milliseconds(1)) }
        trace.note("wake up")
        life?.machine.happen(.wokeUp)
    }

    private func changeFonts() {
        count += 1
        fonts = FontSet(SHA256.digest(of: "fonts \(count)"))
        trace.note("other fonts")
        life?.renderer.currentFonts = fonts
    }

    private func restart() async throws {
        await end()
        if oneIn(2) { await wait(.seconds(Int.random(in: 1...9000, using: &random))) }
        if oneIn(4) {
            count += 1
            tag = RendererTag("simulated-\(count)")
        }
        if oneIn(2) { changeService() }
        try begin()
    }

    /// Somebody uses another church's token for a while. The other church uses the same ids for other plans and charts, and none of
    /// them may get into the library.
    private func changeAccount() async throws {
        guard let life, (try? life.library.service.account) != nil else { return }
        let (plans, layers) = (service.plans, service.layers)
        await end()
        try begin()
        // A catalogue restored from a backup may not state whose plans it has.
        guard let life = self.life, (try? life.library.service.account) != nil else { return }
        for plan in service.plans.indices {
            for chart in service.plans[plan].charts.indices {
                service.plans[plan].charts[chart].bytes = SmallService.pdf("another church's")
                service.plans[plan].charts[chart].updatedAt = "\(Timestamp(sinceEpoch: clock.wallTime + .seconds(count)))"
            }
        }
        service.layers = [:]
        let holder = (service.person, service.organisation)
        (service.person, service.organisation) = oneIn(2) ? ("205", holder.1) : (holder.0, "8")
        trace.note("another account")
        await wait(.seconds(Int.random(in: 1...20_000, using: &random)))
        await end()
        (service.plans, service.layers) = (plans, layers)
        (service.person, service.organisation) = holder
        trace.note("the right account")
        try begin()
    }

    private func crash() async throws {
        await kill()
        if oneIn(2) { try trim() }
        if oneIn(4) { try await spoilCatalogue() }
        if oneIn(2) { try changeFiles() }
        if oneIn(3) { changeService() }
        if oneIn(3) { await wait(.seconds(Int.random(in: 1...9000, using: &random))) }
        try begin()
    }

    // MARK: Commands

    private func pause() {
        let duration: Duration? = oneIn(4) ? nil : .seconds(Int.random(in: 1...9000, using: &random))
        trace.note("pause for \(duration.map { "\($0)" } ?? "ever")")
        guard let life else { return }
        life.witness.willPause(while: life.agent.report(version: "simulated", since: clock.timestamp).rendering.running)
        life.agent.pause(for: duration)
    }

    private func askForPoll() {
        guard let life else { return }
        trace.note("sync")
        spawn { [self] in
            let outcome = await life.agent.poll()
            life.noteTold(by: outcome)
            trace.note("synced: \(outcome.isComplete)")
        }
    }

    private func command() throws {
        let own = (try? life?.library.sets.known())?.values.map(\.plan).sorted() ?? []
        guard let life, let plan = (service.plans.map { PlanID($0.id) } + own).randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            trace.note("pin \(plan)")
            if (try? life.library.plans.pin(plan)) == true { pinnedAt[plan] = clock.now }
        case 1:
            trace.note("unpin \(plan)")
            _ = try? life.library.plans.unpin(plan)
        case 2:
            // A person checks the service before accepting a plan.
            let held = try life.library.plans.heldBack().filter(isTrue)
            trace.note("accept \(held.map(\.plan.id))")
            try accept(held.map(\.plan.id))
        default:
            guard let layer = layers.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else { return }
            let isHidden = Bool.random(using: &random)
            trace.note("\(isHidden ? "hide" : "show") \(layer.id)")
            _ = try life.library.drawings.setHidden(isHidden, layer: LayerID(layer.id), of: AttachmentID(layer.attachment))
        }
        // Every command that changes the library reports the change to the agent in this way.
        life.agent.noteChange()
    }

    private func isTrue(_ held: HeldBackPlan) -> Bool {
        guard let plan = service.plans.first(where: { PlanID($0.id) == held.plan.id }) else { return false }
        return held.sent.plan.firstTime == Timestamp(plan.rehearsal ?? plan.startsAt)
            && Set(held.sent.attachments.map(\.id)) == Set(plan.charts.map { AttachmentID($0.id) })
    }
}
