import Freshness
import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PageSequenceTests {
    @Test(arguments: [
        ("", 3, [0, 1, 2]),
        ("2,1,3", 3, [1, 0, 2]),
        ("0,2,1", 3, [0, 2, 1]),
        ("[3, 1]", 3, [2, 0]),
        ("1 2 1 3", 3, [0, 1, 0, 2]),
        ("1,2,4", 3, [0, 1, 2]),
        ("0,3", 3, [0, 1, 2]),
        ("first, second", 3, [0, 1, 2]),
        ("1, then 2", 3, [0, 1, 2]),
        ("-", 2, [0, 1]),
        ("99999999999999999999", 2, [0, 1]),
        ("1", 0, []),
    ])
    func readsWhatTheServiceSends(text: String, count: Int, expected: [Int]) {
        #expect(PageSequence(text, pageCount: count).pages.map(\.value) == expected)
    }

    @Test(arguments: [
        ("", 5, 1, [2, 3]),
        ("", 5, 3, [4]),
        ("", 5, 4, []),
        ("5,4,3,2,1", 5, 2, [1, 0]),
        // The page occurs twice in the sequence, so the pages after both occurrences come next.
        ("1,2,1,3,4", 4, 0, [1, 2]),
        // The page is not in the sequence.
        ("1,2", 4, 3, []),
    ])
    func returnsThePagesThatComeNext(text: String, count: Int, page: Int, expected: [Int]) {
        #expect(PageSequence(text, pageCount: count).next(after: PageIndex(page), 2).map(\.value) == expected)
    }
}
