package import Model
package import Platform

extension String: InputConvertible {
    package init?(input: InputValue) {
        guard case .text(let text) = input else { return nil }
        self = text
    }

    package var input: InputValue { .text(self) }
}

extension Int: InputConvertible {
    package init?(input: InputValue) {
        guard case .integer(let number) = input else { return nil }
        self = number
    }

    package var input: InputValue { .integer(self) }
}

extension Bool: InputConvertible {
    package init?(input: InputValue) {
        guard case .boolean(let value) = input else { return nil }
        self = value
    }

    package var input: InputValue { .boolean(self) }
}

extension Duration: InputConvertible {
    package init?(input: InputValue) {
        guard case .duration(let duration) = input else { return nil }
        self = duration
    }

    package var input: InputValue { .duration(self) }
}

extension ByteCount: InputConvertible {
    package init?(input: InputValue) {
        guard case .size(let size) = input else { return nil }
        self = size
    }

    package var input: InputValue { .size(self) }
}

extension DiskAmount: InputConvertible {
    package init?(input: InputValue) {
        guard case .diskAmount(let amount) = input else { return nil }
        self = amount
    }

    package var input: InputValue { .diskAmount(self) }
}

extension [String]: InputConvertible {
    package init?(input: InputValue) {
        guard case .list(let texts) = input else { return nil }
        self = texts
    }

    package var input: InputValue { .list(self) }
}

extension Color: InputConvertible {
    package init?(input: InputValue) {
        guard case .text(let text) = input else { return nil }
        self.init(text)
    }

    package var input: InputValue { .text(description) }
}

extension QuietHours: InputConvertible {
    package init?(input: InputValue) {
        guard case .text(let text) = input else { return nil }
        self.init(text)
    }

    package var input: InputValue { .text(description) }

    /// Checks whether a text says which hours are meant.
    @Sendable package static func check(_ text: String) throws(InputProblem) {
        guard QuietHours(text) == nil else { return }
        throw InputProblem("'\(text.printable)' are no hours; write when they begin and when they end, as in 22:00-08:00")
    }
}

extension Log.Level: InputConvertible {
    package init?(input: InputValue) {
        guard case .text(let text) = input, let level = Self.allCases.first(where: { "\($0)" == text }) else { return nil }
        self = level
    }

    package var input: InputValue { .text("\(self)") }
}
