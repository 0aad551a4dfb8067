import Model
import Testing

@testable import Commands

@Suite(.timeLimit(.minutes(5)))
struct PlanFinderTests {
    private static let harvest = plan("67810001", "Harvest", day: 1)
    private static let morning = plan("67810002", "Sunday morning", day: 8)
    private static let evening = plan("67810003", "Sunday evening", day: 8)
    private static let someDay = Plan(id: PlanID("67810004"), serviceType: ServiceTypeID("1"), serviceTypeName: "Sunday")
    // These plans are not in the order of time, because the library does not promise that order.
    private static let all = [someDay, evening, harvest, morning]

    private static func plan(_ id: String, _ title: String, day: Int) -> Plan {
        let time = time(day: day)
        return Plan(id: PlanID(id), serviceType: ServiceTypeID("1"), title: title, firstTime: time, lastTime: time + .seconds(3600))
    }

    /// A morning of November 2026.
    private static func time(day: Int) -> Timestamp { Timestamp("2026-11-0\(day)T09:30:00Z") ?? Timestamp(nanoseconds: 0) }

    private func find(_ name: String, day: Int = 1, isLikely: (Plan) -> Bool = { _ in true }) throws(Trouble) -> Plan {
        try PlanFinder(Self.all, now: Self.time(day: day)).find(name, isLikely: isLikely)
    }

    @Test(arguments: [
        ("67810003", evening), ("harvest", harvest), ("MORNING", morning), ("2026-11-01", harvest), ("2026-11-08 sunday e", evening),
    ])
    func planIsFoundByIdDateOrTitle(name: String, expected: Plan) throws {
        #expect(try find(name) == expected)
    }

    @Test(arguments: [
        "1 Nov", "1 November", "Sunday 1 November 2026", "Sun 1 Nov", "Nov 1st", "November 1, 2026", "1.11.", "01.11.2026", "1.11.26",
        "1/11/2026", "2026-11-1", "2026/11/01",
    ])
    func aDateIsFoundAsPeopleWriteIt(name: String) throws {
        #expect(try find(name, day: 3) == Self.harvest)
    }

    @Test(arguments: ["2 Nov", "1 Dec", "1 November 2025", "Monday 1 November", "31.31.", "1 11"]) func anotherDateFindsNone(name: String) {
        #expect(throws: Trouble.self) { try find(name) }
    }

    /// Some write the month first.
    @Test func aDateThatMayBeTwoDaysIsNotGuessed() throws {
        let june = Plan(
            id: PlanID("8"), serviceType: ServiceTypeID("1"), title: "Graduation", firstTime: Timestamp("2026-06-12T09:30:00Z"))
        let december = Plan(
            id: PlanID("9"), serviceType: ServiceTypeID("1"), title: "Advent", firstTime: Timestamp("2026-12-06T09:30:00Z"))
        let finder = PlanFinder([june, december], now: Self.time(day: 1))
        let error = #expect(throws: Trouble.self) { try finder.find("6/12") }
        #expect(error?.kind == .ambiguous)
        #expect(try finder.find("6.12.") == december)
        #expect(try PlanFinder([december], now: Self.time(day: 1)).find("12/6") == december)
    }

