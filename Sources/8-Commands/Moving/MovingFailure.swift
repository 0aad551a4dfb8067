/// Why a home cannot be put into an archive, or taken out of one.
struct MovingFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
