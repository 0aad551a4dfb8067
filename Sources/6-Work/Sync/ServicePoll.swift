import Catalogue
import Freshness
import ImageKeeping
import Library
import Model
import PlanningCenter
import Platform
import Readiness

/// One poll: fetches plans, charts and marks, and stores those that can be trusted.
@LoopActor
final class ServicePoll {
    private let service: PlanningCenterClient
    private let parts: SyncParts
    private let downloads: ChartDownloads
    private let scope: PollScope
    private var outcome = PollOutcome()
    private var fetched = Fetched()

    init(_ scope: PollScope, of service: PlanningCenterClient, parts: SyncParts, downloads: ChartDownloads) {
        (self.scope, self.service, self.parts, self.downloads) = (scope, service, parts, downloads)
    }

    /// Fetches and stores what the coming plans need; call it once. Whatever cannot be fetched stays in the library as it is.
    func run() async -> PollOutcome {
        service.forgetClock()
        await service.resume()
        // All answers count as of this moment, however long the poll takes: the machine may sleep during it.
        let asked = parts.now
        let sent: SentPlans
        do {
            sent = try await readPlans()
            guard !Task.isCancelled else { return outcome.cancelled }
        } catch {
            guard !Task.isCancelled else { return outcome.cancelled }
            record(error, about: Setback.service)
            if let failure = error as? ServiceFailure {
                outcome.hasList = false
                if case .rateLimited(let wait) = failure { outcome.retryAfter = wait }
            }
            if !(error is LibraryError) { note(failing: outcome.setbacks) }
            return outcome
        }
        parts.look.soon()

        // Fetch marks while charts download, so that a page's first annotated image already shows them.
        async let layers = LayerPoll(service: service, parts: parts).run(sent.contents.map(\.plan))
        let charts = await downloads.run(sent.contents, scope)
        let marks = await layers
        do {
            outcome.changes += parts.report(try parts.library.charts.setAsideSavedFormerCharts(at: parts.now))
        } catch {
            record(error, about: "library")
        }
        outcome.setbacks += marks.setbacks + charts.setbacks
        outcome.changes += marks.changes + charts.changes
        outcome.hasMarks = marks.areSent
        outcome.retryAfter = [marks.retryAfter, charts.retryAfter].compactMap(\.self).max()
        service.saveAnswers()
        guard !Task.isCancelled else { return outcome.cancelled }
        // The service may refuse the token at any point of the poll.
        if service.isRefused { outcome.reach = .notAuthorised }
        note(failing: sent.setbacks + (marks.areSent ? [] : marks.setbacks) + (outcome.reach == .reached ? [] : charts.setbacks))
        if sent.isAll, outcome.reach == .reached, marks.areSent, marks.areStored {
            do {
                // After a request, another process may read the time of the poll next, so save it immediately. After a regular
                // poll, keep it only in memory, so that no disk has to wake up.
                try parts.library.recordPoll(at: asked, now: scope.isRequested)
                try parts.library.service.note(failing: nil)
                if let settings = parts.asked { try parts.library.service.recordAsked(with: settings) }
                outcome.isTrusted = service.clock.agrees
                try noteClock()
                parts.catalogue.noteToldAll()
            } catch {
                record(error, about: "library")
            }
        } else if scope.charts == nil {
            note(asked: sent, marks, charts.setbacks, at: asked)
        }
        return outcome
    }

    /// Records for `woodshed ready` why the poll was incomplete.
    private func note(failing setbacks: [Setback]) {
        let setbacks = Setback.folded(setbacks)
        guard let first = setbacks.first else { return }
        func ofSubject(_ text: String) -> String { first.isOfService ? text : "\(first.subject): \(text)" }
        let more = setbacks.count > 1 ? " (and \(setbacks.count - 1) more)" : ""
        do throws(LibraryError) {
            try parts.library.service.note(
                failing: FailingPolls(since: parts.now, reason: ofSubject(first.message) + more, brief: first.brief.map(ofSubject)))
        } catch {
            parts.log.warning("\(error)")
        }
    }

