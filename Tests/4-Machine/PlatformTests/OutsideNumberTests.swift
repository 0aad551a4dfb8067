import Platform
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OutsideNumberTests {
    @Test(arguments: [
        ("0", 0), ("20", 20), ("20 seconds", 20), ("-5", 0), ("101", 100), ("9223372036854775807", 100), ("9223372036854775808", 100),
        ("-9223372036854775809", 0), (String(repeating: "9", count: 4000), 100),
    ])
    func aTextIsCutOffAtItsBounds(text: String, number: Int) {
        #expect(OutsideNumber(leading: text)?.whole(in: 0...100) == number)
    }

    @Test func whatIsNoNumberIsNone() {
        for text in ["", "-", "x1", " 1", "+1", "١"] { #expect(OutsideNumber(leading: text) == nil, "\(text)") }
        for text in ["1x", "1 ", "1.5", "1-2"] { #expect(OutsideNumber(text) == nil, "\(text)") }
    }

    @Test(
        arguments: [
            (0.4, 0), (1.5, 2), (-1, 0), (1e308, 100), (-1e308, 0), (.infinity, 100), (-.infinity, 0), (.nan, 0),
            (9_223_372_036_854_775_808, 100),
        ] as [(Double, Int)])
    func aNumberIsCutOffAtItsBounds(number: Double, whole: Int) {
        #expect(OutsideNumber(number).whole(in: 0...100) == whole)
        #expect((Int.min...Int.max).contains(OutsideNumber(number).whole(in: Int.min...Int.max)))
    }

    @Test func aMomentIsNeverTooFar() {
        let moment = Moment(nanoseconds: 5_000_000_000)
        #expect(moment + .seconds(Int64.max) == Moment(nanoseconds: .max))
        #expect(moment + .seconds(Int64.min) == Moment(nanoseconds: .min))
        #expect(Moment(nanoseconds: .max) - Moment(nanoseconds: .min) == .nanoseconds(Int64.max) - .nanoseconds(Int64.min))
    }
}
