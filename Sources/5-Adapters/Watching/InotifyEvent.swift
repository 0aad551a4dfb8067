/// What the kernel reported, with the folder it is about.
struct InotifyEvent {
    let mask: UInt32
    /// The watched folder, without a slash at the end; `nil` if the event is about none, or about an unknown one.
    let folder: String?
    /// The name within the folder; empty if the folder itself is meant, `nil` if it is not valid text.
    let name: String?
    /// The bytes of a name that is not valid text.
    let bytes: [UInt8]

    func has(_ bits: Int32) -> Bool { mask & UInt32(bitPattern: bits) != 0 }
}
