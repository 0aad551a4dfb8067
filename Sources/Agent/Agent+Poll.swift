import Freshness
import Library
import Model
import PlanningCenter
import Platform

extension Agent {
    /// Asks the service once for what the coming plans need, and keeps it. What fails leaves what is here as it is.
    ///
    /// Ends early with `isCancelled` when its task or, by `cancelPolls`, all polls are cancelled; waits while suspended.
    public func poll(_ scope: PollScope = .everything) async -> PollOutcome {
        pollCount += 1
        let number = pollCount
        let task = spawn { [self] in
            let outcome = await runPoll(scope)
            polls[number] = nil
            return outcome
        }
        polls[number] = task
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Polls go one after the other: two at once would open every new file twice.
    private func runPoll(_ scope: PollScope) async -> PollOutcome {
        var mayStart = false
        while !mayStart && !Task.isCancelled {
            await gate.pass()
            await pollTurn.pass()
            mayStart = gate.isOpen && pollTurn.isOpen
        }
        guard !Task.isCancelled else { return PollOutcome().cancelled }
        pollTurn.close()
        defer { pollTurn.open() }
        let outcome = await askService(scope)
        pollClock?.note(outcome)
        noteReach(outcome)
        return outcome
    }

    private func noteReach(_ outcome: PollOutcome) {
        guard !outcome.isCancelled else { return }
        offlineSince = outcome.isMissed ? offlineSince ?? now : nil
        onNews?(.polled)
    }

    private func askService(_ scope: PollScope) async -> PollOutcome {
        var outcome = PollOutcome()
        parts.service.forgetClock()
        // An occasion to see what has passed by itself; what a person asks for is tried as if it had never failed.
        await parts.service.resume()
        if scope.isRequested {
            charts.forgive(at: parts.time.now)
            doubts.forgive()
            // A disk that was mounted below a folder of marks is told by no event.
            markKeeper.look()
        } else {
            charts.uncounted.hurry(at: parts.time.now)
        }
        await readChartFiles()
        // What is told is as of now, however long the rest takes: a machine may sleep in the middle of it.
        let asked = now
        var contents: [PlanContents]
        // A chart that does not come is told as such; what the service has is known all the same. Of marks nothing else would tell.
        let isToldAll: Bool
        do {
            try keepCatalogue()
            let list = try await parts.service.planList()
            for trouble in list.troubles { record(trouble, about: "service", in: &outcome) }
            outcome.hasList = list.isWhole || !list.plans.isEmpty
            // Before anything is believed because an hour has passed.
            try noteClock()
            // One that was put off is asked for once more: else it would be expected at its former date for good.
            let kept = Set(try wants.plans(now: now).map(\.plan.id))
            var plans = list.plans.filter { $0.isComing(at: now, ahead: settings.ahead) || kept.contains($0.id) }
            if let wanted = scope.plans { plans.removeAll { !wanted.contains($0.id) } }
            contents = await fetch(plans, into: &outcome)
            guard !Task.isCancelled else { return outcome.cancelled }
            let named = list.isWhole ? Set(list.plans.map(\.id)) : nil
            if let doubt = try named.flatMap({ named in try parts.library.doubt(aboutList: named, at: now) }) {
                outcome.setbacks.append(Setback(doubtful: doubt))
            }
            outcome.changes = tell(try parts.library.update(contents, named: named, ahead: settings.ahead, at: now))
            // A chart that was uploaded anew takes over the marks of the former one, also where its bytes are here already.
            if !outcome.changes.isEmpty { markKeeper.matchAgain() }
            contents = try parts.library.asKept(contents)
            isToldAll = outcome.setbacks.isEmpty && scope.isEverything
            outcome.setbacks += try heldBack(now)
        } catch {
            guard !Task.isCancelled else { return outcome.cancelled }
            record(error, about: "service", in: &outcome)
            if let failure = error as? ServiceFailure {
                outcome.hasList = false
                if case .rateLimited(let wait) = failure { outcome.retryAfter = wait }
            }
            return outcome
        }
        reconcile()

        // Marks are fetched while the charts download, so that a page's first annotated image already shows them.
        async let layers = fetchLayers(of: contents)
        let charts = await download(contents, scope)
        let marks = await layers
        do {
            outcome.changes += tell(try parts.library.setAsideSavedFormerCharts(at: now))
        } catch {
            record(error, about: "library", in: &outcome)
        }
        outcome.setbacks += marks.setbacks + charts.setbacks
        outcome.changes += marks.changes + charts.changes
        outcome.hasMarks = marks.areTold
        if let wait = marks.retryAfter { outcome.retryAfter = wait }
        parts.service.saveAnswers()
        guard !Task.isCancelled else { return outcome.cancelled }
        // A token may be refused anywhere on the way.
        if parts.service.isRefused { outcome.reach = .notAuthorised }
        if isToldAll, outcome.reach == .reached, marks.areTold, marks.areKept {
            do {
                // A person may ask anybody for it next; what the clock asks for is known here, and no disk is woken for it.
                try parts.library.recordPoll(at: asked, now: scope.isRequested)
                if let settings = settings.asked { try parts.library.recordAsked(with: settings) }
                outcome.isTrusted = parts.service.clock.agrees
                try noteClock()
                catalogueNews = nil
            } catch {
                record(error, about: "library", in: &outcome)
            }
        }
        return outcome
    }

    /// Writes down how far the clock is off, as the answers so far tell it.
    private func noteClock() throws(LibraryError) {
        let clock = parts.service.clock
        guard let ahead = clock.difference else { return }
        try parts.library.record(clockAhead: clock.agrees ? nil : ahead, at: now)
    }

    /// What was told of plans that are kept ready, and was not taken over, at this poll or before.
    private func heldBack(_ now: Timestamp) throws(LibraryError) -> [Setback] {
        let kept = Set(try wants.plans(now: now).map(\.plan.id))
        return try parts.library.heldBack().filter { kept.contains($0.plan.id) }.map { held in
            Setback(held.plan.displayName, ReadinessLack.heldBack(held.reason, plan: held.plan.id).advised)
        }
    }

    /// One plan that cannot be read does not stop the others; a service that is gone or refuses us does.
    private func fetch(_ plans: [Plan], into outcome: inout PollOutcome) async -> [PlanContents] {
        var contents: [PlanContents] = []
        var failuresInARow = 0
        for plan in plans {
            do throws(ServiceFailure) {
                contents.append(try await parts.service.contents(of: plan))
                failuresInARow = 0
            } catch {
                if error == .cancelled { return contents }
                record(error, about: LibraryChange.PlanReference(plan).name(telling: .local), in: &outcome)
                if case .notAuthorised = error { return contents }
                guard case .offline = error else { continue }
                failuresInARow += 1
                // One may be a matter of that plan's answer; two are the line.
                if failuresInARow > 1 { return contents }
            }
        }
        return contents
    }

    /// What came of asking for marks.
    private struct Marks {
        var changes: [LibraryChange] = []
        var setbacks: [Setback] = []
        /// Whether the service told all that it has for us, which may be none.
        var areTold = true
        /// Whether the library has what was told.
        var areKept = true
        var retryAfter: Duration?
    }

    private func fetchLayers(of contents: [PlanContents]) async -> Marks {
        var marks = Marks()
        var failuresInARow = 0
        var known: Set<LayerID> = []
        asking: for plan in contents.map(\.plan) {
            do {
                guard let told = try await parts.service.layers(of: plan) else {
                    try noteNoMarks(on: contents)
                    break
                }
                failuresInARow = 0
                try parts.library.note(marksUntold: nil, of: plan.id, at: now)
                let found = tell(try parts.library.update(layers: told.layers, faults: told.faults, of: plan.id, at: now))
                marks.changes += found
                // One chart may be in several plans.
                let ids = Set(told.layers.map(\.id)).subtracting(known)
                known.formUnion(ids)
                marks.setbacks += try parts.library.layerDoubts().filter { ids.contains($0.layer) }.map { doubt in
                    Setback("marks of \(LibraryChange.PlanReference(plan).name(telling: .local))", doubt.sentence(telling: .local))
                }
                if !found.isEmpty { reconcilePatiently() }
            } catch {
                if error as? ServiceFailure == .cancelled { break }
                marks.setbacks.append(Setback("marks of \(LibraryChange.PlanReference(plan).name(telling: .local))", "\(error)"))
                guard let failure = error as? ServiceFailure else {
                    marks.areKept = false
                    continue
                }
                switch failure {
                // Not for us, today and tomorrow: that is an answer.
                case .forbidden:
                    noteUntold("\(failure)", plan)
                    continue
                case .offline: failuresInARow += 1
                case .rateLimited(let wait): marks.retryAfter = wait
                default: break
                }
                marks.areTold = false
                if case .notAuthorised = failure { break asking }
                if failuresInARow > 1 { break asking }
            }
        }
        marks.setbacks = Setback.folded(marks.setbacks)
        return marks
    }

    private func noteUntold(_ reason: String, _ plan: Plan) {
        do throws(LibraryError) {
            try parts.library.note(marksUntold: reason, of: plan.id, at: now)
        } catch {
            parts.log.warning("\(error)")
        }
    }

    /// A service that offered marks once and does not any more is no service without marks.
    private func noteNoMarks(on contents: [PlanContents]) throws(LibraryError) {
        for plan in contents.map(\.plan) {
            let hasLayers = try parts.library.hasLayers(on: plan.id)
            try parts.library.note(
                marksUntold: hasLayers && parts.service.asksForMarks ? "it offers no marks any more" : nil, of: plan.id, at: now)
        }
    }

    /// Tells changes on, as soon as the library has them.
    func tell(_ changes: [LibraryChange]) -> [LibraryChange] {
        guard !changes.isEmpty else { return changes }
        onChanges?(changes)
        // Files of marks that belonged to no chart may have found theirs.
        markKeeper.look()
        return changes
    }

    private func record(_ error: any Error, about subject: String, in outcome: inout PollOutcome) {
        if let failure = error as? ServiceFailure {
            switch failure {
            case .notAuthorised: outcome.reach = .notAuthorised
            case .offline: outcome.reach = .offline
            default: break
            }
        }
        outcome.setbacks.append(Setback(subject, "\(error)"))
    }
}

extension PollOutcome {
    fileprivate var cancelled: PollOutcome {
        var outcome = self
        outcome.isCancelled = true
        return outcome
    }
}

extension Setback {
    /// A list of plans that most of those that were coming are missing from.
    fileprivate init(doubtful list: (missing: Int, of: Int)) {
        self.init(
            "the list of your plans",
            "it came without \(list.missing) of the \(list.of == 1 ? "1 plan that was" : "\(list.of) plans that were") coming; "
                + "they are kept until they are past, and an hour confirms that the service does not name them any more")
    }
}
