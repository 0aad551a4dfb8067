import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import Library

@Suite(.onLoop)
struct AnswersTests {
    private let home = TemporaryFolder()

    private func name(_ number: Int) -> Digest { SHA256.digest(of: "\(number)") }

    private func answer(_ number: Int, bytes: Int = 100) -> StoredAnswer {
        // The body is not UTF-8, because it may consist of any bytes.
        StoredAnswer(
            etag: "\"\(number)\"", body: [0, 255] + [UInt8](repeating: 7, count: bytes), sentAt: Samples.monday + .seconds(number))
    }

    @Test @LoopActor func answersOutlastTheProcess() throws {
        let library = try Library(folder: home.path)
        try library.answers.save([name(1): answer(1), name(2): answer(2)])
        library.close()
        let again = try Library(folder: home.path)
        #expect(try again.answers.answer(name(1)) == answer(1))
        #expect(try again.answers.answer(name(3)) == nil)
        try again.answers.save([name(1): nil, name(2): answer(5)])
        #expect(try again.answers.answer(name(1)) == nil)
        #expect(try again.answers.answer(name(2)) == answer(5))
    }

    @Test(
        arguments: [
            "body = CAST('{}' AS BLOB)", "body = x''", "etag = '\"2\"'", "told_at = told_at + 1", "sum = ''",
            "name = '\(SHA256.digest(of: "3").hex)'",
        ])
    @LoopActor func whatIsNotAsItWasWrittenIsNotUsed(change: String) throws {
        let library = try Library(folder: home.path)
        try library.answers.save([name(1): answer(1)])
        try library.database.run("UPDATE answers SET \(change)")
        #expect(try library.answers.answer(name(1)) == nil)
        #expect(try library.answers.answer(name(3)) == nil)
    }

    @Test @LoopActor func thereIsALimitAndTheOldestGoesFirst() throws {
        let library = try Library(folder: home.path)
        for number in 0..<12 { try library.answers.save([name(number): answer(number, bytes: 1 << 19)]) }
        let kept = try (0..<12).filter { try library.answers.answer(name($0)) != nil }
        #expect(kept == [5, 6, 7, 8, 9, 10, 11])
    }

    @Test @LoopActor func anOlderCopyOfTheCatalogueHasTheAnswersThatMadeIt() throws {
        let library = try Library(folder: home.path)
        try library.answers.save([name(1): answer(1)])
        try library.database.run("VACUUM INTO ?", [.text(home.path("copy.sqlite"))])
        try library.answers.save([name(1): answer(2)])
        let copy = try Database(path: home.path("copy.sqlite"), access: .readOnly)
        #expect(try copy.rows("SELECT etag FROM answers") { $0.text(0) } == [answer(1).etag])
    }
}
