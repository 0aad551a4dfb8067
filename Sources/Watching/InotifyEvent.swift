/// What the kernel said, with the folder it was said of.
struct InotifyEvent {
    let mask: UInt32
    /// The watched folder, without a slash at its end; `nil` for what is said of none, or of one that is not known.
    let folder: String?
    /// The name within the folder; empty when the folder itself is meant, `nil` when it is no text.
    let name: String?
    /// The bytes of a name that is no text.
    let bytes: [UInt8]

    func has(_ bits: Int32) -> Bool { mask & UInt32(bitPattern: bits) != 0 }
}