    /// Records plans that arrived with everything that belongs to them, although the poll has not brought everything, or not yet.
    private func note(asked sent: SentPlans, _ marks: LayerPoll.Outcome, _ charts: [Setback], at asked: Timestamp) {
        guard sent.hasList, sent.setbacks.isEmpty, !sent.contents.isEmpty, charts.isEmpty, marks.areSent, marks.areStored, !Task.isCancelled
        else { return }
        do throws(LibraryError) {
            try parts.library.service.note(asked: sent.contents.map(\.plan.id), with: parts.asked, at: asked)
        } catch {
            parts.log.warning("\(error)")
        }
    }

    /// The plans that the service sent, as stored in the library.
    private struct SentPlans {
        var contents: [PlanContents] = []
        /// Whether the list contains all plans.
        var hasList = false
        /// Whether the poll is about all plans and charts, and all of these plans arrived. A chart that does not arrive is reported
        /// separately and changes nothing here: the service's data is known all the same. Missing marks are checked separately.
        var isAll = false
        var setbacks: [Setback] = []
    }

    /// Requests plans and stores the answers.
    private func readPlans() async throws -> SentPlans {
        try parts.catalogue.checkIsInPlace()
        let list = try await service.planList()
        // Refuse another account's plans: with those here, they would look like the plans of one church that changed them.
        let isKnown = try parts.library.service.account != nil
        if let holder = try await service.accountHolder(didSay: isKnown),
            let known = try parts.library.service.otherHolder(than: holder)
        {
            throw Trouble(
                "the token belongs to \(holder), but the plans here are those of \(known), so nothing was fetched and all is kept",
                advice: "if that is meant, run '\(woodshed("accept --account"))'; to have both, use another --home for one of them")
        }
        for trouble in list.troubles { record(trouble, about: Setback.service) }
        outcome.hasList = list.isWhole || !list.plans.isEmpty
        // Check the clock before any doubtful change is accepted because an hour has passed.
        try noteClock()
        // Request a postponed plan once more: otherwise it would keep its former date for good.
        let ours = try parts.wants.plans(now: parts.now).filter { $0.plan.id.source == .service }
        // The service's answers are compared with what it had sent, whatever is changed in a plan for tonight.
        let planned = try ours.map { plan throws(LibraryError) in try parts.library.plans.asPlanned(plan.plan.id) ?? plan }
        let kept = Dictionary(planned.map { ($0.plan.id, $0) }) { first, _ in first }
        let expected = list.plans.filter { $0.isComing(at: parts.now, ahead: parts.ahead) || kept[$0.id] != nil }
        // Record these plans now: this poll may be cut short, and the next plan may be among them.
        let unreadable = try unreadable(of: list)
        let moved = expected.filter { kept[$0.id].map(\.plan.firstTime) != .some($0.firstTime) }
        let news = moved.map { UnreadPlan(plan: $0.titled(as: kept[$0.id]), since: parts.now) } + unreadable
        if !news.isEmpty {
            outcome.changes += parts.report(try parts.library.plans.update([], unread: news, ahead: parts.ahead, at: parts.now))
        }
        var due = parts.scope.asked(of: expected.filter { scope.plans?.contains($0.id) ?? true }, at: parts.now)
        let isEveryPlan = due.count == expected.count
        fetched.all = due.count
        let next = SyncScope.nextPlan.asked(of: due, at: parts.now).filter { kept[$0.id] == nil }
        defer { parts.events?.plansRead(0, of: 0) }
        if !next.isEmpty, next.count < due.count {
            for plan in next { await bring(plan, hasList: list.isWhole) }
            due.removeAll { next.contains($0) }
        }
        for some in stride(from: 0, to: due.count, by: Self.together).map({ due[$0..<min($0 + Self.together, due.count)] }) {
            let former = fetched.contents.count
            await fetch(Array(some), known: kept)
            // New plans need not wait for the others. Plans that replace something have to wait, since the others may reveal that
            // the change is wrong.
            let new = fetched.contents.dropFirst(former).filter { kept[$0.plan.id] == nil }
            guard !new.isEmpty, !Task.isCancelled, fetched.count < fetched.all else { continue }
            outcome.changes += parts.report(try parts.library.plans.update(new, ahead: parts.ahead, at: parts.now))
            parts.look.soon()
        }
        for plan in try begun(kept, besides: list) where scope.plans?.contains(plan.plan.id) ?? true {
            // If the service has removed the plan, nothing is lost: it can be played from the contents here.
            if let contents = try? await service.contents(of: plan.plan, known: plan) { fetched.contents.append(contents) }
        }
        var sent = SentPlans(contents: fetched.contents)
        guard !Task.isCancelled else { return sent }
        let named = list.isWhole ? Set(list.plans.map(\.id)) : nil
        if let doubt = try named.flatMap({ named in try parts.library.plans.doubt(aboutList: named.union(list.declined), at: parts.now) }) {
            outcome.setbacks.append(Setback(doubtful: doubt))
        }
        outcome.changes += parts.report(
            try parts.library.plans.update(
                sent.contents, unread: fetched.unread, named: named, declined: list.declined,
                expected: named.map { _ in Set(expected.map(\.id) + unreadable.map(\.plan.id)) }, ahead: parts.ahead,
                isChoiceGiven: parts.asked?.isChoiceGiven ?? false, at: parts.now))
        // Have marks matched again: a chart that was uploaded again takes over the former one's marks, even if its bytes are here already.
        if !outcome.changes.isEmpty { parts.events?.plansChanged() }
        sent.contents = try parts.library.plans.asKept(sent.contents)
        sent.setbacks = outcome.setbacks
        sent.hasList = list.isWhole
        sent.isAll = outcome.setbacks.isEmpty && scope.isEverything && isEveryPlan
        outcome.setbacks += try heldBack(parts.now)
        return sent
    }

