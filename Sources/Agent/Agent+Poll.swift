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
        // An occasion to see what has passed by itself; what a person asks for is tried as if it had never failed.
        if scope.isRequested {
            parts.service.resume()
            charts.forgive(at: parts.time.now)
        } else {
            charts.uncounted.hurry(at: parts.time.now)
        }
        let contents: [PlanContents]
        do {
            try keepCatalogue()
            let list = try await parts.service.planList()
            for trouble in list.troubles { record(trouble, about: "service", in: &outcome) }
            outcome.hasList = list.isWhole || !list.plans.isEmpty
            // One that was put off is asked for once more: else it would be expected at its former date for good.
            let kept = Set(try wants.plans(now: now).map(\.plan.id))
            var plans = list.plans.filter { $0.isComing(at: now, ahead: settings.ahead) || kept.contains($0.id) }
            if let wanted = scope.plans { plans.removeAll { !wanted.contains($0.id) } }
            contents = await fetch(plans, into: &outcome)
            guard !Task.isCancelled else { return outcome.cancelled }
            outcome.changes = tell(try parts.library.update(contents, named: list.isWhole ? Set(list.plans.map(\.id)) : nil, at: now))
        } catch {
            guard !Task.isCancelled else { return outcome.cancelled }
            record(error, about: "service", in: &outcome)
            if let failure = error as? ServiceFailure {
                outcome.hasList = false
                if case .rateLimited(let wait) = failure { outcome.retryAfter = wait }
            }
            return outcome
        }
        // A chart that does not come is told as such; what the service has is known all the same. Of marks nothing else would tell.
        let isToldAll = outcome.setbacks.isEmpty && scope.isEverything
        reconcile()

        // Marks are fetched while the charts download, so that a page's first annotated image already shows them.
        async let layers = fetchLayers(of: contents)
        let charts = await download(contents, scope)
        let marks = await layers
        outcome.setbacks += marks.setbacks + charts
        outcome.changes += marks.changes
        outcome.hasMarks = marks.areTold
        if let wait = marks.retryAfter { outcome.retryAfter = wait }
        parts.service.saveAnswers()
        guard !Task.isCancelled else { return outcome.cancelled }
        // A token may be refused anywhere on the way.
        if parts.service.isRefused { outcome.reach = .notAuthorised }
        if isToldAll, outcome.reach == .reached, marks.areTold, marks.areKept {
            do {
                // A person may ask anybody for it next; what the clock asks for is known here, and no disk is woken for it.
                try parts.library.recordPoll(at: now, now: scope.isRequested)
                catalogueNews = nil
            } catch {
                record(error, about: "library", in: &outcome)
            }
        }
        return outcome
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
                record(error, about: LibraryChange.PlanReference(plan).name, in: &outcome)
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
        asking: for plan in contents.map(\.plan) {
            do {
                guard let layers = try await parts.service.layers(of: plan) else { break }
                failuresInARow = 0
                let found = tell(try parts.library.update(layers: layers, of: plan.id, at: now))
                marks.changes += found
                if !found.isEmpty { reconcilePatiently() }
            } catch {
                if error as? ServiceFailure == .cancelled { break }
                marks.setbacks.append(Setback("marks of \(LibraryChange.PlanReference(plan).name)", "\(error)"))
                guard let failure = error as? ServiceFailure else {
                    marks.areKept = false
                    continue
                }
                switch failure {
                // Not for us, today and tomorrow: that is an answer.
                case .forbidden: continue
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

    /// Tells changes on, as soon as the library has them.
    private func tell(_ changes: [LibraryChange]) -> [LibraryChange] {
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
