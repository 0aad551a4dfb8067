import Platform
import TestSupport
import Testing

/// What becomes of the stage once the images for a wish are here, or are known not to come.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct ArrivalTests {
    /// The wish, what it needs, what is here, what was on the stage, the kind of failure; and what is done: with the stage, whether that is
    /// told, what the page calls itself, whether it is tried again. Images have the chart's letter and the page's number: a small letter is
    /// an older one that stands in, "-" is none.
    private static let table = """
        other   | A1    | A1   | B1    |       | show told ready
        other   | A1    | a1   | B1    |       | show told ready again
        other   | A1    | -    | B1    |       | show told failed again
        other   | A1    | -    | B1    | final | show told failed
        other   | A1 A2 | A1 - | B1    |       | show told failed again
        same    | A1    | A1   | a1    |       | show told ready
        same    | A1    | a1   | A1    |       | show told ready again
        same    | A1    | -    | A1    |       | keep told ready again
        same    | A1    | -    | A1    | final | keep told ready
        same    | A1    | -    | -     |       | show told failed again
        same    | A1    | -    | A1 A2 |       | show told failed again
        same    | A1 A2 | A1 - | A1 A2 |       | keep told ready again
        same    | A1    | -    | B1    |       | show told failed again
        unasked | A1    | A1   | a1    |       | show told ready
        unasked | A1    | A1   | -     |       | show told ready
        unasked | A1    | a1   | a1    |       | keep ready again
        unasked | A1    | -    | -     |       | keep failed again
        unasked | A1    | -    | A1    |       | keep ready again
        """

    @Test @LoopActor func whatIsHereDecidesWhatIsShown() async throws {
        try await Desk.use { desk in
            _ = try await desk.play()
            let wrong: [String] = try await desk.browser.ask(
                """
                const { arrivalOf } = modules["arrival.js"];
                const images = (text) => text.split(" ").map((each) => each === "-" ? null : {
                  key: each, kind: each < "a" ? null : "older", position: Number(each[1]), place: { chart: each[0].toUpperCase(), item: "1" } });
                const told = ({ stage, isTold, condition, triesAgain }) =>
                  [stage, isTold && "told", condition, triesAgain && "again"].filter(Boolean).join(" ");
                return arguments[0].split("\\n").filter((line) => {
                  const [wish, needed, found, onStage, failure, answer] = line.split("|").map((each) => each.trim());
                  const asked = { isSame: wish !== "other", isUnasked: wish === "unasked" };
                  const isFinal = failure === "final";
                  return told(arrivalOf(asked, images(needed), images(found), images(onStage), { isFinal })) !== answer;
                });
                """, [Self.table])
            #expect(wrong == [])
        }
    }
}