    /// The plans that have begun but are not over, such as one with a rehearsal on Thursday: a list of coming plans may omit them.
    private func begun(_ kept: [PlanID: PlanContents], besides list: PlanList) throws(LibraryError) -> [PlanContents] {
        guard list.isWhole else { return [] }
        let others = try Set(list.plans.map(\.id)).union(parts.library.plans.gone().keys)
        return kept.values.filter { kept in
            !others.contains(kept.plan.id) && kept.plan.firstTime.map { $0 <= parts.now } ?? false && !kept.plan.isPast(at: parts.now)
        }.sorted { $0.plan.id < $1.plan.id }
    }

    /// Records how wrong this machine's clock is, judging by the answers so far.
    private func noteClock() throws(LibraryError) {
        let clock = service.clock
        guard let ahead = clock.difference else { return }
        try parts.library.service.record(clockAhead: clock.agrees ? nil : ahead, at: parts.now)
    }

    /// A setback for each plan kept ready whose changes have not been accepted, at this poll or earlier.
    private func heldBack(_ now: Timestamp) throws(LibraryError) -> [Setback] {
        let kept = Set(try parts.wants.plans(now: parts.now).map(\.plan.id))
        return try parts.library.plans.heldBack().filter { kept.contains($0.plan.id) }.map { held in
            Setback(held.plan.displayName, ReadinessLack.heldBack(held.reason, plan: held.plan.id).advised)
        }
    }

    /// Listed plans without an id or with implausible dates, unless their contents are known here.
    private func unreadable(of list: PlanList) throws(LibraryError) -> [UnreadPlan] {
        var unreadable = list.nameless.filter { $0.isComing(at: parts.now, ahead: parts.ahead) }.map {
            UnreadPlan(plan: $0, since: parts.now, reason: "the service does not say which plan it is")
        }
        // Allow a day, since lists may be slightly out of date. A listed plan that was over earlier may have been entered with the
        // wrong year, and will still be played.
        for var plan in list.plans where plan.isPast(at: parts.now - .seconds(86_400)) {
            guard try !parts.library.plans.has(plan.id) else { continue }
            let end = plan.end.map { " (the last on \(TimeWords.local.day($0)))" } ?? ""
            (plan.firstTime, plan.lastTime, plan.serviceTime) = (nil, nil, nil)
            unreadable.append(
                UnreadPlan(
                    plan: plan, since: parts.now,
                    reason: "it is listed as upcoming, but all its times are over\(end); correct them at the service"))
        }
        return unreadable
    }

    /// How many new plans are stored together.
    private static var together: Int { 20 }

