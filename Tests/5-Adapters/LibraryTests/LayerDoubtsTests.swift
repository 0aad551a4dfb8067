import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Which layers the library keeps when a service sends fewer marks, or unreadable ones.
@Suite(.onLoop)
struct LayerDoubtsTests {
    private let home = TemporaryFolder()
    private let now = Samples.monday + .seconds(-86_400)
    private let plan = Samples.contents("1", attachments: ["a", "b"].map { Samples.attachment($0) })
    private let minute = Duration.seconds(60)

    private func layer(_ revision: Int, marks: [String], on attachment: String = "a", deleted: Timestamp? = nil) -> Layer {
        Layer(
            id: LayerID("l"), attachment: AttachmentID(attachment), personName: "Ann", name: "bowings", revision: revision,
            deletedAt: deleted, marks: marks.map { Samples.mark($0) })
    }

    private var good: Layer { layer(5, marks: ["x", "y"]) }

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: now)
        try library.layers.update(layers: [good], of: plan.plan.id, at: now)
        return library
    }

    @LoopActor private func tell(_ layer: Layer, _ fault: String? = nil, after minutes: Int = 0, in library: Library) throws
        -> [LibraryChange]
    {
        try library.layers.update(
            layers: [layer], faults: fault.map { [layer.id: $0] } ?? [:], of: plan.plan.id, at: now + minute * minutes)
    }

    @LoopActor private func kept(_ library: Library) throws -> [Layer] {
        try library.layers.all(of: AttachmentID("a")) + library.layers.all(of: AttachmentID("b"))
    }

    @Test(arguments: [[], ["x"], ["z"]]) @LoopActor func theGoodCopyStaysUntilItsSuccessorIsUnderstood(readable: [String]) throws {
        let library = try library()
        let told = layer(6, marks: readable)
        let change = LibraryChange.layerDoubted(.init(told, chart: "a.pdf"), .unreadable("15 of its 15 marks cannot be read"))
        #expect(try tell(told, "15 of its 15 marks cannot be read", in: library) == [change])
        #expect(try kept(library) == [good])
        let bytes = try library.diskBytes()
        // Unreadable marks are not accepted, however long the service sends them.
        #expect(try tell(told, "15 of its 15 marks cannot be read", after: 6000, in: library) == [])
        #expect(try library.diskBytes() == bytes)
        #expect(try library.layers.doubts().map(\.keepsFormer) == [true])

        let next = layer(7, marks: ["z"])
        #expect(try tell(next, in: library) == [.layerChanged(.init(next, chart: "a.pdf"))])
        #expect(try kept(library) == [next])
        #expect(try library.layers.doubts() == [])
    }

    @Test @LoopActor func whereThereIsNothingToLoseSomeMarksAreShown() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: now)
        _ = try tell(layer(1, marks: []), "none", in: library)
        #expect(try kept(library) == [])
        #expect(try library.layers.doubts().map(\.keepsFormer) == [false])
        _ = try tell(layer(2, marks: ["x"]), "one of two", in: library)
        _ = try tell(layer(3, marks: ["y"]), "one of two", in: library)
        #expect(try kept(library) == [layer(3, marks: ["y"])])
        #expect(try library.layers.doubts().map(\.keepsFormer) == [false])
    }

    @Test @LoopActor func ofTwoPartsOfALayerTheSmallerIsShownOnlyIfItStaysSoForAnHour() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: now)
        let (more, less) = (layer(1, marks: ["x", "y", "z"]), layer(2, marks: ["x"]))
        _ = try tell(more, "one of four", in: library)
        _ = try tell(less, "three of four", in: library)
        _ = try tell(less, "three of four", after: 59, in: library)
        #expect(try kept(library) == [more])
        _ = try tell(more, "one of four", after: 60, in: library)
        _ = try tell(less, "three of four", after: 61, in: library)
        #expect(try kept(library) == [more], "its hour began anew")
        _ = try tell(less, "three of four", after: 121, in: library)
        #expect(try kept(library) == [less])
        let bytes = try library.diskBytes()
        #expect(try tell(less, "three of four", after: 122, in: library) == [])
        #expect(try library.diskBytes() == bytes)
        _ = try tell(more, "one of four", after: 123, in: library)
        #expect(try kept(library) == [more], "as many marks are taken at once")
    }

    @Test @LoopActor func whatTakesMarksAwayForNoGoodReasonNeedsAnHour() throws {
        let lies = [
            layer(6, marks: ["x", "y"], on: "b"), layer(6, marks: [], on: "nowhere"),
            layer(6, marks: [], deleted: Timestamp(nanoseconds: 0)), layer(6, marks: [], deleted: now + .seconds(86_400 * 365)),
            layer(5, marks: []), layer(5, marks: ["x"]), layer(5, marks: ["x", "z"]),
        ]
        for (number, lie) in lies.enumerated() {
            let place = TemporaryFolder()
            let library = try Library(folder: place.path)
            try library.plans.update([plan], at: now)
            _ = try tell(good, in: library)
            _ = try tell(lie, in: library)
            #expect(try tell(lie, after: 59, in: library) == [], "\(number)")
            #expect(try kept(library) == [good], "\(number)")
            #expect(try library.layers.doubts().count == 1, "\(number)")
            _ = try tell(lie, after: 60, in: library)
            var believed = lie
            // A deleted layer brings no marks: the library accepts its deletion, and keeps the former marks.
            if lie.deletedAt != nil { believed.marks = good.marks }
            #expect(try library.layers.all(of: lie.attachment) == [believed], "\(number)")
            #expect(try library.layers.doubts() == [], "\(number)")
        }
    }

    @Test @LoopActor func anotherWordBeginsItsHourAnewAndSoDoesAClockThatWasWrong() throws {
        let library = try library()
        _ = try tell(layer(5, marks: ["x"]), in: library)
        let other = layer(5, marks: ["z"])
        for minutes in [59, 61, 118] {
            _ = try tell(other, after: minutes, in: library)
            #expect(try kept(library) == [good], "\(minutes)")
        }
        _ = try tell(other, after: 119, in: library)
        #expect(try kept(library) == [other])

        let third = layer(5, marks: [])
        for minutes in [60_000, 130, 189] {
            _ = try tell(third, after: minutes, in: library)
            #expect(try kept(library) == [other], "\(minutes)")
        }
        _ = try tell(third, after: 190, in: library)
        #expect(try kept(library) == [third])
    }

    /// An older state, and all later states that are built on it, wait until a person accepts them.
    @Test(arguments: [["x"], []]) @LoopActor func whatIsOlderNeedsAPerson(marks: [String]) throws {
        let library = try library()
        let older = layer(4, marks: marks)
        let change = LibraryChange.layerDoubted(.init(older, chart: "a.pdf"), .older(revision: 4, than: 5))
        #expect(try tell(older, in: library) == [change])
        let bytes = try library.diskBytes()
        #expect(try tell(older, after: 60_000, in: library) == [])
        #expect(try library.diskBytes() == bytes)
        let overtaken = layer(9, marks: marks + ["new"])
        _ = try tell(overtaken, after: 60_001, in: library)
        _ = try tell(overtaken, after: 90_000, in: library)
        #expect(try kept(library) == [good])
        #expect(try library.layers.doubts().map(\.reason) == [.putBack(missing: 2 - marks.count, of: 2)])

        #expect(try library.accept(chart: AttachmentID("a")) == .olderMarks)
        #expect(try library.accept(chart: AttachmentID("a")) == [])
        #expect(try kept(library) == [good], "until the service says it again")
        #expect(try tell(overtaken, after: 90_001, in: library) == [.layerChanged(.init(overtaken, chart: "a.pdf"))])
        #expect(try kept(library) == [overtaken] && library.layers.doubts() == [])
    }

    /// The service's times come from its own clock, which may differ from this machine's by days.
    @Test(arguments: [true, false]) @LoopActor func timesThatRunBackwardsAreJudgedByTheServicesClock(isClockKnown: Bool) throws {
        let library = try library()
        let days = Duration.seconds(10 * 86_400)
        if isClockKnown { try library.service.record(clockAhead: .zero - days, at: now) }
        func layer(_ revision: Int, _ marks: [String], at time: Timestamp) -> Layer {
            var layer = self.layer(revision, marks: marks)
            layer.updatedAt = time + days
            return layer
        }
        let newest = layer(6, ["x", "y", "z"], at: now)
        _ = try tell(newest, in: library)
        let earlier = layer(7, ["x"], at: now - minute)
        #expect(try library.layers.isPutBack([layer(6, ["x"], at: now - minute)], faults: [:], at: now) == isClockKnown)
        _ = try tell(earlier, in: library)
        #expect(try kept(library) == [isClockKnown ? newest : earlier])

        func plan(_ updated: Timestamp) -> PlanContents {
            var chart = Samples.attachment("c")
            chart.updatedAt = updated + days
            return Samples.contents("2", attachments: [chart])
        }
        try library.plans.update([plan(now)], at: now)
        try library.plans.update([plan(now - minute)], at: now)
        #expect(try library.plans.heldBack().isEmpty != isClockKnown)
    }

    @Test @LoopActor func acceptingAPlanAcceptsTheOlderMarksOnItsChartsAndNothingElseAboutThem() throws {
        let library = try library()
        _ = try tell(layer(6, marks: []), in: library)
        #expect(try !library.accept(plan: plan.plan.id, at: now))
        _ = try tell(layer(4, marks: []), in: library)
        #expect(try library.accept(plan: plan.plan.id, at: now))
        _ = try tell(layer(4, marks: []), after: 1, in: library)
        #expect(try kept(library).map(\.marks) == [good.marks], "that there are none is another doubt")
        _ = try tell(layer(4, marks: []), after: 61, in: library)
        #expect(try kept(library).map(\.marks) == [[]])
    }

    /// If the service sends no revisions, the layer's times decide which state is newer. If it sends no times either, the order is unknown.
    @Test @LoopActor func whatAServiceWithoutRevisionsTellsGoesByItsTimes() throws {
        func timed(_ marks: [String], at minutes: Int?) -> Layer {
            var layer = layer(0, marks: marks)
            layer.updatedAt = minutes.map { now + minute * $0 }
            return layer
        }
        let cases: [(before: Int?, after: Int?, marks: [String], isBelieved: Bool)] = [
            (0, 1, ["z"], true), (0, 1, [], false), (0, 0, [], false), (1, 0, ["x", "y"], false), (0, nil, [], false),
            (nil, nil, [], false), (nil, nil, ["x", "y"], true), (0, 0, ["x", "y", "z", "more"], true),
        ]
        for (number, one) in cases.enumerated() {
            let place = TemporaryFolder()
            let library = try Library(folder: place.path)
            try library.plans.update([plan], at: now)
            let former = timed(["x", "y", "z"], at: one.before)
            _ = try tell(former, in: library)
            let told = timed(one.marks, at: one.after)
            _ = try tell(told, in: library)
            #expect(try kept(library) == [one.isBelieved ? told : former], "\(number)")
            #expect(try library.layers.doubts().isEmpty == one.isBelieved, "\(number)")
        }
    }

    @Test @LoopActor func aDeletionByItsOwnerIsBelievedAtOnce() throws {
        let library = try library()
        let deleted = layer(6, marks: [], deleted: now)
        #expect(try tell(deleted, in: library) == [.layerDeleted(.init(deleted, chart: "a.pdf"))])
        #expect(try library.layers.doubts() == [])
        #expect(try kept(library).map(\.marks) == [good.marks], "should it turn out to be none")
        let bytes = try library.diskBytes()
        #expect(try tell(deleted, after: 1, in: library) == [])
        #expect(try library.diskBytes() == bytes)
        #expect(try tell(layer(7, marks: []), in: library).count == 1)
    }

    /// A layer whose marks were all erased is accepted only after an hour, since an answer that lost them looks the same.
    @Test @LoopActor func aLayerThatLostAllItsMarksKeepsThemForAnHour() throws {
        let library = try library()
        let told = layer(6, marks: [])
        #expect(try tell(told, in: library) == [.layerDoubted(.init(told, chart: "a.pdf"), .emptied(marks: 2))])
        #expect(try tell(told, after: 59, in: library) == [])
        #expect(try kept(library) == [good])
        _ = try tell(told, after: 60, in: library)
        #expect(try kept(library) == [told])
        // Replacing some marks by others is a normal change.
        let next = layer(8, marks: ["z"])
        _ = try tell(next, after: 61, in: library)
        #expect(try kept(library) == [next] && library.layers.doubts() == [])
    }

    @Test @LoopActor func aLayerWhoseMarksAllLeftThePageIsNotBelievedForAnHour() throws {
        let library = try library()
        func gone(_ revision: Int, _ point: Mark.Point) -> Layer {
            var layer = layer(revision, marks: ["x", "y"])
            for place in layer.marks.indices { layer.marks[place].points = [point, Mark.Point(x: 1e308, y: 1)] }
            return layer
        }
        let told = gone(6, Mark.Point(x: 1e9, y: -1e9))
        #expect(try tell(told, in: library) == [.layerDoubted(.init(told, chart: "a.pdf"), .outOfSight(marks: 2))])
        #expect(try tell(told, after: 59, in: library) == [])
        #expect(try kept(library) == [good])
        _ = try tell(told, after: 60, in: library)
        #expect(try kept(library) == [told])
        // After that, the page has no marks left that could be lost.
        let next = gone(7, Mark.Point(x: 5, y: 5))
        #expect(try tell(next, after: 61, in: library) == [.layerChanged(.init(next, chart: "a.pdf"))])
    }

    @Test @LoopActor func oneMarkOffThePageDoesNotHoldBackTheOthers() throws {
        let library = try library()
        var told = layer(6, marks: ["x", "y"])
        told.marks[0].points = [Mark.Point(x: 5, y: 5)]
        #expect(try tell(told, in: library) == [.layerChanged(.init(told, chart: "a.pdf"))])
    }

    @Test @LoopActor func aDoubtAboutALayerThatIsNotNamedAnyMoreEndsAfterAnHourOfThat() throws {
        let library = try library()
        _ = try tell(layer(6, marks: []), "?", in: library)
        // A single answer without the layer proves little, however old the doubt is.
        try library.layers.update(layers: [], of: plan.plan.id, at: now + minute * 600)
        #expect(try library.layers.doubts().count == 1)
        #expect(try library.layers.goneNames() == [AttachmentID("a"): ["'bowings' by Ann"]])
        _ = try tell(layer(6, marks: []), "?", after: 630, in: library)
        for minutes in [640, 699] {
            try library.layers.update(layers: [], of: plan.plan.id, at: now + minute * minutes)
            #expect(try library.layers.doubts().count == 1, "\(minutes)")
        }
        try library.layers.update(layers: [], of: plan.plan.id, at: now + minute * 700)
        #expect(try library.layers.doubts() == [])
        #expect(try kept(library) == [good])
    }

    @Test @LoopActor func aClockThatIsSetBeginsTheHourOfWhatIsNotNamedAnew() throws {
        let library = try library()
        _ = try tell(layer(6, marks: []), "?", in: library)
        try library.layers.update(layers: [], of: plan.plan.id, at: now + minute)
        try library.service.record(clockAhead: .seconds(7200), at: now + minute * 122)
        for (minutes, count) in [(122, 1), (181, 1), (182, 0)] {
            try library.layers.update(layers: [], of: plan.plan.id, at: now + minute * minutes)
            #expect(try library.layers.doubts().count == count, "\(minutes)")
        }
    }

    /// Whatever answers come within the hour, readable marks are replaced only by other readable marks.
    @Test(arguments: 0..<100 as Range<UInt64>) @LoopActor func noLieTakesMarksAway(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let library = try Library(folder: home.path("\(seed)"))
        try library.database.run("PRAGMA synchronous = OFF")
        try library.plans.update([plan], at: now)
        var truth = layer(10, marks: ["m10"])
        _ = try tell(truth, in: library)
        for step in 1...25 {
            let marks = (0..<Int.random(in: 0...2, using: &random)).map { "lie\(step) \($0)" }
            switch Int.random(in: 0..<10, using: &random) {
            case 9: _ = try tell(layer(99, marks: []), after: step, in: library)
            case 8: _ = try tell(layer(truth.revision, marks: marks), after: step, in: library)
            case 0:
                // A person accepts the present state, because a doubt about an older state would hold back the next one.
                try library.accept(chart: AttachmentID("a"))
                truth = layer(10 + step, marks: ["m\(step)"])
                _ = try tell(truth, after: step, in: library)
            case 1: _ = try tell(layer(Int.random(in: 0..<10, using: &random), marks: marks), after: step, in: library)
            case 2: _ = try tell(layer(99, marks: marks, on: "nowhere"), after: step, in: library)
            case 3:
                _ = try tell(
                    layer(99, marks: [], deleted: Timestamp(nanoseconds: .random(in: -9...9, using: &random))), after: step, in: library)
            case 4: try library.layers.update(layers: [], of: plan.plan.id, at: now + minute * step)
            default: _ = try tell(layer(99, marks: marks), "rubbish", after: step, in: library)
            }
            #expect(try kept(library) == [truth], "step \(step)")
        }
    }

    @Test @LoopActor func marksThatAreNotToldAreRememberedUntilTheyAre() throws {
        let library = try library()
        try library.layers.note(marksUntold: "403", of: plan.plan.id, at: now)
        let bytes = try library.diskBytes()
        try library.layers.note(marksUntold: "403", of: plan.plan.id, at: now + minute)
        #expect(try library.diskBytes() == bytes)
        #expect(try library.layers.untoldMarks()[plan.plan.id].map { $0 == (now, "403") } == true)
        try library.layers.note(marksUntold: nil, of: plan.plan.id, at: now)
        #expect(try library.layers.untoldMarks().isEmpty)
        #expect(try library.layers.hasLayers(on: plan.plan.id))
    }
}
