/// Encodes black and white rows as CCITT fax data, as scanners do: Group 4, or Group 3 in all its forms.
struct FaxEncoder {
    /// How a PDF describes the data; by default as Group 4 with an end-of-block mark.
    struct Form: Hashable, Sendable {
        /// Less than 0: Group 4. 0: Group 3. More than 0: Group 3, in which one row out of this many is coded without the row above.
        var k = -1
        var endOfLine = false
        var byteAlign = false
        var endOfBlock = true
    }

    private let form: Form
    private let width: Int
    private var bytes: [UInt8] = []
    private var buffer: UInt32 = 0
    private var buffered = 0
    private var former: [Int] = []
    private var rowCount = 0

    /// Begins an image with rows of this width.
    init(_ form: Form = Form(), width: Int) {
        self.form = form
        self.width = width
    }

    /// Adds a row, given by the ascending places at which black begins and ends in turn.
    mutating func append(_ changes: [Int]) {
        let changes = changes.filter { $0 < width }
        let standsAlone = form.k == 0 || (form.k > 0 && rowCount % form.k == 0)
        if form.endOfLine || form.k > 0 { putEndOfLine(standsAlone: standsAlone) }
        if standsAlone { putRuns(changes) } else { putDifferences(changes) }
        if form.byteAlign { align() }
        former = changes
        rowCount += 1
    }

    /// Ends the data, and returns it.
    mutating func finish() -> [UInt8] {
        if form.endOfBlock {
            for _ in 0..<(form.k < 0 ? 2 : 6) { putEndOfLine(standsAlone: true) }
        }
        align()
        return bytes
    }

    private mutating func putEndOfLine(standsAlone: Bool) {
        put(.endOfLine)
        if form.k > 0 { put(FaxCode(standsAlone ? "1" : "0")) }
    }

    private mutating func putRuns(_ changes: [Int]) {
        var place = 0
        for (index, change) in (changes + [width]).enumerated() {
            put(FaxCode.run(change - place, isBlack: index % 2 == 1))
            place = change
        }
    }

    private mutating func putDifferences(_ changes: [Int]) {
        // The start is -1, so black at the first pixel counts as a change as well.
        var place = -1
        var index = 0
        var isBlack = false
        var above = 0
        func change(_ index: Int) -> Int { index < changes.count ? changes[index] : width }
        func formerChange(_ index: Int) -> Int { index < former.count ? former[index] : width }
        while place < width {
            // Finds the first change to the other colour in the row above, after this place.
            while above > 0, formerChange(above - 1) > place { above -= 1 }
            while above < former.count, former[above] <= place || (above % 2 == 1) != isBlack { above += 1 }
            let (next, reference) = (change(index), formerChange(above))
            if formerChange(above + 1) < next {
                put(.pass)
                place = formerChange(above + 1)
            } else if abs(next - reference) <= 3 {
                put(FaxCode.vertical[next - reference + 3])
                place = next
                index += 1
                isBlack.toggle()
            } else {
                put(.horizontal)
                put(FaxCode.run(next - max(0, place), isBlack: isBlack))
                place = change(index + 1)
                put(FaxCode.run(place - next, isBlack: !isBlack))
                index += 2
            }
        }
    }

    private mutating func put(_ codes: [FaxCode]) {
        for code in codes { put(code) }
    }

    private mutating func put(_ code: FaxCode) {
        buffer = buffer << UInt32(code.length) | code.bits
        buffered += code.length
        while buffered >= 8 {
            buffered -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(buffered)))
        }
    }

    private mutating func align() {
        if buffered > 0 { put(FaxCode(String(repeating: "0", count: 8 - buffered))) }
    }
}