    /// The results of the requests for plans.
    private struct Fetched {
        var all = 0
        var contents: [PlanContents] = []
        var unread: [UnreadPlan] = []
        var failuresInARow = 0
        /// Whether further requests are pointless: the token was refused, the connection failed, or the poll was cancelled.
        var isOver = false

        var count: Int { contents.count + unread.count }
    }

    /// Fetches a new plan that is played next, with its charts and marks, before all others, so that it need not wait for them.
    private func bring(_ plan: Plan, hasList: Bool) async {
        let asked = parts.now
        let former = fetched.contents.count
        await fetch([plan], known: [:])
        let new = Array(fetched.contents.dropFirst(former))
        guard !new.isEmpty else { return }
        do {
            outcome.changes += parts.report(try parts.library.plans.update(new, ahead: parts.ahead, at: parts.now))
            parts.events?.plansChanged()
            parts.look.soon()
            let sent = SentPlans(contents: try parts.library.plans.asKept(new), hasList: hasList, setbacks: outcome.setbacks)
            // If this plan's charts already have marks from another plan, fetch its marks with all others: the service may have
            // been restored.
            let knowsMarks = try sent.contents.flatMap(\.attachments).contains { try !parts.library.layers.all(of: $0.id).isEmpty }
            async let layers = LayerPoll(service: service, parts: parts).run(knowsMarks ? [] : sent.contents.map(\.plan))
            let charts = await downloads.run(sent.contents, scope)
            let marks = await layers
            // Missing charts and marks are requested again and reported later, with those of all plans.
            outcome.changes += marks.changes + charts.changes
            if !knowsMarks { note(asked: sent, marks, charts.setbacks, at: asked) }
        } catch {
            record(error, about: "library")
        }
    }

    /// Fetches plans one after the other. A plan that cannot be read does not stop the others. A refused token, or two failed
    /// connections in a row, ends the requests.
    private func fetch(_ plans: [Plan], known: [PlanID: PlanContents]) async {
        for plan in plans where !fetched.isOver {
            do throws(ServiceFailure) {
                fetched.contents.append(try await service.contents(of: plan, known: known[plan.id]))
                fetched.failuresInARow = 0
            } catch {
                guard error != .cancelled else { return fetched.isOver = true }
                let titled = plan.titled(as: known[plan.id])
                fetched.unread.append(UnreadPlan(plan: titled, since: parts.now, reason: "\(error)"))
                record(error, about: LibraryChange.PlanReference(titled).name(in: .local))
                if case .offline = error { fetched.failuresInARow += 1 }
                // One failure may be due to that plan's answer; two mean that the connection has failed.
                if fetched.failuresInARow > 1 { fetched.isOver = true }
                if case .notAuthorised = error { fetched.isOver = true }
            }
            parts.events?.plansRead(fetched.count, of: fetched.all)
        }
    }

    private func record(_ error: any Error, about subject: String) {
        if let failure = error as? ServiceFailure {
            switch failure {
            case .notAuthorised: outcome.reach = .notAuthorised
            case .offline: outcome.reach = .offline
            default: break
            }
        }
        outcome.setbacks.append(Setback(subject, error))
    }
}

extension Plan {
    /// The plan under its `known` title, if the list that named the plan has no titles.
    fileprivate func titled(as known: PlanContents?) -> Plan {
        var plan = self
        if plan.title.isEmpty { plan.title = known?.plan.title ?? "" }
        return plan
    }
}

extension Setback {
    /// An error that concerns `subject`.
    init(_ subject: String, _ error: any Error) {
        self.init(subject, "\(error)", brief: (error as? ServiceFailure)?.brief ?? (error as? Trouble)?.brief)
    }

    /// A setback about a list that omits most of the plans that were coming.
    fileprivate init(doubtful list: (missing: Int, of: Int)) {
        let brief = "it is missing \(list.missing) of the \(list.of == 1 ? "1 plan that was" : "\(list.of) plans that were") upcoming"
        let prospect = "they are kept until they are past; if they are still not listed in an hour, they count as no longer listed"
        self.init("the list of your plans", "\(brief); \(prospect)", brief: brief)
    }
}
