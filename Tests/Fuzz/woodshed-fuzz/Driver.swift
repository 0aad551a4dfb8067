import CFuzzer
import Glibc

/// The current attempt; libFuzzer's callback has no argument for it.
nonisolated(unsafe) private var current: Attempt = { _ in }

/// libFuzzer's own `main` refers to a function of this name. That `main` is linked but not used.
@_cdecl("LLVMFuzzerTestOneInput")
func tryOne(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    current([UInt8](UnsafeBufferPointer(start: data, count: size)))
    return 0
}

/// Runs libFuzzer with these arguments, and returns its exit code.
func drive(_ attempt: @escaping Attempt, _ arguments: [String]) -> CInt {
    current = attempt
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var count = CInt(arguments.count)
    return words.withUnsafeMutableBufferPointer { words in
        var list = words.baseAddress
        return LLVMFuzzerRunDriver(&count, &list, tryOne)
    }
}
