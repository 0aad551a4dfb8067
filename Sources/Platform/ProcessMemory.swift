import CShims

/// This process's memory.
public enum ProcessMemory {
    /// Returns to the system what was let go of and is kept for the next time.
    public static func giveBack() { woodshed_give_memory_back() }
}
