import CShims

/// This process's memory.
public enum ProcessMemory {
    /// Returns memory to the system that was freed but kept for reuse.
    public static func giveBack() { woodshed_give_memory_back() }
}
