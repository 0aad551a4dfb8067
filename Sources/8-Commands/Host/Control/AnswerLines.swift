import Agent
import Platform

/// Collects an agent's answer as it arrives, and reports progress if the answer comes in lines.
@LoopActor
final class AnswerLines {
    /// Everything received so far.
    private(set) var all: [UInt8] = []
    /// How much of it has been passed on as complete lines.
    private var told = 0
    private let onProgress: @LoopActor (Progress) -> Void

    init(_ onProgress: @escaping @LoopActor (Progress) -> Void) {
        self.onProgress = onProgress
    }

    /// The last line, which is the answer.
    var last: [UInt8] { all.split(separator: Self.end).last.map(Array.init) ?? [] }

    func take(_ piece: UnsafeRawBufferPointer) {
        var searched = all.count
        all += piece
        while let end = all[searched...].firstIndex(of: Self.end) {
            let line = all[told..<end]
            if line.count <= Self.longest, let progress = ControlProgress(line: Array(line))?.progress { onProgress(progress) }
            (told, searched) = (end + 1, end + 1)
        }
    }

    /// No progress line is longer; an answer may be.
    private static let longest = 4096
    private static let end = UInt8(ascii: "\n")
}

/// Notices when nothing has been heard for too long.
@LoopActor
final class SilenceWatch {
    private let clock: any TimeKeeper
    private let patience: Duration
    private var lastWord: Moment
    private var timer: TimerID?
    /// Whether the silence has lasted too long.
    private(set) var isTooLong = false

    init(_ clock: any TimeKeeper, _ patience: Duration) {
        self.clock = clock
        self.patience = patience
        lastWord = clock.now
    }

    /// Calls `action` once the silence has lasted too long.
    func begin(_ action: @escaping @LoopActor () -> Void) {
        let deadline = lastWord + patience
        timer = clock.schedule(at: deadline) { [self] in
            let late = clock.now - deadline
            if late > min(Self.sleep, patience / 4) { lastWord = clock.now }
            guard clock.now - lastWord >= patience else { return begin(action) }
            isTooLong = true
            action()
        }
    }

    /// A timer this late means that the whole machine was asleep, or that we were too busy to listen; neither is the agent's silence.
    private static let sleep: Duration = .seconds(5)

    func noteWord() { lastWord = clock.now }

    func end() {
        if let timer { clock.cancel(timer) }
        timer = nil
    }
}
