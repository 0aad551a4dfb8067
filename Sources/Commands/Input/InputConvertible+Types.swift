import Model
import Platform

extension String: InputConvertible {
    init?(input: InputValue) {
        guard case .text(let text) = input else { return nil }
        self = text
    }

    var input: InputValue { .text(self) }
}

extension Int: InputConvertible {
    init?(input: InputValue) {
        guard case .integer(let number) = input else { return nil }
        self = number
    }

    var input: InputValue { .integer(self) }
}

extension Bool: InputConvertible {
    init?(input: InputValue) {
        guard case .boolean(let value) = input else { return nil }
        self = value
    }

    var input: InputValue { .boolean(self) }
}

extension Duration: InputConvertible {
    init?(input: InputValue) {
        guard case .duration(let duration) = input else { return nil }
        self = duration
    }

    var input: InputValue { .duration(self) }
}

extension ByteCount: InputConvertible {
    init?(input: InputValue) {
        guard case .size(let size) = input else { return nil }
        self = size
    }

    var input: InputValue { .size(self) }
}

extension DiskAmount: InputConvertible {
    init?(input: InputValue) {
        guard case .diskAmount(let amount) = input else { return nil }
        self = amount
    }

    var input: InputValue { .diskAmount(self) }
}

extension [String]: InputConvertible {
    init?(input: InputValue) {
        guard case .list(let texts) = input else { return nil }
        self = texts
    }

    var input: InputValue { .list(self) }
}

extension Color: InputConvertible {
    init?(input: InputValue) {
        guard case .text(let text) = input else { return nil }
        self.init(text)
    }

    var input: InputValue { .text(description) }
}

extension Log.Level: InputConvertible {
    init?(input: InputValue) {
        guard case .text(let text) = input, let level = Self.allCases.first(where: { "\($0)" == text }) else { return nil }
        self = level
    }

    var input: InputValue { .text("\(self)") }
}