    /// One of them has the word for its whole name, others are on such a day.
    @Test func aWeekdayMeansAllPlansOfItsDayAndName() throws {
        for name in ["Sunday", "sunday"] {
            let error = #expect(throws: Trouble.self) { try find(name) }
            #expect(
                error
                    == Trouble.ambiguous(
                        name, "plans", among: [Self.harvest, Self.morning, Self.evening, Self.someDay].map(PlanFinder.description)))
        }
        #expect(try PlanFinder([Self.harvest], now: Self.time(day: 1)).find("sunday") == Self.harvest)
        #expect(throws: Trouble.self) { try PlanFinder([Self.harvest], now: Self.time(day: 1)).find("monday") }
    }

    @Test func aSharpSIsTwo() throws {
        let plan = Self.plan("67810005", "Große Messe", day: 3)
        for name in ["grosse messe", "GROẞE", "große"] {
            #expect(try PlanFinder([plan], now: Self.time(day: 1)).find(name) == plan, "\(name)")
        }
    }

    /// A keyboard may lack accents, and some systems write each accent in a file's name as a character of its own.
    @Test(arguments: [
        ("Frühling", ["fruhling", "frühling", "FRU\u{308}HLING"]), ("Fru\u{308}hling", ["fruhling", "frühling"]),
        ("Dvořák: Te Deum", ["dvorak", "DVOŘÁK", "r\u{30C}a\u{301}k"]), ("Bjørnstad, Łódź, Œuvre", ["bjornstad", "lodz", "oeuvre"]),
        ("Blues in B♭", ["in bb", "B♭"]), ("Αγνή Παρθένε", ["παρθένε", "παρθε\u{301}νε"]), ("Тихая Йорк", ["йорк", "и\u{306}орк"]),
    ]) func anAccentNeedNotBeTyped(title: String, names: [String]) throws {
        let plan = Self.plan("67810006", title, day: 3)
        for name in names { #expect(try PlanFinder([plan], now: Self.time(day: 1)).find(name) == plan, "\(name)") }
        #expect(throws: Trouble.self) { try PlanFinder([plan], now: Self.time(day: 1)).find("fruhlung") }
    }

    @Test(arguments: [(1, harvest), (3, morning), (9, someDay)])
    func nextIsTheNearestThatIsNotPast(day: Int, expected: Plan) throws {
        #expect(try find("next", day: day) == expected)
    }

    @Test func aPlanIsAlsoFoundByItsKindOfService() throws {
        let plan = Plan(id: PlanID("7"), serviceType: ServiceTypeID("1"), serviceTypeName: "Midweek Evening", title: "Songs of the House")
        for name in ["midweek", "house"] { #expect(try PlanFinder([plan, Self.harvest], now: Self.time(day: 1)).find(name) == plan) }
    }

    @Test func nextOfNoneIsSaid() {
        let finder = PlanFinder([Self.harvest], now: Self.time(day: 9))
        let error = #expect(throws: Trouble.self) { try finder.find("next") }
        #expect(error?.kind == .gone && error?.description.hasPrefix("there are no upcoming plans") == true)
    }

    @Test func severalAreNamedByTimeUnlessOneIsLikely() throws {
        let several = Trouble.ambiguous(
            "2026-11-08", "plans", among: ["67810002  2026-11-08 Sunday morning", "67810003  2026-11-08 Sunday evening"])
        #expect(throws: several) { try find("2026-11-08") }
        #expect(throws: several) { try find("2026-11-08", isLikely: { _ in false }) }
        #expect(try find("2026-11-08") { $0 == Self.evening } == Self.evening)
        #expect(try find("67810002") { $0 == Self.evening } == Self.morning, "an id can mean but one")
    }

    @Test(arguments: ["easter", "", "6781000"]) func whatFitsNoneNamesThemAll(name: String) {
        #expect(
            throws: Trouble.unknown(
                name, "no plan here", among: [Self.harvest, Self.morning, Self.evening, Self.someDay].map(PlanFinder.description), none: "")
        ) {
            try find(name)
        }
    }

    @Test func ofManyNamesTheNearestAreNamed() {
        let names = ["Abide with Me", "Amazing Grace - lead", "Silent Night", "Amazing Grace", "Two Chorales", "Simple Gifts", "Holy"]
        let said = Trouble.unknown("amzing grace", "no chart here", among: names, none: "").description
        let lines = said.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines[0] == "no chart here is called 'amzing grace'; the nearest of 7 are:")
        #expect(lines.count == 6 && Array(lines[1...2]) == ["Amazing Grace - lead", "Amazing Grace"], "\(said)")
    }
}
